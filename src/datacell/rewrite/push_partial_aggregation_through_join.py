"""α(γk(A ⋈ B))  =  finish(combine(γk(partial(γ(k, j) A) ⋈ B)))  where the aggregates read only A.

j are A's join columns. Rows of A that agree in its keys and in j meet the same rows of B, so they can be aggregated
before. Each then counts once per partner, exactly as its rows would have. Inner joins only.
"""

from __future__ import annotations

from dataclasses import replace

from datacell.algebra import scalar
from datacell.algebra.decompose import decompose_all
from datacell.algebra.plan import Aggregate, Group, Join, JoinKind, Map, Plan
from datacell.algebra.schema import Named


def rewrite(node: Plan) -> Plan:
    match node:
        case Aggregate(Group(child, keys), aggregates) if aggregates:
            join = _unnarrowed(child)
            if isinstance(join, Join) and join.kind is JoinKind.INNER and join.condition:
                return _pushed(join, keys, aggregates) or node
    return node


def _unnarrowed(plan: Plan) -> Plan:
    """Without a map that only leaves columns out."""
    return plan.child if isinstance(plan, Map) and all(c.passes_through for c in plan.columns) else plan


def _pushed(join: Join, keys: tuple[Named, ...], aggregates: tuple[Named, ...]) -> Plan | None:
    found = decompose_all(aggregates)
    read = frozenset[str]().union(*(scalar.columns(a.value) for a in aggregates))
    side = next((s for s in (join.left, join.right) if read <= frozenset(s.schema.names)), None)
    if found is None or side is None or _is_aggregated(side):
        return None
    mine = frozenset(side.schema.names)
    own = [k for k in keys if scalar.columns(k.value) and scalar.columns(k.value) <= mine]
    if any(k not in own and scalar.columns(k.value) & mine for k in keys):
        return None
    assert join.condition is not None
    names = {k.name for k in own}
    joining = [n for n in side.schema.names if n in scalar.columns(join.condition) and n not in names]
    partial = Aggregate(
        Group(side, (*own, *side.schema.passing(joining))), tuple(p for one in found for p in one.partials)
    )
    other = join.right if side is join.left else join.left
    if any(k.name in mine and not k.passes_through for k in own) or set(partial.schema.names) & set(other.schema.names):
        return None
    joined = replace(join, left=partial) if side is join.left else replace(join, right=partial)
    grouping = tuple(partial.schema.passing([k.name])[0] if k in own else k for k in keys)
    whole = Aggregate(Group(joined, grouping), tuple(c for one in found for c in one.combined))
    return Map(whole, (*whole.schema.passing([k.name for k in keys]), *(one.finish for one in found)))


def _is_aggregated(plan: Plan) -> bool:
    return _is_aggregated(plan.child) if isinstance(plan, Map) else isinstance(plan, Aggregate)
