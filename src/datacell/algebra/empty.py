"""What is left of a plan whose inputs have no rows.

The law: an operator over no rows gives none, with few exceptions: an aggregate without keys, outer and anti joins, set
operations. Whatever gives no rows is left out of a union, and with it all that it would have read.
"""

from __future__ import annotations

from collections.abc import Set

from datacell.algebra import tree
from datacell.algebra.plan import (
    Aggregate,
    Distinct,
    Filter,
    Group,
    Input,
    Join,
    JoinKind,
    Map,
    Order,
    Over,
    Plan,
    Unfold,
    Union,
)

_NEEDS_LEFT = (JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)
_NEEDS_RIGHT = (JoinKind.INNER, JoinKind.RIGHT, JoinKind.SEMI)


def without(plan: Plan, empty: Set[tree.Key]) -> Plan:
    """The plan where these inputs have no rows; it may still read some of them."""
    if isinstance(plan, Union):
        left = [without(child, empty) for child in plan.inputs if not _is_empty(child, empty)]
        return plan if not left else left[0] if len(left) == 1 else Union(tuple(left))
    return plan.with_children([without(child, empty) for child in plan.children])


def _is_empty(plan: Plan, empty: Set[tree.Key]) -> bool:
    """Does the plan certainly give no rows?"""
    match plan:
        case Input():
            return tree.key(plan) in empty
        case Filter() | Map() | Distinct() | Over() | Unfold() | Order() | Group() | Union():
            return all(_is_empty(child, empty) for child in plan.children)
        case Aggregate():
            return bool(plan.keys) and _is_empty(plan.child, empty)
        case Join(left, right, kind=kind):
            without_left = kind in _NEEDS_LEFT and _is_empty(left, empty)
            return without_left or (kind in _NEEDS_RIGHT and _is_empty(right, empty))
    return False
