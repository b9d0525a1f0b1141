"""What an engine is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import pyarrow as pa

from datacell.algebra.plan import Plan

if TYPE_CHECKING:
    from datacell.engines.transfers import Account


@dataclass(frozen=True)
class Csv:
    """How csv is written: NULL is empty, an empty string is quoted, what is nested is JSON."""

    separator: str = ","
    header: bool = True


@dataclass(frozen=True)
class Files:
    """A table in files that executors have written, or that they can read; directories count as their files."""

    paths: tuple[str, ...]
    count: int = 0
    """Rows, as far as that is known."""
    csv: Csv | None = None
    """None: they are Parquet."""


@dataclass(frozen=True, eq=False)
class Frame:
    """Rows on the cluster, as Spark has them now: only while the micro-batch lasts that they are of."""

    frame: Any
    count: int = 0


@dataclass(frozen=True, eq=False)
class Annotated:
    """Rows in files, each beside what a small table says of the value that it has in column `on`.

    The small table's first column has these values; rows with another one are left out, and so is the column.
    """

    files: Files
    on: str
    by: pa.Table
    columns: tuple[tuple[str, str], ...]
    """The other columns of the files that are read, each with the name under which it is."""

    @property
    def count(self) -> int:
        return self.files.count


Source: TypeAlias = pa.Table | Files | Frame | Annotated
Inputs: TypeAlias = Mapping[Any, Source]
"""The rows of what a fragment reads, by `Key`: a slot, or the name of a table. (Keys of mappings are invariant.)"""


class Prepared(Protocol):
    """A plan that an engine is ready to run again and again, from any thread, one run at a time."""

    account: Account
    """What its runs have transferred."""

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
