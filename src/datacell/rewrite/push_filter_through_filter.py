"""σp(σq A)  =  σq(σp A)  where p goes on through A, or makes it stronger, and q does not."""

from __future__ import annotations

from datacell.algebra.plan import Filter, Plan
from datacell.rewrite import (
    push_filter_through_aggregate,
    push_filter_through_join,
    push_filter_through_map,
    push_filter_through_over,
    push_filter_through_set_operation,
    push_filter_through_union,
    push_filter_through_window,
    strengthen_outer_join,
)

_FURTHER = (
    push_filter_through_aggregate,
    push_filter_through_join,
    push_filter_through_map,
    push_filter_through_over,
    push_filter_through_set_operation,
    push_filter_through_union,
    push_filter_through_window,
    strengthen_outer_join,
)


def rewrite(node: Plan) -> Plan:
    match node:
        case Filter(Filter(child, inner), outer):
            alone = Filter(child, outer)
            further = _further(alone)
            return node if further is alone else Filter(further, inner)
    return node


def _further(alone: Filter) -> Plan:
    if isinstance(alone.child, Filter):
        return rewrite(alone)
    return next((new for rule in _FURTHER if (new := rule.rewrite(alone)) is not alone), alone)
