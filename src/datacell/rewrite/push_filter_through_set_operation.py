"""σp(δA) = δ(σp A), and σp(A op B) = σp(A) op σp(B) for difference, strict difference, intersection and max-union.

Rows with equal values satisfy p together, so filtering does not change which rows meet.
"""

from __future__ import annotations

from datacell.algebra.plan import Distinct, Filter, Plan, SetOperation


def rewrite(node: Plan) -> Plan:
    match node:
        case Filter(Distinct(child), predicate):
            return Distinct(Filter(child, predicate))
        case Filter(SetOperation(left, right) as operation, predicate):
            return type(operation)(Filter(left, predicate), Filter(right, predicate))
    return node
