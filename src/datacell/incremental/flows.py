"""Flows: what may be done slice by slice, or pair by pair, because its results are just put together."""

from __future__ import annotations

from datacell.algebra import scalar, tree
from datacell.algebra.plan import Filter, Join, JoinKind, Map, Plan, Unfold, Union, Window
from datacell.algebra.window import Rows


def is_flow(plan: Plan) -> bool:
    """Is the plan done row by row, or pair by pair, so that slices can be concatenated?"""
    if any(map(scalar.reads_boundary, plan.expressions())):
        return False
    match plan:
        case Window(_, window):
            return not (isinstance(window, Rows) and window.partition)
        case Filter(child) | Map(child) | Unfold(child):
            return is_flow(child)
        case Join(left, right, kind):
            if is_static(right):
                return stays(right) and is_flow(left) and kind not in (JoinKind.RIGHT, JoinKind.FULL)
            if is_static(left):
                return stays(left) and is_flow(right) and kind in (JoinKind.INNER, JoinKind.RIGHT)
            return kind is JoinKind.INNER and is_flow(left) and is_flow(right)
        case Union(inputs):
            return all(map(is_flow, inputs)) and _is_single(plan)
    return False


def _is_single(plan: Plan) -> bool:
    """Is a flow one over one stream under one window?"""
    return len({(tree.stream_of(w), w.window) for w in tree.windows(plan)}) == 1 and not has_pairs(plan)


def is_static(plan: Plan) -> bool:
    return not tree.has_stream(plan) and not tree.reads_boundary(plan)


def stays(static: Plan) -> bool:
    """Are the rows of a plan over tables the same at every boundary?

    Of tables that may be refreshed they are not, so no slice may have been joined with them.
    """
    return not tree.may_be_refreshed(static)


def is_pair(plan: Plan) -> bool:
    return isinstance(plan, Join) and not is_static(plan.left) and not is_static(plan.right)


def has_pairs(plan: Plan) -> bool:
    return any(map(is_pair, tree.descendants(plan)))
