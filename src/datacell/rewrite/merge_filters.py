"""σp(σq)  =  σ(q ∧ p): neighbouring filters become one."""

from __future__ import annotations

from datacell.algebra import scalar
from datacell.algebra.plan import Filter, Plan


def rewrite(node: Plan) -> Plan:
    match node:
        case Filter(Filter(child, inner), outer):
            return Filter(child, scalar.conjoin([*scalar.conjuncts(inner), *scalar.conjuncts(outer)]))
    return node
