"""Grouping and aggregation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from datacell.algebra.plan.node import Plan, require_columns
from datacell.algebra.schema import Named, Schema
from datacell.errors import PlanError


@dataclass(frozen=True)
class Group(Plan):
    """γ: splits a stream into one per key; the rows stay as they are. Only an aggregate may read it."""

    child: Plan
    keys: tuple[Named, ...]

    def __post_init__(self) -> None:
        require_columns(self, self.expressions(), self.child.schema.names)

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    @property
    def grouping(self) -> tuple[Named, ...]:
        return self.keys

    def expressions(self) -> Iterable[exp.Expr]:
        return (k.value for k in self.keys)

    def head(self) -> str:
        return f"group by {', '.join(map(str, self.keys))}"


@dataclass(frozen=True)
class Aggregate(Plan):
    """α: one row per group of its input, or exactly one row if the input is not grouped."""

    child: Plan
    aggregates: tuple[Named, ...]

    def __post_init__(self) -> None:
        if not self.keys and not self.aggregates:
            raise PlanError("an aggregate without keys and aggregates")
        require_columns(self, self.expressions(), self.child.schema.names)

    @property
    def keys(self) -> tuple[Named, ...]:
        return self.child.grouping

    @cached_property
    def schema(self) -> Schema:
        return Schema(tuple(c.field for c in (*self.keys, *self.aggregates)))

    def expressions(self) -> Iterable[exp.Expr]:
        return (a.value for a in self.aggregates)

    def head(self) -> str:
        return f"aggregate {', '.join(map(str, self.aggregates))}".rstrip()
