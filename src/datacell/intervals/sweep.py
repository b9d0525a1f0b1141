"""The general way: any operator, at every instant at which one of its inputs changes.

Between two neighbouring instants at which a row begins or ceases to be valid nothing changes: that is a *segment*. So
an operator is evaluated once for each segment, with the segment as one more key (`algebra.carry`), over the rows that
are valid in it: right by construction, for every operator there is. Where rows of different keys cannot meet (groups,
rows that are compared, sides of an equality) each key has segments of its own, cut at its own rows only.

A segment is closed, and its rows leave, once no later row can cut it. Of the open one only its beginning is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from datacell.algebra import scalar, tree
from datacell.algebra.carry import Carrier, same_value
from datacell.algebra.frames import following, so_far
from datacell.algebra.partial import formula
from datacell.algebra.plan import Aggregate, Distinct, Filter, Group, Input, Join, Map, Over, Plan, Slot
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.types import BIGINT, BOOLEAN, INT
from datacell.intervals.flow import NamedSlot
from datacell.intervals.validity import AT, BEGINS, ENDS, FROM, TO, VALIDITY, computed, condition, union

BEFORE, NOW = "before′", "now′"
"""Columns of the progress."""

_CHANGE, _KNOWN, _LIVE = "change′", "known′", "live′"
"""By how many an event changes the rows that are valid; was it known before; how many are valid after it."""

_NEXT_KNOWN = f"{_KNOWN}′"


@dataclass(frozen=True)
class SideRows(Slot):
    """The live rows of a side."""

    index: int

    def __str__(self) -> str:
        return f"rows of side {self.index + 1}"


class Swept(NamedSlot):
    """Beside the rows: one row that says how far the inputs had come and have come; and what cuts their time."""

    PROGRESS = "progress"
    CUT_POINTS = "cut points"
    SEGMENTS = "segments"


@dataclass(frozen=True)
class Side(Plan):
    """An input of the operator that is swept; `keys` are what tells rows apart that never meet.

    Of a row that `may_be_open` a later one may say that it ends at the very instant that time has come to.
    """

    index: int
    columns: tuple[Field, ...]
    keys: tuple[Named, ...]
    may_be_open: bool = False

    @cached_property
    def schema(self) -> Schema:
        return Schema(self.columns)

    def head(self) -> str:
        return f"side {self.index + 1}"

    def rows(self) -> Plan:
        return Input(SideRows(self.index), (*self.columns, *VALIDITY))


def segments(sides: Sequence[Side], keys: Sequence[Field], presence: int | None) -> Plan:
    """Time cut for each key: (keys, begins, ends), where `ends` of an open segment is NULL.

    Only segments that were not closed before, and in which some row is valid: a row of side number `presence`, if one
    of them says when there is an answer at all.
    """
    return _segments(_changes(sides, _named(keys), presence), _named(keys))


def segments_at_cut_points(sides: Sequence[Side], keys: Sequence[Field], presence: int | None) -> Plan:
    """The same, cut at the cut points too, whatever happens there."""
    named = _named(keys)
    return _segments([*_changes(sides, named, presence), _cuts(sides, named)], named)


def swept(operator: Plan, keys: Sequence[Field]) -> Plan:
    """The operator over its sides at each of the segments, which are closed."""
    taken = frozenset(name for node in tree.descendants(operator) for name in node.schema.names)
    carrier = _AtSegments((Field(BEGINS, BIGINT), Field(ENDS, BIGINT)), taken, tuple(keys))
    carried = carrier.carry(operator)
    own = carried.schema.passing(operator.schema.names)
    begins, ends = carrier.names
    return Map(carried, (*own, computed(FROM, "a", a=begins), computed(TO, "b", b=ends)))


@dataclass(frozen=True)
class _AtSegments(Carrier):
    """Carries the segment through an operator."""

    keys: tuple[Field, ...] = ()

    def depends(self, plan: Plan) -> bool:
        return any(isinstance(node, Side) for node in tree.descendants(plan))

    def reads(self, node: exp.Expr) -> bool:
        return scalar.reads_boundary(node)

    def inside(self, node: exp.Expr) -> exp.Expr:
        return node.copy()

    def domain(self) -> Plan:
        return self._segments(())

    def source(self, plan: Plan) -> Plan:
        assert isinstance(plan, Side)
        begins, ends = self.names
        covers = condition("f <= a AND t >= b", f=FROM, t=TO, a=begins, b=ends)
        same = [same_value(k.value.copy(), scalar.column(key_name(i))) for i, k in enumerate(plan.keys)]
        on = scalar.conjoin([*same, *scalar.conjuncts(covers)])
        joined = Join(plan.rows(), self._segments(_named(self.keys)), condition=on)
        return Map(joined, joined.schema.passing((*plan.schema.names, begins, ends)))

    def _segments(self, keys: tuple[Field, ...]) -> Plan:
        rows = Input(Swept.SEGMENTS, (*keys, Field(BEGINS, BIGINT), Field(ENDS, BIGINT)))
        begins, ends = self.names
        own = rows.schema.passing([f.name for f in keys])
        return Map(rows, (*own, computed(begins, "a", a=BEGINS), computed(ends, "b", b=ENDS)))


def _segments(found: Sequence[Plan], named: tuple[Field, ...]) -> Plan:
    """The segments between events, which may fall on one instant."""
    keys = [f.name for f in named]
    events = union(found)
    change = Named(_CHANGE, scalar.call("sum", scalar.column(_CHANGE)), BIGINT)
    known = Named(_KNOWN, scalar.call("bool_or", scalar.column(_KNOWN)), BOOLEAN)
    instants = Aggregate(Group(events, events.schema.passing((*keys, AT))), (change, known))
    neighbours = (
        Named(_LIVE, so_far(scalar.call("sum", scalar.column(_CHANGE)), keys, (AT,)), BIGINT),
        Named(ENDS, following(AT, keys, (AT,)), BIGINT),
        Named(_NEXT_KNOWN, following(_KNOWN, keys, (AT,)), BOOLEAN),
    )
    followed = Over(instants, neighbours)
    closed_before = scalar.call("coalesce", scalar.column(_NEXT_KNOWN), exp.false())
    wanted = formula("live > 0 AND NOT closed", live=scalar.column(_LIVE), closed=closed_before)
    columns = (*followed.schema.passing(keys), computed(BEGINS, "at", at=AT), *followed.schema.passing([ENDS]))
    return Map(Filter(followed, wanted), columns)


def _changes(sides: Sequence[Side], keys: tuple[Field, ...], presence: int | None) -> list[Plan]:
    counted = [presence is None or side.index == presence for side in sides]
    return [e for side, counts in zip(sides, counted, strict=True) for e in _events(side, keys, counts)]


def _events(side: Side, keys: tuple[Field, ...], counts: bool) -> list[Plan]:
    """When rows of a side begin and cease to be valid, as far as that is known now."""
    rows = _with_progress(side.rows())
    named = _keys_of(side, keys)

    def event(plan: Plan, at: str, change: str, known: str) -> Plan:
        counted = Named(_CHANGE, formula(change if counts else "0"), INT)
        before = Named(_KNOWN, condition(known, t=at, before=BEFORE), BOOLEAN)
        return Map(plan, (*named, computed(AT, "t", t=at), counted, before))

    past = "t < {}" if side.may_be_open else "t <= {}"
    ended = Filter(rows, condition(past.format("now"), t=TO, now=NOW))
    return [event(rows, FROM, "1", "t < before"), event(ended, TO, "-1", past.format("before"))]


def _cuts(sides: Sequence[Side], keys: tuple[Field, ...]) -> Plan:
    """The cut points, in the time of every key."""
    cuts = _with_progress(Input(Swept.CUT_POINTS, (Field(AT, BIGINT),)))
    if keys:
        cuts = Join(Distinct(union([Map(side.rows(), _keys_of(side, keys)) for side in sides])), cuts)
    known = Named(_KNOWN, condition("t < before", t=AT, before=BEFORE), BOOLEAN)
    return Map(cuts, (*cuts.schema.passing((*(f.name for f in keys), AT)), Named(_CHANGE, formula("0"), INT), known))


def _with_progress(plan: Plan) -> Plan:
    """The rows with the instants of the progress beside them."""
    return Join(plan, Input(Swept.PROGRESS, (Field(BEFORE, BIGINT), Field(NOW, BIGINT))))


def _keys_of(side: Side, keys: tuple[Field, ...]) -> tuple[Named, ...]:
    return tuple(Named(f.name, k.value, f.type) for f, k in zip(keys, side.keys, strict=True))


def _named(keys: Sequence[Field]) -> tuple[Field, ...]:
    """Keys under names of their own."""
    return tuple(Field(key_name(i), k.type) for i, k in enumerate(keys))


def key_name(index: int) -> str:
    """What a key is called beside the columns of the rows."""
    return f"key{index}′"
