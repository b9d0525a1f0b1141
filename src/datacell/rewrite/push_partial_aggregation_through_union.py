"""α(γk(A ∪ B))  =  finish(combine(γk(partial(A) ∪ partial(B)))): each input is aggregated before they meet."""

from __future__ import annotations

from datacell.algebra.decompose import decompose_all
from datacell.algebra.plan import Aggregate, Group, Map, Plan, Union


def rewrite(node: Plan) -> Plan:
    match node:
        case Aggregate(Group(Union(inputs)) | Union(inputs), aggregates) if not any(map(_is_aggregated, inputs)):
            found = decompose_all(aggregates)
            if found is None:
                return node
            partials = tuple(p for one in found for p in one.partials)
            pieces = Union(tuple(Aggregate(Group(i, node.keys) if node.keys else i, partials) for i in inputs))
            keys = pieces.schema.passing([k.name for k in node.keys])
            combined = tuple(c for one in found for c in one.combined)
            whole = Aggregate(Group(pieces, keys) if keys else pieces, combined)
            return Map(whole, (*keys, *(one.finish for one in found)))
    return node


def _is_aggregated(plan: Plan) -> bool:
    while isinstance(plan, Map):
        plan = plan.child
    return isinstance(plan, Aggregate)
