"""op(α(A))  =  op(coal(α(A))): where results that are cut at every change of their input go into a further operator.

An aggregate that often keeps its value gives the operator above it fewer rows if equal ones are joined first. Nobody
can tell beforehand how often that is, so it is done while it is seen to be worth it. Only at every instant: at a
boundary there is nothing to be joined.
"""

from __future__ import annotations

from datacell.algebra import tree
from datacell.algebra.plan import (
    Aggregate,
    Coalesce,
    Coalescing,
    Filter,
    Group,
    Join,
    Map,
    Over,
    Plan,
    SetOperation,
    Union,
)
from datacell.algebra.window import is_sampled


def rewrite(plan: Plan) -> Plan:
    windows = tree.windows(plan)
    if not windows or any(is_sampled(w.window) for w in windows):
        return plan
    return tree.transform_up(plan, _over_fewer)


def _over_fewer(node: Plan) -> Plan:
    match node:
        case Join(left, right) if not tree.is_static(left) and not tree.is_static(right):
            return node.with_children(list(map(_fewer, node.children)))
        case Aggregate(Group(child) as group, aggregates=(_, *_)):
            return node.with_children([group.with_children([_fewer(child)])])
        case Aggregate(aggregates=(_, *_)) | SetOperation() | Over():
            return node.with_children(list(map(_fewer, node.children)))
    return node


def _fewer(plan: Plan) -> Plan:
    return Coalesce(plan, Coalescing.WHILE_WORTH_IT) if _is_cut(plan) else plan


def _is_cut(plan: Plan) -> bool:
    match plan:
        case Filter(child) | Map(child):
            return _is_cut(child)
        case Union(inputs):
            return any(map(_is_cut, inputs))
    return tree.is_swept(plan)
