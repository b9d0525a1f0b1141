"""γk(ωw(S))  =  ωw(γk(S))  (the third window rule): each group gets the window of the whole.

For row windows too: γ only says which rows belong together, it takes none away.
"""

from __future__ import annotations

from datacell.algebra import scalar
from datacell.algebra.plan import Group, Plan, Window


def rewrite(node: Plan) -> Plan:
    match node:
        case Group(Window(child, window), keys):
            if not any(scalar.reads_boundary(k.value) or scalar.outer_columns(k.value) for k in keys):
                return Window(Group(child, keys), window)
    return node
