"""σp(µf)  =  µf(σ p∘f): a filter on computed columns reads what they are computed from."""

from __future__ import annotations

from datacell.algebra import scalar
from datacell.algebra.plan import Filter, Map, Plan


def rewrite(node: Plan) -> Plan:
    match node:
        case Filter(Map(child, columns), predicate):
            values = {c.name: c.value for c in columns}
            return Map(Filter(child, scalar.substitute(predicate, values)), columns)
    return node
