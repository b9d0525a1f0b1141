"""Joins, and the dependent join that subqueries are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan.node import Plan, require_columns
from datacell.algebra.schema import Schema
from datacell.errors import PlanError


class JoinKind(Enum):
    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"
    SEMI = "semi"
    ANTI = "anti"

    @property
    def keeps_right(self) -> bool:
        """Does the result have the right side's columns?"""
        return self not in (JoinKind.SEMI, JoinKind.ANTI)


@dataclass(frozen=True)
class _Pairs(Plan):
    """Rows of the left with rows of the right."""

    left: Plan
    right: Plan
    kind: JoinKind = JoinKind.INNER
    condition: exp.Expr | None = None

    def __post_init__(self) -> None:
        require_columns(self, self.expressions(), (self.left.schema + self.right.schema).names)

    @cached_property
    def schema(self) -> Schema:
        return self.left.schema + self.right.schema if self.kind.keeps_right else self.left.schema

    def expressions(self) -> Iterable[exp.Expr]:
        return () if self.condition is None else (self.condition,)


@dataclass(frozen=True)
class Join(_Pairs):
    """⋈: pairs of rows that satisfy the condition; without one, the product ×."""

    def head(self) -> str:
        if self.condition is None:
            return "product" if self.kind is JoinKind.INNER else f"{self.kind.value} join"
        return f"{self.kind.value} join on {scalar.show(self.condition)}"


@dataclass(frozen=True)
class Apply(_Pairs):
    """The dependent join: for every row of the left the right is evaluated again, and may read the row as ``outer``.

    It stands for subqueries until they are unnested into joins, which is always possible.
    """

    def __post_init__(self) -> None:
        if self.kind in (JoinKind.RIGHT, JoinKind.FULL):
            raise PlanError(f"apply cannot be a {self.kind.value} join")
        super().__post_init__()

    @cached_property
    def outer(self) -> frozenset[str]:
        return super().outer - frozenset(self.left.schema.names)

    @property
    def correlation(self) -> tuple[str, ...]:
        """The columns of the left that the right reads, in the left's order."""
        return tuple(name for name in self.left.schema.names if name in self.right.outer)

    def head(self) -> str:
        reads = f" reading {', '.join(self.correlation)}" if self.correlation else ""
        on = "" if self.condition is None else f" on {scalar.show(self.condition)}"
        return f"{self.kind.value} apply{on}{reads}"
