"""σp(coal(A))  =  coal(σp(A)): what is dropped need not wait for what it could be joined with."""

from __future__ import annotations

from datacell.algebra.plan import Coalesce, Filter, Plan


def rewrite(node: Plan) -> Plan:
    match node:
        case Filter(Coalesce(child) as coalesce, predicate):
            return coalesce.with_children([Filter(child, predicate)])
    return node
