"""The events of an aggregate by parts, and the segments between them.

An event is a row that begins or ends, or an instant that cuts. Between two events of a key its value is the one after
the first of them. A row that begins adds to the front; a row that ends says what is left of the back. The total of a
block says so too, for the block after it; it changes no value, so no segment ends there.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.frames import after, among, so_far
from datacell.algebra.partial import formula
from datacell.algebra.plan import Aggregate, Distinct, Filter, Group, Input, Join, Map, Over, Plan
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT, BOOLEAN
from datacell.intervals.aggregate_columns import BLOCK, COUNT, AggregateSlot, Columns, back, null
from datacell.intervals.validity import AT, BEGINS, ENDS, FROM, TO, computed, condition, union

_CUTS, _SETS_BACK, _BACKS = "cuts′", "sets back′", "backs′"
"""Does a segment end at an event; does the event say what is left of the back; how many have said so up to it?"""

_LAST_CUT, _NEXT_CUT, _NEXT = "last cut′", "next cut′", "next′"


def events(columns: Columns) -> Plan:
    """The segments that are closed now, and those that stay open, whose end is NULL: as rows of the open segments."""
    listed = [_starts(columns), _ends(columns), _totals(columns), _open(columns), _cut_points(columns)]
    run = _run(columns, _instants(columns, union(listed)))
    fronts, backs = (
        tuple(Named(name(v.name), scalar.column(f"{v.name} {side}"), v.type) for v in columns.values)
        for side, name in (("front", str), ("left", back))
    )
    begins = computed(BEGINS, "CASE WHEN next IS NULL THEN last ELSE at END", next=_NEXT, last=_LAST_CUT, at=AT)
    place = run.schema.passing(columns.names)
    return Map(Filter(run, _is_segment()), (*place, *fronts, *backs, begins, computed(ENDS, "t", t=_NEXT_CUT)))


def _is_segment() -> exp.Expr:
    """Is a row valid after the event, and does a segment begin there, or does it stay open?"""
    front, left = (
        scalar.call("coalesce", scalar.column(f"{COUNT.name} {side}"), exp.Literal.number(0))
        for side in ("front", "left")
    )
    known = {"next": scalar.column(_NEXT), "next_cut": scalar.column(_NEXT_CUT), "cuts": scalar.column(_CUTS)}
    text = "front + rest > 0 AND (next IS NULL OR cuts AND NOT next_cut IS NULL)"
    return formula(text, front=front, rest=left, **known)


# Events in one form


def _starts(columns: Columns) -> Plan:
    rows = Input(AggregateSlot.STARTS, (*columns.partial, BLOCK))
    return _listed(columns, rows, FROM, fronts=_fronts(columns, rows))


def _ends(columns: Columns) -> Plan:
    rows = Input(AggregateSlot.ENDS, (*columns.ends, BLOCK))
    return _listed(columns, rows, TO, backs=_backs(columns, rows))


def _totals(columns: Columns) -> Plan:
    rows = Input(AggregateSlot.TOTALS, (*columns.totals, Field(AT, BIGINT)))
    return _listed(columns, rows, AT, backs=_backs(columns, rows), cuts=exp.false())


def _open(columns: Columns) -> Plan:
    rows = Input(AggregateSlot.OPEN, (*columns.open, BLOCK))
    return _listed(columns, rows, BEGINS, fronts=_fronts(columns, rows), backs=_backs(columns, rows))


def _cut_points(columns: Columns) -> Plan:
    """Instants that cut the segments of all keys, where nothing begins or ends."""
    cuts = Input(AggregateSlot.CUT_POINTS, (BLOCK, Field(AT, BIGINT)))
    if not columns.keys:
        return _listed(columns, cuts, AT)
    starts = Input(AggregateSlot.STARTS, (*columns.partial, BLOCK))
    segments = Input(AggregateSlot.OPEN, columns.open)
    keys = Distinct(union([Map(rows, rows.schema.passing(columns.names)) for rows in (starts, segments)]))
    return _listed(columns, Join(keys, cuts), AT)


def _listed(
    columns: Columns,
    rows: Plan,
    at: str,
    fronts: Sequence[Named] = (),
    backs: Sequence[Named] = (),
    cuts: exp.Expr | None = None,
) -> Plan:
    """Events of one kind: what they add to the front, and what they say of the back."""
    flags = (
        Named(_CUTS, exp.true() if cuts is None else cuts, BOOLEAN),
        Named(_SETS_BACK, exp.cast(exp.Literal.number(1 if backs else 0), "bigint"), BIGINT),
    )
    place = (*rows.schema.passing((*columns.names, BLOCK.name)), computed(AT, "t", t=at))
    no_fronts, no_backs = ([null(Field(name(v.name), v.type)) for v in columns.values] for name in (str, back))
    return Map(rows, (*place, *(fronts or no_fronts), *(backs or no_backs), *flags))


def _fronts(columns: Columns, rows: Plan) -> tuple[Named, ...]:
    return rows.schema.passing(v.name for v in columns.values)


def _backs(columns: Columns, rows: Plan) -> tuple[Named, ...]:
    return rows.schema.passing(back(v.name) for v in columns.values)


# Events in their order


def _instants(columns: Columns, listed: Plan) -> Plan:
    """Events of a key at the same instant as one."""
    flags = (
        Named(_CUTS, scalar.call("bool_or", scalar.column(_CUTS)), BOOLEAN),
        Named(_SETS_BACK, scalar.call("max", scalar.column(_SETS_BACK)), BIGINT),
    )
    backs = tuple(Named(back(v.name), columns.of_back(v), v.type) for v in columns.values)
    by = listed.schema.passing((*columns.names, BLOCK.name, AT))
    return Aggregate(Group(listed, by), (*columns.values, *backs, *flags))


def _run(columns: Columns, instants: Plan) -> Plan:
    """Each event with the front and what is left of the back after it, and with the events around it."""
    block = (*columns.names, BLOCK.name)
    fronts = tuple(Named(f"{v.name} front", so_far(v.value, block, (AT,)), v.type) for v in columns.values)
    said = Named(_BACKS, so_far(scalar.call("sum", scalar.column(_SETS_BACK)), block, (AT,)), BIGINT)
    run = Over(instants, (*fronts, said))
    lefts = tuple(Named(f"{v.name} left", among(columns.of_back(v), (*block, _BACKS)), v.type) for v in columns.values)
    cut = condition("CASE WHEN cuts THEN at END", cuts=_CUTS, at=AT)
    order = (AT, BLOCK.name)
    around = (
        Named(_LAST_CUT, so_far(scalar.call("max", cut), columns.names, order), BIGINT),
        Named(_NEXT_CUT, after(scalar.call("min", cut), columns.names, order), BIGINT),
        Named(_NEXT, after(scalar.call("min", scalar.column(AT)), columns.names, order), BIGINT),
    )
    return Over(Over(run, lefts), around)
