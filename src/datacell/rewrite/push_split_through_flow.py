"""split(σp(A)) = σp(split(A)),  split(µf(A)) = µf(split(A)),  split(A ∪ B) = split(A) ∪ split(B).

Down to an operator with state, which then gives its results in pieces, and so earlier. Where there is none below, rows
are better split last: then there are fewer of them.
"""

from __future__ import annotations

from datacell.algebra import scalar
from datacell.algebra.plan import Filter, Map, Plan, SplitEvery, Stream, Table, Union, Values, Window, descendants

_STATELESS = (Filter, Map, Union, Window, Stream, Table, Values, SplitEvery)


def rewrite(node: Plan) -> Plan:
    match node:
        case SplitEvery(Filter() | Map() | Union() as child, length) if _has_state(child) and not _says_when(child):
            return child.with_children([SplitEvery(below, length) for below in child.children])
    return node


def _has_state(plan: Plan) -> bool:
    return not all(isinstance(node, _STATELESS) for node in descendants(plan))


def _says_when(plan: Plan) -> bool:
    """Does it read the validity of rows, which would be that of the pieces?"""
    return any(map(scalar.reads_boundary, plan.expressions()))
