"""split: rows in pieces, cut at every multiple of a length.

A piece is there once time has come to its beginning, so rows without end are cut as time goes on.
"""

from __future__ import annotations

from collections.abc import Sequence

from datacell.algebra.plan import Input, Join, Map, Plan
from datacell.algebra.schema import Field
from datacell.algebra.types import BIGINT
from datacell.intervals.flow import NamedSlot
from datacell.intervals.validity import AT, FROM, TO, VALIDITY, call, computed, condition, union

UNTIL = "until′"
"""Where the piece that begins here ends at the latest: at the next cut point."""


class Rows(NamedSlot):
    """New rows, each with its first cut point; all live rows; and the cut points that have come."""

    NEW = "new rows"
    LIVE = "live rows"
    CUT_POINTS = "cut points"


def pieces(columns: Sequence[Field]) -> Plan:
    """The first pieces of new rows, and the pieces of all rows that begin at the cut points."""
    names = [f.name for f in columns]
    new = Input(Rows.NEW, (*columns, *VALIDITY, Field(UNTIL, BIGINT)))
    first = Map(new, (*new.schema.passing((*names, FROM)), call(TO, "least", TO, UNTIL)))
    cuts = Input(Rows.CUT_POINTS, (Field(AT, BIGINT), Field(UNTIL, BIGINT)))
    inside = condition("f < a AND a < t", f=FROM, a=AT, t=TO)
    cut = Join(Input(Rows.LIVE, (*columns, *VALIDITY)), cuts, condition=inside)
    later = Map(cut, (*cut.schema.passing(names), computed(FROM, "a", a=AT), call(TO, "least", TO, UNTIL)))
    return union([first, later])
