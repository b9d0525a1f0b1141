"""Operators on one input, row by row or within a partition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan.node import Plan, SortKey, require_columns
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.types import BIGINT
from datacell.errors import PlanError


@dataclass(frozen=True)
class Filter(Plan):
    """σ: the rows for which the predicate is true."""

    child: Plan
    predicate: exp.Expr

    def __post_init__(self) -> None:
        require_columns(self, self.expressions(), self.child.schema.names)

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    def expressions(self) -> Iterable[exp.Expr]:
        return (self.predicate,)

    def head(self) -> str:
        return f"filter {scalar.show(self.predicate)}"


@dataclass(frozen=True)
class Map(Plan):
    """µ: computes new records from old ones, one for one."""

    child: Plan
    columns: tuple[Named, ...]

    def __post_init__(self) -> None:
        if not self.columns:
            raise PlanError("a map without columns")
        require_columns(self, self.expressions(), self.child.schema.names)

    @cached_property
    def schema(self) -> Schema:
        return Schema(tuple(c.field for c in self.columns))

    def expressions(self) -> Iterable[exp.Expr]:
        return (c.value for c in self.columns)

    def head(self) -> str:
        return f"map {', '.join(map(str, self.columns))}"


@dataclass(frozen=True)
class Distinct(Plan):
    """δ: every row once."""

    child: Plan

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    def head(self) -> str:
        return "distinct"


@dataclass(frozen=True)
class Over(Plan):
    """Analytic functions: every row keeps its place and gains columns computed over its partition."""

    child: Plan
    functions: tuple[Named, ...]

    def __post_init__(self) -> None:
        require_columns(self, self.expressions(), self.child.schema.names)
        if not all(isinstance(f.value, exp.Window) for f in self.functions):
            raise PlanError("an analytic function without OVER")

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema + Schema(tuple(f.field for f in self.functions))

    def expressions(self) -> Iterable[exp.Expr]:
        return (f.value for f in self.functions)

    def head(self) -> str:
        return f"over {', '.join(map(str, self.functions))}"


@dataclass(frozen=True)
class Unfold(Plan):
    """Every row once for each whole number from `start` to before `stop`, which it gains as a column."""

    child: Plan
    start: exp.Expr
    stop: exp.Expr
    name: str

    def __post_init__(self) -> None:
        require_columns(self, self.expressions(), self.child.schema.names)

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema + Schema((Field(self.name, BIGINT),))

    def expressions(self) -> Iterable[exp.Expr]:
        return (self.start, self.stop)

    def head(self) -> str:
        return f"unfold {scalar.show(self.start)} to {scalar.show(self.stop)} as {self.name}"


@dataclass(frozen=True)
class Order(Plan):
    """The rows in order, and of these only `limit` after the first `offset` where a limit is given."""

    child: Plan
    keys: tuple[SortKey, ...]
    limit: int | None = None
    offset: int = 0

    def __post_init__(self) -> None:
        require_columns(self, self.expressions(), self.child.schema.names)
        if self.offset < 0 or (self.limit is not None and self.limit < 0):
            raise PlanError("a negative limit or offset")

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    def expressions(self) -> Iterable[exp.Expr]:
        return (k.value for k in self.keys)

    def head(self) -> str:
        limit = "" if self.limit is None else f" limit {self.limit}"
        offset = f" offset {self.offset}" if self.offset else ""
        keys = f"order by {', '.join(map(str, self.keys))}" if self.keys else ""
        return f"{keys}{limit}{offset}".strip()


@dataclass(frozen=True)
class Spread(Plan):
    """The same rows, each of them so much work that an engine had better divide them among tasks, by some columns."""

    child: Plan
    by: tuple[str, ...]

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    def head(self) -> str:
        return f"spread by {', '.join(self.by)}"
