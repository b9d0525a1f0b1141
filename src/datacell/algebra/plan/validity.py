"""Operators that set or change the validity of rows: windows, and other cuts of the same snapshots."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from datacell.algebra import duration, scalar
from datacell.algebra.plan.node import Plan, descendants, require_columns
from datacell.algebra.schema import Named, Schema
from datacell.algebra.window import WindowSpec, columns_read
from datacell.errors import PlanError


@dataclass(frozen=True)
class Window(Plan):
    """ω: sets the validity of a stream's rows. Below it the rows never expire, so windows do not nest."""

    child: Plan
    window: WindowSpec

    def __post_init__(self) -> None:
        if any(isinstance(node, Window) for node in descendants(self.child)):
            raise PlanError("a window over a window")
        require_columns(self, map(scalar.column, columns_read(self.window)), self.child.schema.names)

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    @property
    def grouping(self) -> tuple[Named, ...]:
        return self.child.grouping

    def head(self) -> str:
        return f"window {self.window}"


class Coalescing(Enum):
    """Is it asked for, or done as long as it makes rows clearly fewer?"""

    ALWAYS = "coalesce"
    WHILE_WORTH_IT = "coalesce while worth it"


@dataclass(frozen=True)
class Coalesce(Plan):
    """The same snapshots in as few rows as possible: one that ends where an equal one begins is continued by it."""

    child: Plan
    when: Coalescing = Coalescing.ALWAYS

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    def head(self) -> str:
        return self.when.value


@dataclass(frozen=True)
class SplitEvery(Plan):
    """The same snapshots in pieces that end at every multiple of a length of time."""

    child: Plan
    length: int

    def __post_init__(self) -> None:
        if self.length <= 0:
            raise PlanError(f"rows cannot be split every {self.length} microseconds")

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    def head(self) -> str:
        return f"split every {duration.show(self.length)}"
