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
from datacell.algebra.partial import formula
from datacell.algebra.plan import Aggregate, Distinct, Filter, Group, Join, Map, Over, Plan, Table
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.types import BIGINT, BOOLEAN, INT
from datacell.intervals.validity import (
    BEFORE,
    FROM,
    NOW,
    TO,
    VALIDITY,
    computed,
    condition,
    reading,
    union,
    with_progress,
)

SEGMENTS, BEGINS, ENDS = "the segments", "begins′", "ends′"
TICKS, AT = "the ticks", "at′"
_CHANGE, _KNOWN, _LIVE = "change′", "known′", "live′"


def side_table(index: int) -> str:
    """The input with the live rows of a side."""
    return f"side {index}"


@dataclass(frozen=True)
class Side(Plan):
    """An input of the operator that is swept; `keys` are what tells rows apart that never meet."""

    index: int
    columns: tuple[Field, ...]
    keys: tuple[Named, ...]

    @cached_property
    def schema(self) -> Schema:
        return Schema(self.columns)

    def head(self) -> str:
        return f"side {self.index + 1}"

    def rows(self) -> Plan:
        return reading(side_table(self.index), (*self.columns, *VALIDITY))


def segments(sides: Sequence[Side], keys: Sequence[Field], presence: int | None) -> Plan:
    """A fragment that cuts time, for each key: (keys, begins, ends), where `ends` of an open segment is NULL.

    Only segments that were not closed before, and in which some row is valid: a row of side number `presence`, if one
    of them says when there is an answer at all.
    """
    return _segments(_changes(sides, _named(keys), presence), _named(keys))


def segments_at_ticks(sides: Sequence[Side], keys: Sequence[Field], presence: int | None) -> Plan:
    """The same, cut at ticks too, whatever happens there."""
    named = _named(keys)
    return _segments([*_changes(sides, named, presence), _at_ticks(sides, named)], named)


def _segments(found: Sequence[Plan], named: tuple[Field, ...]) -> Plan:
    events = union(found)
    by = events.schema.passing((*(f.name for f in named), AT))
    change = Named(_CHANGE, scalar.call("sum", scalar.column(_CHANGE)), BIGINT)
    known = Named(_KNOWN, scalar.call("bool_or", scalar.column(_KNOWN)), BOOLEAN)
    instants = Aggregate(Group(events, by), (change, known))
    key_names = [f.name for f in named]
    followed = Over(
        instants,
        (
            Named(_LIVE, _running(scalar.call("sum", scalar.column(_CHANGE)), key_names), BIGINT),
            Named(ENDS, _following(AT, key_names), BIGINT),
            Named(f"{_KNOWN}′", _following(_KNOWN, key_names), BOOLEAN),
        ),
    )
    closed_before = scalar.call("coalesce", scalar.column(f"{_KNOWN}′"), exp.false())
    wanted = formula("live > 0 AND NOT closed", live=scalar.column(_LIVE), closed=closed_before)
    columns = (*followed.schema.passing(key_names), computed(BEGINS, "at", at=AT), *followed.schema.passing([ENDS]))
    return Map(Filter(followed, wanted), columns)


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
        return self._segments()

    def source(self, plan: Plan) -> Plan:
        assert isinstance(plan, Side)
        begins, ends = self.names
        cut = self._segments(*(f.name for f in _named(self.keys)))
        covers = condition("f <= a AND t >= b", f=FROM, t=TO, a=begins, b=ends)
        same = [same_value(k.value.copy(), scalar.column(_key(i))) for i, k in enumerate(plan.keys)]
        joined = Join(plan.rows(), cut, condition=scalar.conjoin([*same, *scalar.conjuncts(covers)]))
        return Map(joined, joined.schema.passing((*plan.schema.names, begins, ends)))

    def _segments(self, *keys: str) -> Plan:
        table = Table(SEGMENTS, SEGMENTS, (*_named(self.keys), Field(BEGINS, BIGINT), Field(ENDS, BIGINT)))
        ends = (
            Named(n, scalar.column(f"{SEGMENTS}.{c}"), BIGINT) for n, c in zip(self.names, (BEGINS, ENDS), strict=True)
        )
        own = (
            Named(f.name, scalar.column(f"{SEGMENTS}.{f.name}"), f.type) for f in _named(self.keys) if f.name in keys
        )
        return Map(table, (*own, *ends))


def _changes(sides: Sequence[Side], keys: tuple[Field, ...], presence: int | None) -> list[Plan]:
    counted = [presence is None or side.index == presence for side in sides]
    return [e for side, counts in zip(sides, counted, strict=True) for e in _events(side, keys, counts)]


def _at_ticks(sides: Sequence[Side], keys: tuple[Field, ...]) -> Plan:
    """The instants that cut the segments of all keys."""
    ticks = with_progress(reading(TICKS, (Field(AT, BIGINT),)))
    if keys:
        ticks = Join(Distinct(union([Map(side.rows(), _keys_of(side, keys)) for side in sides])), ticks)
    known = Named(_KNOWN, condition("t < before", t=AT, before=BEFORE), BOOLEAN)
    return Map(ticks, (*ticks.schema.passing((*(f.name for f in keys), AT)), Named(_CHANGE, formula("0"), INT), known))


def _events(side: Side, keys: tuple[Field, ...], counts: bool) -> list[Plan]:
    """When rows of a side begin and cease to be valid, as far as that is known now."""
    rows = with_progress(side.rows())
    named = _keys_of(side, keys)

    def event(plan: Plan, at: str, change: str, known: str) -> Plan:
        counted = Named(_CHANGE, formula(change if counts else "0"), INT)
        before = Named(_KNOWN, condition(known, t=at, before=BEFORE), BOOLEAN)
        return Map(plan, (*named, computed(AT, "t", t=at), counted, before))

    ended = Filter(rows, condition("t <= now", t=TO, now=NOW))
    return [event(rows, FROM, "1", "t < before"), event(ended, TO, "-1", "t <= before")]


def _keys_of(side: Side, keys: tuple[Field, ...]) -> tuple[Named, ...]:
    return tuple(Named(f.name, k.value, f.type) for f, k in zip(keys, side.keys, strict=True))


def _running(call: exp.Expr, keys: Sequence[str]) -> exp.Window:
    window = _over(call, keys)
    window.set("spec", exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW"))
    return window


def _following(column: str, keys: Sequence[str]) -> exp.Window:
    return _over(scalar.call("lead", scalar.column(column)), keys)


def _over(call: exp.Expr, keys: Sequence[str]) -> exp.Window:
    order = exp.Order(expressions=[exp.Ordered(this=scalar.column(AT), nulls_first=True)])
    return exp.Window(this=call, partition_by=[scalar.column(k) for k in keys], order=order, over="OVER")


def _named(keys: Sequence[Field]) -> tuple[Field, ...]:
    """Keys under names of their own."""
    return tuple(Field(_key(i), k.type) for i, k in enumerate(keys))


def _key(index: int) -> str:
    return f"key{index}′"
