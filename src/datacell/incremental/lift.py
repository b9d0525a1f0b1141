"""Lifting: one fragment that answers a query at all the boundaries that are due.

Every relation carries `window_end` as one more key, so one engine call does the work of many. The boundaries come as a
table with, for every window of the query, the part of the stream that it shows there::

    boundaries(window_end, from_0, to_0, from_1, to_1, …)      window i shows the rows with from_i <= position < to_i

A row's position is its timestamp in microseconds, or its arrival number for row windows. Bounds are data, not literals,
so the text of the fragment never changes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

from sqlglot import exp

from datacell.algebra import scalar, tree
from datacell.algebra.carry import Carrier, fresh, narrowed, ungrouped
from datacell.algebra.frames import numbered
from datacell.algebra.plan import (
    Aggregate,
    Filter,
    Group,
    Input,
    Join,
    Map,
    Order,
    Over,
    Plan,
    SortKey,
    Stream,
    Union,
    Window,
)
from datacell.algebra.query import TIME_COLUMNS, Query
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.sessions import SESSION
from datacell.algebra.types import BIGINT, INT, TIMESTAMP, Type
from datacell.algebra.versions import UNTIL, with_columns
from datacell.algebra.window import LatestBy, Rows, WindowSpec
from datacell.errors import PlanError
from datacell.incremental.inputs import BOUNDARIES, ROWS, ShownRows, WindowRows
from datacell.incremental.merge import AT
from datacell.incremental.relations import SLICE, VISIBLE_FROM, VISIBLE_TO, Latest, Leaf, Shown, Split, fields
from datacell.incremental.running import running

SESSION_BOUNDS = (
    Field(scalar.WINDOW_END, TIMESTAMP),
    Field(scalar.WINDOW_START, TIMESTAMP),
    Field(SESSION, BIGINT),
)
"""The columns of the boundaries table when they are those of sessions."""

SESSION_COLUMNS = tuple(replace(f, name=f"of {f.name}′") for f in SESSION_BOUNDS)

POSITION, BOUNDARY = "position′", "__boundary"
"""The column of a basket by which windows cut it, and the last column of an answer: the boundary it belongs to."""


def bounds(index: int) -> tuple[str, str]:
    """The columns of the boundaries table that say what window number `index` shows."""
    return f"from_{index}", f"to_{index}"


def lift(query: Query, many: bool) -> Plan:
    """A fragment over `boundaries` and the rows of windows; its rows are the answers, each with its boundary.

    They are in order only if the query asks for one. Windows are numbered from left to right. With one boundary a
    window's rows are just those that it shows there, with many those that it shows at some.
    """
    windows = tree.windows(query.plan)
    if not windows:
        raise PlanError("a query without windows has no boundaries")
    numbers = iter(range(len(windows)))
    return _lifted(query, query.plan, lambda plan: _numbered(plan, numbers), partial(_Windows, many=many))


def at_one_instant(query: Query) -> Plan:
    """A fragment over the rows that windows show at one instant, of a query whose expressions do not read it."""
    numbers = iter(range(len(tree.windows(query.plan))))
    return _Windows((), frozenset(), many=False).without_boundary(_numbered(query.plan, numbers))


def lift_sessions(query: Query) -> Plan:
    """A fragment over `boundaries`, which here are sessions, and the rows of these."""
    taken = frozenset(name for node in tree.descendants(query.plan) for name in node.schema.names)
    below, columns, order = _parts(query.plan)
    carrier = _Sessions(SESSION_COLUMNS, taken, many=True)
    end, _, number = carrier.names
    key = Named(end, scalar.column(end), TIMESTAMP)
    values = {c.name: replace(c, value=carrier.inside(c.value)) for c in columns}
    delivered = tuple(values.get(f.name, replace(key, name=f.name)) for f in query.result)
    carried = carrier.carry(_numbered(below, count()))
    first = (SortKey(scalar.column(end)), SortKey(scalar.column(number)))
    ordered = Order(carried, (*first, *order)) if order else carried
    return Map(ordered, (*delivered, replace(key, name=BOUNDARY)))


def lift_rest(split: Split, many: bool) -> Plan:
    """A fragment over `boundaries` and what is shown of relations, for one boundary or for many."""
    make = partial(_Relations, leaves=split.leaves, many=many)
    return _lifted(split.query, split.rest, lambda plan: plan, make)


def _lifted(query: Query, plan: Plan, prepare: Callable[[Plan], Plan], make: Callable[..., AtBoundaries]) -> Plan:
    """One boundary that no expression reads need not be carried: then the answer's rows do not tell it."""
    (time,) = TIME_COLUMNS[query.timing]
    alone = make(carried=(), taken=frozenset())
    if not alone.many and not tree.reads_boundary(plan):
        return alone.without_boundary(prepare(plan))
    below, columns, order = _parts(plan)
    prepared = prepare(below)
    taken = frozenset(name for node in tree.descendants(prepared) for name in node.schema.names)
    carrier = make(carried=(Field(f"{scalar.WINDOW_END}′", time.type),), taken=taken)
    key = Named(carrier.names[0], scalar.column(carrier.names[0]), time.type)
    values = {c.name: replace(c, value=carrier.inside(c.value)) for c in columns}
    delivered = tuple(values.get(f.name, replace(key, name=f.name)) for f in query.result)
    carried = carrier.carry(prepared)
    ordered = Order(carried, (SortKey(key.value), *order)) if order else carried
    return Map(ordered, (*delivered, replace(key, name=BOUNDARY)))


def answer_schema(query: Query) -> Schema:
    """The columns of a lifted answer: those that are delivered, and the boundary."""
    (time,) = TIME_COLUMNS[query.timing]
    return query.result + Schema((Field(BOUNDARY, time.type),))


def boundaries_schema(type_: Type, windows: int) -> Schema:
    """The columns of the boundaries table when windows are evaluated again."""
    pairs = (Field(name, BIGINT) for i in range(windows) for name in bounds(i))
    return Schema((Field(scalar.WINDOW_END, type_), *pairs))


def instants_schema(type_: Type) -> Schema:
    """The columns of the boundaries table when relations are read: the boundary, and it as a number."""
    return Schema((Field(scalar.WINDOW_END, type_), Field(AT, BIGINT)))


def _parts(plan: Plan) -> tuple[Plan, tuple[Named, ...], tuple[SortKey, ...]]:
    """What to carry, and what comes last: the columns to deliver, and the order, which may read others too."""
    match plan:
        case Map(Order(child, keys, None, 0), columns):
            return child, columns, keys
        case Map(Order(_, keys) as limited, columns):
            return limited, columns, keys
        case Order(child, keys, None, 0):
            return child, plan.schema.passing(), keys
        case Order(_, keys):
            return plan, plan.schema.passing(), keys
    return plan, plan.schema.passing(), ()


@dataclass(frozen=True)
class _Numbered(Window):
    """A window that knows its number."""

    index: int = 0


def _numbered(plan: Plan, numbers: Iterator[int]) -> Plan:
    if isinstance(plan, Window):
        return _Numbered(plan.child, plan.window, next(numbers))
    return plan.with_children([_numbered(child, numbers) for child in plan.children])


@dataclass(frozen=True)
class AtBoundaries(Carrier):
    """Carries the boundary through the plan; with only one, what is shown there is prepared."""

    many: bool = True

    def source(self, plan: Plan) -> Plan:
        if not self.reads_first(plan):
            return super().source(plan)
        return self.at_many(plan) if self.many else Join(self.at_one(plan), self.domain())

    @abstractmethod
    def at_one(self, plan: Plan) -> Plan:
        """What an operator that depends on the boundary by itself shows there."""

    @abstractmethod
    def at_many(self, plan: Plan) -> Plan:
        """What such an operator shows at each boundary, with the boundary."""

    def without_boundary(self, plan: Plan) -> Plan:
        """The plan at the one boundary, which it does not read."""
        if self.reads_first(plan):
            return self.at_one(plan)
        if isinstance(plan, Aggregate) and plan.keys:
            below = self.without_boundary(ungrouped(plan.child))
            return Aggregate(Group(below, plan.keys), plan.aggregates)
        return plan.with_children([self.without_boundary(child) for child in plan.children])

    def depends(self, plan: Plan) -> bool:
        return any(self.reads_first(n) or any(map(self.reads, n.expressions())) for n in tree.descendants(plan))

    @abstractmethod
    def reads_first(self, plan: Plan) -> bool:
        """Is the operator one that depends on the boundary by itself?"""

    def reads(self, node: exp.Expr) -> bool:
        return scalar.reads_boundary(node)

    def domain(self) -> Plan:
        return self.boundaries(())

    def inside(self, node: exp.Expr) -> exp.Expr:
        def fill(found: exp.Expr) -> exp.Expr | None:
            return scalar.column(self.names[0]) if isinstance(found, exp.Placeholder) else None

        return scalar.replace(node, fill)

    def boundaries(self, columns: Sequence[str]) -> Plan:
        """The boundaries with further columns of their table."""
        (key,) = self.carried
        rows = Input(BOUNDARIES, (Field(scalar.WINDOW_END, key.type), *(Field(c, BIGINT) for c in columns)))
        boundary = Named(key.name, scalar.column(scalar.WINDOW_END), key.type)
        return Map(rows, (boundary, *rows.schema.passing(columns)))


@dataclass(frozen=True)
class _Windows(AtBoundaries):
    """Evaluates windows again: what a window shows is joined with the boundaries at which it does."""

    def reads_first(self, plan: Plan) -> bool:
        return isinstance(plan, Window)

    def at_one(self, plan: Plan) -> Plan:
        assert isinstance(plan, _Numbered)
        rows = _rows_of(plan)
        return _shown_rows(rows, plan, ())

    def at_many(self, plan: Plan) -> Plan:
        assert isinstance(plan, _Numbered)
        rows, columns = _rows_of(plan), bounds(plan.index)
        joined = Join(rows, self.boundaries(columns), condition=_is_shown_in(plan.window, rows, *columns))
        return _shown_rows(joined, plan, self.names)


def _is_shown_in(window: WindowSpec, rows: Plan, start: str, stop: str) -> exp.Expr:
    """Does a window that shows what lies between two positions show a row?"""
    position = scalar.column(_position(rows))
    begun = exp.LT(this=position, expression=scalar.column(stop))
    if isinstance(window, LatestBy):
        valid = exp.GTE(this=scalar.column(UNTIL), expression=scalar.column(stop))
        return scalar.conjoin([begun, valid])
    return scalar.conjoin([exp.GTE(this=position.copy(), expression=scalar.column(start)), begun])


@dataclass(frozen=True)
class _Sessions(_Windows):
    """Answers each session by itself: rows know the number of theirs."""

    def at_many(self, plan: Plan) -> Plan:
        assert isinstance(plan, _Numbered)
        rows = with_columns(plan.child, WindowRows(0), (Field(SESSION, BIGINT),))
        same = exp.EQ(this=scalar.column(SESSION), expression=scalar.column(self.names[2]))
        joined = Join(rows, self.domain(), condition=same)
        return narrowed(joined, (*plan.schema.names, *self.names))

    def domain(self) -> Plan:
        rows = Input(BOUNDARIES, SESSION_BOUNDS)
        pairs = zip(self.carried, SESSION_BOUNDS, strict=True)
        return Map(rows, tuple(Named(own.name, scalar.column(f.name), f.type) for own, f in pairs))

    def inside(self, node: exp.Expr) -> exp.Expr:
        end, start, _ = self.names
        columns = {scalar.WINDOW_END: end, scalar.WINDOW_START: start}
        return scalar.replace(
            node, lambda n: scalar.column(columns[n.name]) if isinstance(n, exp.Placeholder) else None
        )


def _shown_rows(rows: Plan, window: _Numbered, boundary: tuple[str, ...]) -> Plan:
    """The rows of a window, of each key only the last if it is partitioned."""
    shown, spec = rows, window.window
    if isinstance(spec, Rows) and spec.partition:
        shown = last_rows(rows, (*boundary, *spec.partition), spec.count, scalar.column(_position(rows)))
    return narrowed(shown, (*window.schema.names, *boundary))


@dataclass(frozen=True)
class _Relations(AtBoundaries):
    """Reads what is shown of relations; for one boundary that is prepared, for many the fragment finds it."""

    leaves: tuple[Leaf, ...] = ()

    def reads_first(self, plan: Plan) -> bool:
        return isinstance(plan, Shown | Latest)

    def at_one(self, plan: Plan) -> Plan:
        slot = self._slot(plan)
        if not isinstance(plan, Latest):
            return Input(slot, plan.schema.fields)
        rows = Input(slot, (*plan.columns, *fields(SLICE)))
        last = last_rows(rows, plan.window.partition, plan.window.count, scalar.column(SLICE))
        return narrowed(last, plan.schema.names)

    def at_many(self, plan: Plan) -> Plan:
        shown = (*plan.schema.names, *self.names)
        match plan:
            case Latest(window=window):
                rows = Input(self._slot(plan), (*plan.columns, *fields(SLICE, VISIBLE_FROM)))
                joined = Join(rows, self.boundaries((AT,)), condition=_is_shown(VISIBLE_FROM))
                keys = (*self.names, *window.partition)
                return narrowed(last_rows(joined, keys, window.count, scalar.column(SLICE)), shown)
            case Shown(is_merged=True):
                return self._merged(plan)
        rows = Input(self._slot(plan), (*plan.schema.fields, *fields(VISIBLE_FROM, VISIBLE_TO)))
        return narrowed(Join(rows, self.boundaries((AT,)), condition=_is_shown(VISIBLE_FROM, VISIBLE_TO)), shown)

    def _merged(self, plan: Shown) -> Plan:
        (key,) = self.carried
        at = Field(AT, key.type)
        assert plan.combination is not None
        ready = Input(self._slot(plan), (*plan.columns, at))
        found = Union((ready, running(plan.columns, plan.combination, self.leaves.index(plan), at)))
        return Map(found, (*found.schema.passing(plan.schema.names), Named(key.name, scalar.column(AT), key.type)))

    def _slot(self, leaf: Plan) -> ShownRows:
        assert isinstance(leaf, Shown | Latest)
        return ShownRows(self.leaves.index(leaf))


def last_rows(rows: Plan, keys: Sequence[str], count: int, position: exp.Expr) -> Plan:
    """The last rows of each key."""
    number = fresh("row_number", set(rows.schema.names))
    newest_first = exp.Ordered(this=position.copy(), desc=True, nulls_first=False)
    ranked = Over(rows, (Named(number, numbered(keys, [newest_first]), INT),))
    return Filter(ranked, exp.LTE(this=scalar.column(number), expression=exp.Literal.number(count)))


def last_rows_of(columns: tuple[Field, ...], keys: Sequence[str], count: int) -> Plan:
    """A fragment that keeps the last rows of each key of a relation."""
    rows = Input(ROWS, (*columns, *fields(SLICE)))
    return narrowed(last_rows(rows, keys, count, scalar.column(SLICE)), rows.schema.names)


def _is_shown(since: str, until: str | None = None) -> exp.Expr:
    at = scalar.column(AT)
    conditions: list[exp.Expr] = [exp.LTE(this=scalar.column(since), expression=at)]
    if until is not None:
        conditions.append(exp.LT(this=at.copy(), expression=scalar.column(until)))
    return scalar.conjoin(conditions)


def _rows_of(window: _Numbered) -> Plan:
    """What stands below a window over its rows, keeping each row's position; under LATEST that was done before."""
    slot = WindowRows(window.index)
    if isinstance(window.window, LatestBy):
        return Input(slot, (*window.schema.fields, Field(POSITION, BIGINT), Field(UNTIL, BIGINT)))
    return _with_position(window.child, slot)


def _with_position(plan: Plan, slot: WindowRows) -> Plan:
    match plan:
        case Stream(alias=alias, columns=columns):
            return Input(slot, (*columns, Field(POSITION, BIGINT)), alias)
        case Map(child, columns):
            below = _with_position(child, slot)
            return Map(below, (*columns, *below.schema.passing([_position(below)])))
        case Filter(child):
            return Filter(_with_position(child, slot), plan.predicate)
    raise PlanError(f"{plan.head()} below a window")


def _position(plan: Plan) -> str:
    return next(n for n in plan.schema.names if n.endswith(POSITION))
