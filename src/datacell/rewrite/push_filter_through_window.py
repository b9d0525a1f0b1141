"""σp(ωw(S))  =  ωw(σp(S))  for time windows (the first window rule of the temporal algebra).

Not for row windows, which count rows, and not for those that go by other rows of the same key: windows come before
filters. Not where p reads the boundary or a row of an
enclosing query, which are no properties of a row.
"""

from __future__ import annotations

from datacell.algebra import scalar
from datacell.algebra.plan import Filter, Plan, Window
from datacell.algebra.window import counts_rows, is_keyed


def rewrite(node: Plan) -> Plan:
    match node:
        case Filter(Window(child, window), predicate):
            of_the_row = not scalar.reads_boundary(predicate) and not scalar.outer_columns(predicate)
            if of_the_row and not counts_rows(window) and not is_keyed(window):
                return Window(Filter(child, predicate), window)
    return node
