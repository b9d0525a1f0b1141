"""Metered plans: an aggregate of rows as they come that also tells how many came, in which slices, and how late it is.

A filter below the aggregate becomes a mark: rows that do not pass have no keys, so they make one group for each slice
beside the groups of those that pass. Each group counts its rows and knows its latest time. Rows that may not enter the
stream at all have no slice. So one aggregate answers and counts, at hardly more than it costs to answer.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Aggregate, Filter, Group, Input, Map, Plan
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT, BOOLEAN
from datacell.incremental.inputs import TIME, BasketRows
from datacell.incremental.relations import SLICE

PASSES, COUNT, LATEST = "passes′", "count′", "latest′"
"""Columns: of the input, whether a row may enter; of the answer, of which rows a group is, and of how many, up to
when."""


def metered(plan: Plan) -> Plan | None:
    """The plan with what is counted beside it; None if it is no aggregate of rows as they come."""
    if not isinstance(plan, Aggregate) or not isinstance(plan.child, Group):
        return None
    below = _marked(plan.child.child)
    if below is None:
        return None
    keys = [k if k.name == SLICE else replace(k, value=_if_passes(k.value)) for k in plan.keys]
    mark = Named(PASSES, scalar.column(PASSES), BOOLEAN)
    counted = Named(COUNT, scalar.call("count", exp.Star()), BIGINT)
    latest = Named(LATEST, scalar.call("max", scalar.column(TIME)), BIGINT)
    return Aggregate(Group(below, (*keys, mark)), (*plan.aggregates, counted, latest))


def _marked(plan: Plan) -> Plan | None:
    """The rows of a plan and those that its filters leave out, each with its mark and its time."""
    match plan:
        case Input(BasketRows() as slot, columns, alias):
            rows = Input(slot, (*columns, Field(PASSES, BOOLEAN), Field(TIME, BIGINT)), alias)
            own, (mark, time) = rows.schema.names[:-2], rows.schema.names[-2:]
            given = (Named(PASSES, scalar.column(mark), BOOLEAN), Named(TIME, scalar.column(time), BIGINT))
            return Map(rows, (*rows.schema.passing(own), *given))
        case Map(child, columns):
            below = _marked(child)
            return None if below is None else Map(below, (*columns, *below.schema.passing((PASSES, TIME))))
        case Filter(child, predicate):
            below = _marked(child)
            if below is None:
                return None
            others = [name for name in below.schema.names if name != PASSES]
            holds = scalar.call("coalesce", predicate, exp.false())
            both = scalar.conjoin([scalar.column(PASSES), holds])
            return Map(below, (*below.schema.passing(others), Named(PASSES, both, BOOLEAN)))
    return None


def _if_passes(value: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=scalar.column(PASSES), true=value.copy())])
