"""Where rows come from: streams, tables, constants."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan.node import Plan, require_columns
from datacell.algebra.schema import Field, Schema
from datacell.errors import PlanError


@dataclass(frozen=True)
class _Relation(Plan):
    """Rows that have a name; columns of the plan are qualified by the alias."""

    name: str
    alias: str
    columns: tuple[Field, ...]

    @cached_property
    def schema(self) -> Schema:
        return Schema(tuple(Field(f"{self.alias}.{f.name}", f.type) for f in self.columns))


@dataclass(frozen=True)
class Stream(_Relation):
    """The rows of a stream, each valid from its timestamp on, forever."""

    def head(self) -> str:
        return f"stream {self.name}{_alias(self)} ({_names(self.columns)})"


@dataclass(frozen=True)
class Table(_Relation):
    """The rows of a table, valid at every instant; one that `is_fixed` is never replaced by a newer version."""

    is_fixed: bool = False

    def head(self) -> str:
        return f"table {self.name}{_alias(self)} ({_names(self.columns)})"


@dataclass(frozen=True)
class Values(Plan):
    """Constant rows, valid at every instant."""

    columns: tuple[Field, ...]
    rows: tuple[tuple[exp.Expr, ...], ...]

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise PlanError("values of different lengths")
        require_columns(self, self.expressions(), ())

    @cached_property
    def schema(self) -> Schema:
        return Schema(self.columns)

    def expressions(self) -> Iterable[exp.Expr]:
        return (value for row in self.rows for value in row)

    def head(self) -> str:
        shown = ", ".join(f"({', '.join(map(scalar.show, row))})" for row in self.rows[:3])
        return f"values {shown}" + (", …" if len(self.rows) > 3 else "")


def _alias(source: Stream | Table) -> str:
    return "" if source.alias == source.name else f" as {source.alias}"


def _names(columns: Iterable[Field]) -> str:
    return ", ".join(f.name for f in columns)
