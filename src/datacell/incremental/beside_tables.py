"""α(γk(A ⋈ T)) over slices of A, where T is a table that may be refreshed.

Slices never meet such a table: every boundary joins what it shows with the version that it sees. But rows of A that
agree in the columns by which A is joined, filtered, grouped and told apart meet the same rows of T. So each slice of A
is aggregated by these columns, and what is shown of A is joined and aggregated again.
"""

from __future__ import annotations

from collections.abc import Callable

from datacell.algebra import scalar
from datacell.algebra.plan import Aggregate, Filter, Group, Join, JoinKind, Map, Plan, Union
from datacell.incremental.decompose_aggregate import DecomposedAggregate
from datacell.incremental.flows import is_flow, is_static
from datacell.incremental.relations import Combination

_KEEPS_LEFT = (JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)
_KEEPS_RIGHT = (JoinKind.INNER, JoinKind.RIGHT)

Leaf = Callable[[Plan, Combination], Plan]
"""Makes what is shown of a flow's slices."""


def pieces_beside_tables(taken: DecomposedAggregate, child: Plan, leaf: Leaf) -> Plan | None:
    """The pieces of a decomposed aggregate over such a join; None if they would tell all rows apart, or are none."""
    path, flows = _path(child)
    partials = [p for found in taken.decompositions for p in found.partials]
    keys = (*taken.keys, *taken.values)
    if not path or not flows:
        return None
    names = frozenset(flows[0].schema.names)
    read = [e for node in path for e in node.expressions()] + [k.value for k in keys]
    needed = frozenset[str]().union(*map(scalar.columns, read)) & names
    if not needed or not all(scalar.columns(p.value) <= names for p in partials):
        return None

    def aggregated(flow: Plan) -> Plan:
        passing = flow.schema.passing([n for n in flow.schema.names if n in needed])
        combination = Combination(tuple(n.name for n in passing), taken.decompositions)
        return leaf(Aggregate(Group(flow, passing), tuple(partials)), combination)

    shown = [aggregated(flow) for flow in flows]
    joined = _rebuilt(path, shown[0] if len(shown) == 1 else Union(tuple(shown)))
    return Map(joined, (*keys, *joined.schema.passing([p.name for p in partials])))


def meets_table(plan: Plan) -> bool:
    """Is each row of it made of one row of a flow, and of rows of tables that may be refreshed?"""
    return bool(_path(plan)[1]) and not is_flow(plan)


def _path(plan: Plan) -> tuple[list[Plan], list[Plan]]:
    """Operators from the top down to flows of the same columns; maps that only pass columns on are left out."""
    path: list[Plan] = []
    while not is_flow(plan):
        match plan:
            case Union(inputs) if all(map(is_flow, inputs)):
                return path, list(inputs)
            case Map(child, columns) if all(c.passes_through for c in columns):
                plan = child
                continue
            case Filter(child) if not any(map(scalar.reads_boundary, plan.expressions())):
                below = child
            case Join(left, right, kind) if _meets_table(plan):
                below = left if kind in _KEEPS_LEFT and is_static(right) else right
            case _:
                return path, []
        path.append(plan)
        plan = below
    return path, [plan]


def _meets_table(join: Join) -> bool:
    """Is each row of one side joined with rows of tables, by itself?"""
    if any(map(scalar.reads_boundary, join.expressions())):
        return False
    keeps_left = join.kind in _KEEPS_LEFT and is_static(join.right) and not is_static(join.left)
    return keeps_left or (join.kind in _KEEPS_RIGHT and is_static(join.left) and not is_static(join.right))


def _rebuilt(path: list[Plan], shown: Plan) -> Plan:
    """The path over what is shown."""
    for node in reversed(path):
        match node:
            case Join(left, right):
                beside = left if is_static(left) else right
                shown = node.with_children([beside, shown] if beside is left else [shown, beside])
            case _:
                shown = node.with_children([shown])
    return shown
