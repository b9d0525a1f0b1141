"""σp(A ∪ B)  =  σp(A) ∪ σp(B)."""

from __future__ import annotations

from datacell.algebra.plan import Filter, Plan, Union


def rewrite(node: Plan) -> Plan:
    match node:
        case Filter(Union(inputs), predicate):
            return Union(tuple(Filter(i, predicate) for i in inputs))
    return node
