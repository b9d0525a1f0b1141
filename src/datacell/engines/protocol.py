"""What an engine is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import pyarrow as pa

from datacell.algebra.plan import Plan


@dataclass(frozen=True)
class ParquetFiles:
    """A table in files."""

    paths: tuple[str, ...]


Input: TypeAlias = pa.Table | ParquetFiles
Inputs = Mapping[str, Input]
"""What the streams and tables of a fragment stand for, by name."""


class Engine(Protocol):
    """Runs fragments, from any thread; the caller closes it.

    Guaranteed: the multiset of rows is the SQL answer, the columns have the names and types of the plan's schema, and
    an expression without a value for some row (a bad cast, a division by zero) is NULL there, never an error.
    Not guaranteed: the order of rows, unless the topmost operator is an `Order`, or a map of one that keeps its names.
    """

    name: str
    call_worth: int
    """So many rows of input cost about as much as one more call does; measured, and far from exact."""

    covers: bool
    """Does it join and group rows so much faster than it sorts them that covering (`incremental.merge`) is worth it?"""

    def refusals(self, plan: Plan) -> tuple[str, ...]:
        """Why this engine must not run the plan; empty if it may."""

    def sql(self, plan: Plan) -> str:
        """The text this engine would run, for EXPLAIN."""

    def run(self, plan: Plan, inputs: Inputs) -> pa.Table:
        """The answer. Raises `EngineError`, with the engine's own message as the cause."""

    def close(self) -> None: ...
