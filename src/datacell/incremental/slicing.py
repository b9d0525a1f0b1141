"""Slicing: a plan over the rows of a stream becomes one whose rows carry the slice they belong to."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from datacell.algebra import scalar, tree
from datacell.algebra.carry import Carrier, ungrouped
from datacell.algebra.plan import Aggregate, Group, Input, Map, Plan, Stream
from datacell.algebra.schema import Named
from datacell.algebra.types import BIGINT
from datacell.errors import PlanError
from datacell.incremental.inputs import BasketRows
from datacell.incremental.relations import SLICE, fields


def sliced(plan: Plan) -> Plan:
    """What the plan does to each slice, done to all of them at once."""
    return _Slicing(fields(SLICE), frozenset()).carry(plan)


def alone(plan: Plan) -> Plan | None:
    """What the plan does to the rows of one slice; None if it says something of a slice whose rows are all filtered."""
    if any(isinstance(n, Aggregate) and not n.keys and tree.has_stream(n) for n in tree.descendants(plan)):
        return None
    return tree.transform_up(
        plan, lambda n: Input(BasketRows(n.name), n.columns, n.alias) if isinstance(n, Stream) else n
    )


@dataclass(frozen=True)
class PerPart(Carrier):
    """Carries columns that every row of the source has; a group without keys is one per their value."""

    def reads(self, node: exp.Expr) -> bool:  # noqa: ARG002
        return False

    def inside(self, node: exp.Expr) -> exp.Expr:
        return node

    def domain(self) -> Plan:
        raise PlanError("a source without slices")

    def carry_aggregate(self, plan: Aggregate) -> Plan:
        child = self.carry(ungrouped(plan.child) if plan.keys else plan.child)
        return Aggregate(Group(child, (*plan.keys, *child.schema.passing(self.names))), plan.aggregates)


@dataclass(frozen=True)
class _Slicing(PerPart):
    def depends(self, plan: Plan) -> bool:
        return tree.has_stream(plan)

    def source(self, plan: Plan) -> Plan:
        if not isinstance(plan, Stream):
            return super().source(plan)
        rows = Input(BasketRows(plan.name), (*plan.columns, *self.carried), plan.alias)
        (name,) = self.names
        carried = Named(name, scalar.column(f"{plan.alias}.{name}"), BIGINT)
        return Map(rows, (*rows.schema.passing(plan.schema.names), carried))
