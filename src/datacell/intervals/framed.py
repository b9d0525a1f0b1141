"""α of what does not add up, over rows that end in the order in which they began.

Such rows of one group, in the order of time, are a list of which every snapshot is a *frame*: neighbours from the first
that has not ended to the last that has begun. Under RANGE r that is what began in (t - r, t], under FIXED r what began
in the present multiple of r, under NOW what begins at t, under UNBOUNDED all that has begun.

The operator says what is wanted in each segment, not how. There are two ways:

- by *frames*: an engine that slides over sorted rows, and keeps what it has sorted, takes n log n steps, however much a
  window holds;
- by *pairs*: every segment with every row that is valid in it, grouped by the segment.

Placement chooses, because not every engine knows how to slide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.carry import same_value, where_found
from datacell.algebra.frames import among
from datacell.algebra.plan import Aggregate, Filter, Group, Input, Join, JoinKind, Map, Over, Plan, Spread
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.types import BIGINT, BOOLEAN
from datacell.algebra.window import Fixed, Now, Range, WindowSpec
from datacell.intervals.aggregate_columns import null
from datacell.intervals.sweep import Side, Swept, key_name
from datacell.intervals.validity import AT, BEGINS, ENDS, FROM, TO, computed, condition, union

FOUND, _BLOCK = "found′", "block′"
"""Columns: is this a row, and not the beginning of a segment; the multiple of a length in which something begins."""

Agreed = Callable[[Plan], bool]
"""Do all engines agree on what a plan gives?"""


class Way(Enum):
    """How the rows of a segment are found."""

    FRAMES = "by frames"
    PAIRS = "by pairs"


@dataclass(frozen=True)
class Framed(Plan):
    """Aggregates of the rows that are valid in each segment, by keys."""

    rows: Plan
    segments: Plan
    keys: tuple[Named, ...]
    aggregates: tuple[Named, ...]
    window: WindowSpec

    @cached_property
    def schema(self) -> Schema:
        fields = (c.field for c in (*self.keys, *self.aggregates))
        return Schema((*fields, Field(FROM, BIGINT), Field(TO, BIGINT)))

    def head(self) -> str:
        return f"in each segment {', '.join(map(str, self.aggregates))}"


def framed(plan: Aggregate, side: Side, window: WindowSpec, agreed: Agreed) -> Plan:
    """The aggregate in each of the segments; what only one engine computes is computed apart, and joined."""
    segments = Input(Swept.SEGMENTS, (*_named(plan.keys), Field(BEGINS, BIGINT), Field(ENDS, BIGINT)))

    def part(aggregates: Sequence[Named]) -> Framed:
        return Framed(side.rows(), segments, plan.keys, tuple(aggregates), window)

    everywhere = [a for a in plan.aggregates if agreed(by_frames(part([a])))]
    others = [a for a in plan.aggregates if a not in everywhere]
    if not (everywhere and others):
        return part(plan.aggregates)
    left, right = part(everywhere), part(others)
    renamed = {k.name: key_name(i) for i, k in enumerate(plan.keys)} | {FROM: BEGINS, TO: ENDS}
    beside = Map(right, tuple(Named(renamed.get(c.name, c.name), c.value, c.type) for c in right.schema.passing()))
    same = [same_value(scalar.column(own), scalar.column(other)) for own, other in renamed.items()]
    joined = Join(left, beside, condition=scalar.conjoin(same))
    return Map(joined, joined.schema.passing((*plan.schema.names, FROM, TO)))


def in_way(node: Framed, way: Way) -> Plan:
    """The operator in relational terms."""
    return by_frames(node) if way is Way.FRAMES else _by_pairs(node)


def by_frames(node: Framed) -> Plan:
    """Beginnings of segments stand among the rows, and look back."""
    own = [f for f in node.rows.schema.fields if f.name not in (FROM, TO)]
    named = [key_name(i) for i in range(len(node.keys))]
    block = _block(node.window)
    rows = Map(
        node.rows,
        (
            *node.rows.schema.passing(f.name for f in own),
            *(Named(n, k.value, k.type) for n, k in zip(named, node.keys, strict=True)),
            computed(AT, "t", t=FROM),
            *(block(FROM) if block else ()),
            Named(FOUND, exp.true(), BOOLEAN),
            null(Field(ENDS, BIGINT)),
        ),
    )
    beginnings = Map(
        node.segments,
        (
            *map(null, own),
            *node.segments.schema.passing(named),
            computed(AT, "t", t=BEGINS),
            *(block(BEGINS) if block else ()),
            null(Field(FOUND, BOOLEAN)),
            *node.segments.schema.passing([ENDS]),
        ),
    )
    partition = (*named, *([_BLOCK] if block else []))
    values = (Named(a.name, _look_back(a.value, partition, node.window), a.type) for a in node.aggregates)
    looked = Over(union([rows, beginnings]), tuple(values))
    is_beginning = exp.Is(this=scalar.column(FOUND), expression=exp.Null())
    return _finished(node, Filter(looked, is_beginning), named, AT)


def _by_pairs(node: Framed) -> Plan:
    named = [key_name(i) for i in range(len(node.keys))]
    same = [same_value(k.value.copy(), scalar.column(n)) for n, k in zip(named, node.keys, strict=True)]
    covers = condition("f <= a AND t >= b", f=FROM, t=TO, a=BEGINS, b=ENDS)
    on = scalar.conjoin([*same, *scalar.conjuncts(covers)])
    segments = Spread(node.segments, (BEGINS,))
    if node.keys:
        pairs: Plan = Join(segments, node.rows, condition=on)
        aggregates = node.aggregates
    else:  # a segment without rows has an answer, too
        marked = Map(node.rows, (*node.rows.schema.passing(), Named(FOUND, exp.true(), BOOLEAN)))
        pairs = Join(segments, marked, JoinKind.LEFT, on)
        aggregates = tuple(Named(a.name, where_found(FOUND, a.value), a.type) for a in node.aggregates)
    grouped = Aggregate(Group(pairs, pairs.schema.passing((*named, BEGINS, ENDS))), aggregates)
    return _finished(node, grouped, named, BEGINS)


def _finished(node: Framed, plan: Plan, named: Sequence[str], begins: str) -> Plan:
    keys = (Named(k.name, scalar.column(n), k.type) for n, k in zip(named, node.keys, strict=True))
    values = plan.schema.passing(a.name for a in node.aggregates)
    return Map(plan, (*keys, *values, computed(FROM, "a", a=begins), computed(TO, "b", b=ENDS)))


def _look_back(aggregate: exp.Expr, partition: Sequence[str], window: WindowSpec) -> exp.Window:
    """The aggregate over the rows that are valid where it stands."""
    found = among(where_found(FOUND, aggregate), partition)
    found.set("order", exp.Order(expressions=[exp.Ordered(this=scalar.column(AT), nulls_first=True)]))
    match window:
        case Range(size=size):
            start: exp.Expr | str = exp.Literal.number(size - 1)
        case Now():
            start = exp.Literal.number(0)
        case _:
            start = "UNBOUNDED"
    spec = exp.WindowSpec(kind="RANGE", start=start, start_side="PRECEDING", end="CURRENT ROW")
    found.set("spec", spec)
    return found


def _block(window: WindowSpec) -> Callable[[str], tuple[Named]] | None:
    """What begins in another multiple of the length has ended."""
    if not isinstance(window, Fixed):
        return None
    return lambda at: (computed(_BLOCK, f"t - pmod(t, {window.size})", t=at),)


def _named(keys: Sequence[Named]) -> tuple[Field, ...]:
    return tuple(Field(key_name(i), k.type) for i, k in enumerate(keys))
