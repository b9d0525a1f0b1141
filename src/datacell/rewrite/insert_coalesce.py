"""α(A) ⋈ B  =  coal(α(A)) ⋈ B: an aggregate that often keeps its value meets fewer rows if equal ones are joined first.

Only at every instant: at a boundary there is nothing to be joined. Not always better, because a row then waits for what
it could be joined with.
"""

from __future__ import annotations

from datacell.algebra import tree
from datacell.algebra.plan import Aggregate, Coalesce, Filter, Join, Map, Plan
from datacell.algebra.window import is_sampled


def rewrite(node: Plan) -> Plan:
    match node:
        case Join():
            return node.with_children([Coalesce(c) if _is_aggregated(c) else c for c in node.children])
    return node


def _is_aggregated(plan: Plan) -> bool:
    match plan:
        case Filter(child) | Map(child):
            return _is_aggregated(child)
        case Aggregate():
            windows = tree.windows(plan)
            return bool(windows) and not any(is_sampled(w.window) for w in windows)
    return False
