"""µf(ωw(S))  =  ωw(µf(S))  (the second window rule): a map keeps each row's timestamp and number.

A partitioned row window needs its keys, under whatever name the map gives them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Map, Plan, Window
from datacell.algebra.schema import Named
from datacell.algebra.window import Rows, WindowSpec


def rewrite(node: Plan) -> Plan:
    match node:
        case Map(Window(child, window), columns):
            renamed = _renamed(window, columns)
            of_the_row = not any(scalar.reads_boundary(c.value) or scalar.outer_columns(c.value) for c in columns)
            if renamed is not None and of_the_row:
                return Window(Map(child, columns), renamed)
    return node


def _renamed(window: WindowSpec, columns: Sequence[Named]) -> WindowSpec | None:
    if not isinstance(window, Rows) or not window.partition:
        return window
    names = {c.value.name: c.name for c in columns if isinstance(c.value, exp.Column) and not scalar.is_outer(c.value)}
    if not all(key in names for key in window.partition):
        return None
    return replace(window, partition=tuple(names[key] for key in window.partition))
