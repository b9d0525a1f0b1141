"""Why a plan is cut where it is."""

from __future__ import annotations

from datacell.algebra import scalar
from datacell.algebra.decompose import decompose
from datacell.algebra.plan import Aggregate, Distinct, Join, JoinKind, Order, Over, Plan, SetOperation
from datacell.incremental.flows import has_pairs


def of_each(flow: Plan) -> str:
    return "of pairs that are shown together" if has_pairs(flow) else "of each slice"


def needs(plan: Plan) -> str:
    """Why an operator needs the rows of the whole window; empty if it does not by itself."""
    if any(map(scalar.reads_boundary, plan.expressions())):
        return f"{plan.head().split(' ')[0]} reads window_end"
    match plan:
        case Join(kind=JoinKind.INNER):
            return "what they are joined with needs the whole window"
        case Join(kind=kind):
            article = "an" if kind is JoinKind.ANTI else "a"
            return f"whether {article} {kind.value} join finds a match depends on the whole window"
        case Over(functions=functions):
            return f"{scalar.show(functions[0].value.this)} over needs the whole window"
        case Order(keys=keys):
            return "the whole window is put in order" if keys else "which rows come first is asked of the whole window"
        case Distinct() | SetOperation():
            return f"{plan.head()} compares all rows of the window"
    return ""


def needs_rows(plan: Aggregate) -> str:
    names = [scalar.show(a.value) for a in plan.aggregates if decompose(a, plan.child.schema) is None]
    return f"{', '.join(names)} {'needs' if len(names) == 1 else 'need'} all rows" if names else ""
