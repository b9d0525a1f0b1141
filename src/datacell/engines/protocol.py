"""What an engine is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import pyarrow as pa

from datacell.algebra.plan import Plan
from datacell.algebra.tree import Key


@dataclass(frozen=True)
class ParquetFiles:
    """A table in files."""

    paths: tuple[str, ...]


Source: TypeAlias = pa.Table | ParquetFiles
Inputs = Mapping[Key, Source]
"""The rows of what a fragment reads, by slot or by the name of the table."""


class Prepared(Protocol):
    """A plan that an engine is ready to run again and again, from any thread, one run at a time."""

    def run(self, inputs: Inputs) -> pa.Table:
        """The answer. Raises `EngineError`, with the engine's own message as the cause."""

    def close(self) -> None:
        """Let go of what the engine holds for the plan."""


class Engine(Protocol):
    """Runs fragments; the caller closes it.

    Guaranteed: the multiset of rows is the SQL answer, the columns have the names and types of the plan's schema, and
    an expression without a value for some row (a bad cast, a division by zero) is NULL there, never an error.
    Not guaranteed: the order of rows, unless the topmost operator is an `Order`, or a map of one that keeps its names.
    """

    name: str

    def refusals(self, plan: Plan) -> tuple[str, ...]:
        """Why this engine must not run the plan; empty if it may."""

    def prepare(self, plan: Plan) -> Prepared:
        """What the engine needs to do once for a plan. Raises `EngineError` if it must not run it."""

    def close(self) -> None: ...


def run_once(engine: Engine, plan: Plan, inputs: Inputs) -> pa.Table:
    """The answer of a plan that runs only once."""
    prepared = engine.prepare(plan)
    try:
        return prepared.run(inputs)
    finally:
        prepared.close()
