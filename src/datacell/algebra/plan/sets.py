"""Unions, differences and intersections of multisets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from datacell.algebra.plan.node import Plan, require_same_schema
from datacell.algebra.schema import Schema
from datacell.errors import PlanError


@dataclass(frozen=True)
class Union(Plan):
    """∪: the rows of all inputs, multiplicities added (UNION ALL)."""

    inputs: tuple[Plan, ...]

    def __post_init__(self) -> None:
        if len(self.inputs) < 2:
            raise PlanError("a union of fewer than two inputs")
        require_same_schema(self, *self.inputs)

    @cached_property
    def schema(self) -> Schema:
        return self.inputs[0].schema

    def head(self) -> str:
        return "union"


@dataclass(frozen=True)
class SetOperation(Plan):
    """Two inputs of one schema, combined by multiplicity; rows compare as DISTINCT compares them, NULL equals NULL."""

    left: Plan
    right: Plan

    def __post_init__(self) -> None:
        require_same_schema(self, self.left, self.right)

    @cached_property
    def schema(self) -> Schema:
        return self.left.schema


class Difference(SetOperation):
    """−: multiplicities subtracted (EXCEPT ALL)."""

    def head(self) -> str:
        return "difference"


class StrictDifference(SetOperation):
    """The distinct rows of the left that the right has not at all (EXCEPT)."""

    def head(self) -> str:
        return "strict difference"


class Intersection(SetOperation):
    """∩: the lesser of the two multiplicities (INTERSECT ALL)."""

    def head(self) -> str:
        return "intersection"


class MaxUnion(SetOperation):
    """∪max: the greater of the two multiplicities."""

    def head(self) -> str:
        return "max-union"
