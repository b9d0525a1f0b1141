"""What a flow makes of the rows of one window alone. That needs no state, so it can be made wherever the rows are.

The law: every row of a flow comes of one row of one of its leaves. So a flow is the union of what it makes of each
leaf, and what it makes of one of them is the flow without the others. Until when a row is valid follows from when it
begins: that is left out.
"""

from __future__ import annotations

from dataclasses import replace

from datacell.algebra import scalar
from datacell.algebra.plan import Distinct, Filter, Input, Join, Map, Plan, Slot, Unfold, Union
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT
from datacell.errors import PlanError
from datacell.intervals.flow import Flow, Presence, WindowRows
from datacell.intervals.validity import TO, VALIDITY, union


def of_window(flow: Flow, leaf: WindowRows, rows: Slot, time: str) -> Plan:
    """The plan over `rows`, each of which has its time in a column of that name; its own rows tell when they begin."""

    def only(plan: Plan) -> Plan:
        match plan:
            case Input(_, columns, alias):
                own = tuple(c for c in columns if c not in VALIDITY)
                found = Input(rows, (*own, Field(time, BIGINT)), alias)
                *names, at = found.schema.names
                begins = Named(plan.schema.names[len(own)], scalar.column(at), BIGINT)
                return Map(found, (*found.schema.passing(names), begins))
            case Map(child, columns):
                return Map(only(child), tuple(c for c in columns if c.name != TO))
            case Filter(child) | Unfold(child):
                return plan.with_children([only(child)])
            case Union(inputs):
                return union([only(i) for i in inputs if leaf in Flow(i).leaves])
            case Join(left, right):
                is_left = leaf in Flow(left).leaves
                return replace(plan, left=only(left)) if is_left else replace(plan, right=only(right))
        raise PlanError(f"{plan.head()} in a flow")

    plan = only(flow.plan)
    return Distinct(plan) if isinstance(flow, Presence) else plan
