"""µ(A ∪ B) = µA ∪ µB, and (A ∪ B) ⋈ C = (A ⋈ C) ∪ (B ⋈ C): what is done row by row goes into the slices of each input.

Only unions that are no flow themselves need it: those of different streams, or under different windows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from datacell.algebra import scalar, tree
from datacell.algebra.plan import Filter, Join, JoinKind, Map, Plan, Union
from datacell.incremental.flows import is_flow, is_static, stays

_EACH_LEFT = (JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)
_EACH_RIGHT = (JoinKind.INNER, JoinKind.RIGHT)


def raised_unions(plan: Plan) -> Plan:
    """The plan with such unions above all that can be done to each of their inputs."""
    return tree.transform_up(plan, _raised)


def _raised(plan: Plan) -> Plan:
    if any(map(scalar.reads_boundary, plan.expressions())):
        return plan
    match plan:
        case Map(Union() as union) | Filter(Union() as union) if _is_cut(union):
            return _each(union, lambda i: replace(plan, child=i))
        case Join(Union() as union, right, kind) if kind in _EACH_LEFT and _is_cut(union) and _may_meet(right, kind):
            return _each(union, lambda i: replace(plan, left=i))
        case Join(left, Union() as union, kind) if kind in _EACH_RIGHT and _is_cut(union) and _may_meet(left, kind):
            return _each(union, lambda i: replace(plan, right=i))
    return plan


def _is_cut(union: Union) -> bool:
    return not is_flow(union) and all(is_flow(i) or is_static(i) for i in union.inputs)


def _may_meet(other: Plan, kind: JoinKind) -> bool:
    return (is_static(other) and stays(other)) or (kind is JoinKind.INNER and is_flow(other))


def _each(union: Union, change: Callable[[Plan], Plan]) -> Plan:
    changed = [_raised(change(i)) for i in union.inputs]
    return Union(tuple(piece for c in changed for piece in (c.inputs if isinstance(c, Union) else (c,))))
