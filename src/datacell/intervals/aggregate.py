"""α decomposed, over rows that end in the order in which they began: two-stack aggregation of validities.

Time is cut into blocks as long as the window (`algebra.blocks`); a row belongs to the block in which it begins. Under
RANGE, what is valid at t is the rows of its own block that have begun and those of the block before that have not
ended::

    value(t)  =  back(t) ∘ front(t)        front: a prefix of the present block
                                           back: a suffix of the block before

Both only ever combine, nothing is subtracted. `suffixes` gives for each row of a closed block what is left of the block
when the row has ended; then a row costs its place in one list of events (`aggregate_events`), whatever the window
holds. Under FIXED and NOW, and under UNBOUNDED, whose only block never ends, the whole block ends at once and there is
no back.
"""

from __future__ import annotations

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.carry import where_found
from datacell.algebra.combining import folded
from datacell.algebra.frames import after
from datacell.algebra.plan import Aggregate, Group, Input, Map, Over, Plan, Union
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT, BOOLEAN
from datacell.intervals.aggregate_columns import BLOCK, COUNT, AggregateSlot, Columns, back, null
from datacell.intervals.validity import BEGINS, ENDS, FROM, TO, VALIDITY, computed

_FOUND = "found′"


def partials(columns: Columns) -> Plan:
    """Rows, and rows that are only present, as partial rows."""
    found = Named(_FOUND, exp.true(), BOOLEAN)
    rows = Input(AggregateSlot.ROWS, (*columns.rows, *VALIDITY))
    marked: Plan = Map(rows, (*rows.schema.passing(), found))
    partial = [p for part in columns.aggregates for p in part.partials]
    if not columns.keys:
        present = Input(AggregateSlot.PRESENT, VALIDITY)
        nothing = (null(f) for f in columns.rows)
        marked = Union((marked, Map(present, (*nothing, *present.schema.passing(), null(found.field)))))
        partial = [Named(p.name, where_found(_FOUND, p.value), p.type) for p in partial]
    grouped = Group(marked, (*columns.keys, *marked.schema.passing((FROM, TO))))
    made = Aggregate(grouped, (*partial, COUNT))
    return Map(made, made.schema.passing([f.name for f in columns.partial]))


def suffixes(columns: Columns) -> Plan:
    """For each partial row of closed blocks what is left of its block when it has ended."""
    rows = Input(AggregateSlot.CLOSED_BLOCKS, (*columns.partial, BLOCK))
    by = (*columns.names, BLOCK.name)
    left = Over(rows, tuple(Named(back(v.name), after(v.value, by, (FROM,)), v.type) for v in columns.values))
    return Map(left, left.schema.passing([f.name for f in columns.ends]))


def totals(columns: Columns) -> Plan:
    """The whole of each closed block."""
    rows = Input(AggregateSlot.CLOSED_BLOCKS, (*columns.partial, BLOCK))
    by = (*columns.names, BLOCK.name)
    timeless = Map(rows, rows.schema.passing((*by, *(v.name for v in columns.values))))
    whole = folded(timeless, by, columns.decompositions)
    backs = (Named(back(v.name), scalar.column(v.name), v.type) for v in columns.values)
    return Map(whole, (*whole.schema.passing(columns.names), *backs, *whole.schema.passing([BLOCK.name])))


def finished(columns: Columns) -> Plan:
    """The values of closed segments: what is valid in them by front and back, combined."""
    rows = Input(AggregateSlot.CLOSED, (*columns.open, Field(ENDS, BIGINT)))
    by = (*columns.names, BEGINS, ENDS)
    place = rows.schema.passing(by)
    fronts = Map(rows, (*place, *rows.schema.passing(v.name for v in columns.values)))
    backs = Map(rows, (*place, *(Named(v.name, scalar.column(back(v.name)), v.type) for v in columns.values)))
    whole = folded(Union((fronts, backs)), by, columns.decompositions)
    results = tuple(p.finish for p in columns.aggregates)
    validity = computed(FROM, "a", a=BEGINS), computed(TO, "b", b=ENDS)
    return Map(whole, (*whole.schema.passing(columns.names), *results, *validity))
