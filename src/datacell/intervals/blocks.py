"""α by parts, over rows that cease to be valid in the order in which they began: each row is looked at a few times.

Time is cut into *periods*, each as long as the window, and rows into *blocks* by the period in which they begin. Under
RANGE, what is valid at t is the rows of its own block that have begun and those of the block before that have not
ended::

    value(t)  =  front(t) ∘ back(t)        front: a running combination of the rows of this block
                                           back: what is left of the block before, combined from its end

Both only ever combine, nothing is subtracted. `left` gives for each row of a closed block what is left when it has
gone; then a row costs its place in one list of events, whatever the window holds. Under FIXED, and under UNBOUNDED,
whose only period never ends, the whole block goes at once and there is no back.

An event is a row that begins or ends. Between two events of a key its value is the one after the first of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from datacell.algebra import scalar, types
from datacell.algebra.carry import where_found
from datacell.algebra.partial import formula
from datacell.algebra.parts import Parts
from datacell.algebra.plan import Aggregate, Distinct, Filter, Group, Join, Map, Over, Plan, Union
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT, BOOLEAN
from datacell.intervals.validity import FROM, TO, VALIDITY, computed, condition, reading, union

ROWS, PRESENT = "rows", "rows present"
STARTS, ENDS, TOTALS, STATE, TICKS = "starts", "ends", "totals", "state", "ticks"
"""Inputs: rows as they come; what begins, what ends, what periods begin with, what is open, what cuts that."""

PERIOD, COUNT, BEGINS, STOPS = "period′", "count′", "begins′", "stops′"
AT = "at′"
_REAL, _FILL, _TURN, _FOUND = "real′", "fill′", "turn′", "found′"
_BEGUN, _NEXT, _LATER = "begun′", "next′", "later′"


def back(name: str) -> str:
    """The name of a part as it is left of the block before."""
    return f"{name} back"


@dataclass(frozen=True)
class Blocks:
    """The fragments of an aggregate: its keys, its parts, and the columns of the rows it reads."""

    keys: tuple[Named, ...]
    parts: tuple[Parts, ...]
    columns: tuple[Field, ...]

    @cached_property
    def key_fields(self) -> tuple[Field, ...]:
        return tuple(k.field for k in self.keys)

    @cached_property
    def values(self) -> tuple[Named, ...]:
        """The parts and the number of rows, as calls that combine them."""
        count = Named(COUNT, scalar.call("sum", scalar.column(COUNT)), BIGINT)
        return (*(c for p in self.parts for c in p.combined), count)

    @cached_property
    def partial_fields(self) -> tuple[Field, ...]:
        """The columns of partial rows: one for each key and beginning."""
        return (*self.key_fields, *(v.field for v in self.values), *VALIDITY)

    @cached_property
    def state_fields(self) -> tuple[Field, ...]:
        """Of the open segment of a key: since when, and what is valid in it, by front and back."""
        fronts = tuple(v.field for v in self.values)
        return (*self.key_fields, *fronts, *(Field(back(f.name), f.type) for f in fronts), Field(BEGINS, BIGINT))

    @cached_property
    def end_fields(self) -> tuple[Field, ...]:
        """Of an instant at which rows end: what is left of their block."""
        left = tuple(Field(back(v.name), v.type) for v in self.values)
        return (*self.key_fields, *left, Field(TO, BIGINT))

    def partials(self) -> Plan:
        """Rows, and rows that are only there, as partial rows."""
        found = Named(_FOUND, exp.true(), BOOLEAN)
        rows = reading(ROWS, (*self.columns, *VALIDITY))
        marked: Plan = Map(rows, (*rows.schema.passing(), found))
        partial = [p for part in self.parts for p in part.partials]
        if not self.keys:
            there = reading(PRESENT, VALIDITY)
            nothing = (_none(f) for f in self.columns)
            marked = Union((marked, Map(there, (*nothing, *there.schema.passing(), _none(found.field)))))
            partial = [Named(p.name, where_found(_FOUND, p.value), p.type) for p in partial]
        count = Named(COUNT, scalar.call("count", exp.Star()), BIGINT)
        grouped = Group(marked, (*self.keys, *marked.schema.passing((FROM, TO))))
        made = Aggregate(grouped, (*partial, count))
        return Map(made, made.schema.passing([f.name for f in self.partial_fields]))

    def left(self) -> Plan:
        """For each partial row of closed blocks what is left of its block when it has gone."""
        rows = reading(ROWS, (*self.partial_fields, Field(PERIOD, BIGINT)))
        names = (*self._names, PERIOD)
        later = Over(rows, tuple(Named(back(v.name), _later(v.value, names, (FROM,)), v.type) for v in self.values))
        return Map(later, later.schema.passing([f.name for f in self.end_fields]))

    def totals(self) -> Plan:
        """What each period begins with: the whole block before it."""
        rows = reading(ROWS, (*self.partial_fields, Field(PERIOD, BIGINT)))
        made = Aggregate(Group(rows, rows.schema.passing((*self._names, PERIOD))), self.values)
        return Map(made, (*made.schema.passing((*self._names, PERIOD)), *map(_as_back, self.values)))

    def events(self) -> Plan:
        """The segments that are closed now, and those that stay open, whose `stops` is NULL: as rows of the state."""
        by = (*self._names, PERIOD, AT)
        listed = union([self._starts(), self._ends(), self._totals(), self._state(), self._ticks()])
        flags = (
            Named(_REAL, scalar.call("bool_or", scalar.column(_REAL)), BOOLEAN),
            Named(_FILL, scalar.call("max", scalar.column(_FILL)), BIGINT),
        )
        fills = tuple(Named(back(v.name), self._of_back(v), v.type) for v in self.values)
        instants = Aggregate(Group(listed, listed.schema.passing(by)), (*self.values, *fills, *flags))
        run = self._run(instants)
        columns = [
            *(run.schema.passing(self._names)),
            *(Named(v.name, scalar.column(f"{v.name} run"), v.type) for v in self.values),
            *(Named(back(v.name), scalar.column(f"{v.name} left"), v.type) for v in self.values),
            computed(BEGINS, "CASE WHEN next IS NULL THEN begun ELSE at END", next=_NEXT, begun=_BEGUN, at=AT),
            computed(STOPS, "later", later=_LATER),
        ]
        counts = (scalar.call("coalesce", scalar.column(f"{COUNT} {side}"), _zero()) for side in ("run", "left"))
        alive = dict(zip(("front", "rest"), counts, strict=True))
        known = {"next": scalar.column(_NEXT), "later": scalar.column(_LATER), "is_real": scalar.column(_REAL)}
        wanted = formula("front + rest > 0 AND (next IS NULL OR is_real AND NOT later IS NULL)", **alive, **known)
        return Map(Filter(run, wanted), tuple(columns))

    def finished(self) -> Plan:
        """The values of closed segments."""
        rows = reading(ROWS, (*self.state_fields, Field(STOPS, BIGINT)))
        place = rows.schema.passing((*self._names, BEGINS, STOPS))
        fronts = Map(rows, (*place, *rows.schema.passing(v.name for v in self.values)))
        backs = Map(rows, (*place, *(Named(v.name, scalar.column(back(v.name)), v.type) for v in self.values)))
        both = Union((fronts, backs))
        made = Aggregate(Group(both, both.schema.passing((*self._names, BEGINS, STOPS))), self.values)
        results = tuple(p.finish for p in self.parts)
        keys = made.schema.passing(self._names)
        return Map(made, (*keys, *results, computed(FROM, "a", a=BEGINS), computed(TO, "b", b=STOPS)))

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(f.name for f in self.key_fields)

    def _of_back(self, value: Named) -> exp.Expr:
        """What combines a part, over what is left of it."""
        return scalar.substitute(value.value, {v.name: scalar.column(back(v.name)) for v in self.values})

    def _starts(self) -> Plan:
        rows = reading(STARTS, (*self.partial_fields, Field(PERIOD, BIGINT)))
        return self._listed(rows, FROM, rows.schema.passing(v.name for v in self.values), None, real=True)

    def _ends(self) -> Plan:
        rows = reading(ENDS, (*self.end_fields, Field(PERIOD, BIGINT)))
        return self._listed(rows, TO, None, rows.schema.passing(back(v.name) for v in self.values), real=True)

    def _totals(self) -> Plan:
        fields = (*self.key_fields, *(Field(back(v.name), v.type) for v in self.values))
        rows = reading(TOTALS, (*fields, Field(PERIOD, BIGINT), Field(AT, BIGINT)))
        return self._listed(rows, AT, None, rows.schema.passing(back(v.name) for v in self.values), real=False)

    def _state(self) -> Plan:
        rows = reading(STATE, (*self.state_fields, Field(PERIOD, BIGINT)))
        fronts = rows.schema.passing(v.name for v in self.values)
        return self._listed(rows, BEGINS, fronts, rows.schema.passing(back(v.name) for v in self.values), real=True)

    def _ticks(self) -> Plan:
        """Instants that cut the segments of all keys, where nothing begins or ends."""
        ticks = reading(TICKS, (Field(PERIOD, BIGINT), Field(AT, BIGINT)))
        if not self.keys:
            return self._listed(ticks, AT, None, None, real=True)
        tables = ((STARTS, (*self.partial_fields, Field(PERIOD, BIGINT))), (STATE, self.state_fields))
        keys = [Map(rows := reading(table, fields), rows.schema.passing(self._names)) for table, fields in tables]
        return self._listed(Join(Distinct(union(keys)), ticks), AT, None, None, real=True)

    def _listed(
        self, rows: Plan, at: str, front: Sequence[Named] | None, left: Sequence[Named] | None, real: bool
    ) -> Plan:
        """Events of one kind in the form of all: what they add to the front, and what they say of the back."""
        fronts = front or [_none(v.field) for v in self.values]
        lefts = left or [_none(Field(back(v.name), v.type)) for v in self.values]
        flags = (
            Named(_REAL, exp.true() if real else exp.false(), BOOLEAN),
            Named(_FILL, exp.cast(exp.Literal.number(0 if left is None else 1), "bigint"), BIGINT),
        )
        place = (*rows.schema.passing((*self._names, PERIOD)), computed(AT, "t", t=at))
        return Map(rows, (*place, *fronts, *lefts, *flags))

    def _run(self, instants: Plan) -> Plan:
        """Each event with the front and the back after it, and with the events around it."""
        period = (*self._names, PERIOD)
        fronts = tuple(Named(f"{v.name} run", _so_far(v.value, period, (AT,)), v.type) for v in self.values)
        turn = Named(_TURN, _so_far(scalar.call("sum", scalar.column(_FILL)), period, (AT,)), BIGINT)
        run = Over(instants, (*fronts, turn))
        lefts = tuple(Named(f"{v.name} left", _among(self._of_back(v), (*period, _TURN)), v.type) for v in self.values)
        real = condition("CASE WHEN is_real THEN at END", is_real=_REAL, at=AT)
        order = (AT, PERIOD)
        around = (
            Named(_BEGUN, _so_far(scalar.call("max", real), self._names, order), BIGINT),
            Named(_LATER, _later(scalar.call("min", real), self._names, order), BIGINT),
            Named(_NEXT, _later(scalar.call("min", scalar.column(AT)), self._names, order), BIGINT),
        )
        return Over(Over(run, lefts), around)


def _as_back(value: Named) -> Named:
    return Named(back(value.name), scalar.column(value.name), value.type)


def _zero() -> exp.Expr:
    return exp.Literal.number(0)


def _none(field: Field) -> Named:
    return Named(field.name, exp.TryCast(this=exp.Null(), to=types.to_sqlglot(field.type)), field.type)


def _so_far(call: exp.Expr, by: Sequence[str], order: Sequence[str]) -> exp.Window:
    """A call over the rows up to this one."""
    window = _among(call, by)
    keys = [exp.Ordered(this=scalar.column(c), nulls_first=True) for c in order]
    window.set("order", exp.Order(expressions=keys))
    window.set("spec", exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW"))
    return window


def _later(call: exp.Expr, by: Sequence[str], order: Sequence[str]) -> exp.Window:
    """A call over the rows after this one: a frame that grows backward, because that is linear on both engines."""
    window = _among(call, by)
    keys = [exp.Ordered(this=scalar.column(c), desc=True, nulls_first=False) for c in order]
    before = {"end": "1", "end_side": "PRECEDING"}
    window.set("order", exp.Order(expressions=keys))
    window.set("spec", exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", **before))
    return window


def _among(call: exp.Expr, by: Sequence[str]) -> exp.Window:
    """A call over all rows that agree."""
    return exp.Window(this=call.copy(), partition_by=[scalar.column(b) for b in by], over="OVER")
