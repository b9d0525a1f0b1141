"""σp(A ⋈ B)  =  σp(A) ⋈ B  where p reads only A, and likewise for B; what reads both joins the condition.

An outer join may only be filtered on the side that it preserves: a filter on the other side would let rows through that
it turns to NULL. A condition of the join itself that reads one side moves into that side, if the join does not have to
preserve it.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Filter, Join, JoinKind, Plan

_FILTER_LEFT = (JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)
_FILTER_RIGHT = (JoinKind.INNER, JoinKind.RIGHT)
_CONDITION_LEFT = (JoinKind.INNER, JoinKind.RIGHT, JoinKind.SEMI)
_CONDITION_RIGHT = (JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)


def rewrite(node: Plan) -> Plan:
    match node:
        case Filter(Join() as join, predicate):
            return _pushed(node, join, predicate)
        case Join(condition=exp.Expr()):
            return _own_condition(node)
    return node


def _pushed(node: Filter, join: Join, predicate: exp.Expr) -> Plan:
    if join.kind in _FILTER_LEFT and _reads_only(predicate, join.left):
        return replace(join, left=Filter(join.left, predicate))
    if join.kind in _FILTER_RIGHT and _reads_only(predicate, join.right):
        return replace(join, right=Filter(join.right, predicate))
    if join.kind is JoinKind.INNER:
        parts = [] if join.condition is None else list(scalar.conjuncts(join.condition))
        return replace(join, condition=scalar.conjoin([*parts, predicate]))
    return node


def _own_condition(join: Join) -> Plan:
    assert join.condition is not None
    left, right, rest = [], [], []
    for part in scalar.conjuncts(join.condition):
        if join.kind in _CONDITION_LEFT and _reads_only(part, join.left):
            left.append(part)
        elif join.kind in _CONDITION_RIGHT and _reads_only(part, join.right):
            right.append(part)
        else:
            rest.append(part)
    if not left and not right:
        return join
    return Join(
        Filter(join.left, scalar.conjoin(left)) if left else join.left,
        Filter(join.right, scalar.conjoin(right)) if right else join.right,
        join.kind,
        scalar.conjoin(rest) if rest else None,
    )


def _reads_only(predicate: exp.Expr, side: Plan) -> bool:
    read = scalar.columns(predicate)
    return bool(read) and read <= frozenset(side.schema.names)
