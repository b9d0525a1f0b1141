"""µf(ωw(S))  =  ωw(µf(S))  (the second window rule): a map keeps each row's timestamp and number.

A window that goes by columns needs them, under whatever name the map gives them.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Map, Plan, Window
from datacell.algebra.schema import Named
from datacell.algebra.window import WindowSpec, columns_read, renamed


def rewrite(node: Plan) -> Plan:
    match node:
        case Map(Window(child, window), columns):
            renamed = _renamed(window, columns)
            of_the_row = not any(scalar.reads_boundary(c.value) or scalar.outer_columns(c.value) for c in columns)
            if renamed is not None and of_the_row:
                return Window(Map(child, columns), renamed)
    return node


def _renamed(window: WindowSpec, columns: Sequence[Named]) -> WindowSpec | None:
    if not columns_read(window):
        return window
    names = {c.value.name: c.name for c in columns if isinstance(c.value, exp.Column) and not scalar.is_outer(c.value)}
    return renamed(window, names) if all(name in names for name in columns_read(window)) else None
