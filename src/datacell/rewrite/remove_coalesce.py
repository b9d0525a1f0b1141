"""coal(coal(A)) = coal(A),  coal(split(A)) = coal(A),  δ(coal(A)) = δ(split(A)) = δ(A),  split(split(A)) = split(A).

What comes last decides how validities are cut. Of two splits one is enough if it cuts wherever the other does.
"""

from __future__ import annotations

from datacell.algebra.plan import Coalesce, Coalescing, Distinct, Plan, SplitEvery


def rewrite(node: Plan) -> Plan:
    match node:
        case Coalesce(Coalesce(child) | SplitEvery(child), Coalescing.ALWAYS):
            return Coalesce(child)
        case Distinct(Coalesce(child) | SplitEvery(child)):
            return Distinct(child)
        case SplitEvery(SplitEvery(child, inner), outer) if inner % outer == 0:
            return SplitEvery(child, outer)
    return node
