"""σ(p ∧ q)  =  σp(σq): a filter per condition, so that each can be pushed as far as it goes."""

from __future__ import annotations

from datacell.algebra import scalar
from datacell.algebra.plan import Filter, Plan


def rewrite(node: Plan) -> Plan:
    if not isinstance(node, Filter):
        return node
    first, *rest = scalar.conjuncts(node.predicate)
    if not rest:
        return node
    split: Plan = Filter(node.child, first.copy())
    for part in rest:
        split = Filter(split, part.copy())
    return split
