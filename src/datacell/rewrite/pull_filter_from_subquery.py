"""apply(A, σp(B))  =  A ⋈p B  where B reads no outer row: what is left of the subquery is a join condition.

The cheap way to unnest: no table of A's values is needed. Maps between are kept, with the columns that p reads.
"""

from __future__ import annotations

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Apply, Filter, Join, Map, Plan

Pulled = tuple[Plan, list[exp.Expr]]
"""A plan that reads no outer row, and the conditions that do."""


def rewrite(node: Plan) -> Plan:
    if not isinstance(node, Apply) or not node.correlation:
        return node
    pulled = _pulled(node.right, frozenset(node.correlation))
    return node if pulled is None else _joined(node, *pulled)


def _joined(node: Apply, right: Plan, conditions: list[exp.Expr]) -> Plan:
    mine = {name: scalar.column(name) for name in node.correlation}
    own = [] if node.condition is None else list(scalar.conjuncts(node.condition))
    condition = scalar.conjoin([*own, *(scalar.substitute_outer(c, mine) for c in conditions)])
    joined = Join(node.left, right, node.kind, condition)
    return joined if joined.schema == node.schema else Map(joined, joined.schema.passing(node.schema.names))


def _pulled(plan: Plan, outer: frozenset[str]) -> Pulled | None:
    if not plan.outer & outer:
        return plan, []
    match plan:
        case Filter(child, predicate):
            return _from_filter(_pulled(child, outer), predicate, outer)
        case Map(child) if not any(scalar.outer_columns(e) & outer for e in plan.expressions()):
            return _from_map(_pulled(child, outer), plan)
    return None


def _from_filter(below: Pulled | None, predicate: exp.Expr, outer: frozenset[str]) -> Pulled | None:
    if below is None:
        return None
    plan, conditions = below
    parts = list(scalar.conjuncts(predicate))
    staying = [p for p in parts if not scalar.outer_columns(p) & outer]
    pulled = [p for p in parts if scalar.outer_columns(p) & outer]
    return Filter(plan, scalar.conjoin(staying)) if staying else plan, [*conditions, *pulled]


def _from_map(below: Pulled | None, above: Map) -> Pulled | None:
    if below is None:
        return None
    plan, conditions = below
    read = frozenset[str]().union(*map(scalar.columns, conditions))
    if any(c.name in read and not c.passes_through for c in above.columns):
        return None
    added = [n for n in plan.schema.names if n in read and n not in above.schema]
    return Map(plan, (*above.columns, *plan.schema.passing(added))), conditions
