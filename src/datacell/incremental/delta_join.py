"""A plan over a join of two relations, over the pairs of the join that are new.

Its rows carry when they are visible: a pair from when its younger row is until its older is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from datacell.algebra import tree
from datacell.algebra.delta_join import Side, delta_join
from datacell.algebra.plan import Join, Plan
from datacell.algebra.schema import Field, Schema
from datacell.incremental.relations import VISIBLE_FROM, VISIBLE_TO, fields
from datacell.incremental.slicing import PerPart

SIDES = tuple(Side)
"""The inputs: what is new on the left meets all of the right, what was there meets what is new on the right."""


def over_new_pairs(plan: Plan, join: Join) -> Plan:
    """What the plan makes of the pairs of a join in it that are new."""
    above = replaced(plan, join, _NewPairs(join.schema.fields, join))
    return _CarryingVisibility(fields(VISIBLE_FROM, VISIBLE_TO), frozenset()).carry(above)


def replaced(plan: Plan, old: Plan, new: Plan) -> Plan:
    """The plan with another operator in the place of one."""
    if plan is old:
        return new
    return plan.with_children([replaced(child, old, new) for child in plan.children])


@dataclass(frozen=True)
class _NewPairs(Plan):
    """Stands for a join while what is above it is carried."""

    columns: tuple[Field, ...]
    join: Join

    @cached_property
    def schema(self) -> Schema:
        return Schema(self.columns)

    def head(self) -> str:
        return self.join.head()


@dataclass(frozen=True)
class _CarryingVisibility(PerPart):
    def depends(self, plan: Plan) -> bool:
        return any(isinstance(n, _NewPairs) for n in tree.descendants(plan))

    def source(self, plan: Plan) -> Plan:
        if not isinstance(plan, _NewPairs):
            return super().source(plan)
        left, right = plan.join.left.schema.fields, plan.join.right.schema.fields
        return delta_join(left, right, plan.join.condition, (VISIBLE_FROM, VISIBLE_TO))
