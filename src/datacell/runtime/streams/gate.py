"""The gate: what a row must satisfy to enter a stream, said once for every way in.

The law: a row enters if its times are within what clients can represent, its event time is there, and it keeps NOT NULL
and CHECK; as in SQL, a check that is unknown is not broken. Of a row that does not enter, the first reason and the
beginning of its text are kept: the row as JSON.

Conditions, reasons and text are scalar expressions. A receptor puts them into its own Spark job. Rows that are in the
driver already (INSERT INTO) are checked by an engine, and only if Arrow cannot tell at once that every condition holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from datacell.algebra import scalar, types
from datacell.algebra.definitions import REASON, REJECTED, StreamColumn, StreamDefinition
from datacell.algebra.plan import Filter, Input, Map, Plan, Slot
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.tree import Key
from datacell.engines.arrow import arrow_schema, shaped

TEXT = "__row"
"""The column of checked rows, beside `REASON`, that has the text of the rejected ones."""

LONGEST_TEXT = 400
"""Characters that are kept of a rejected row."""

Run = Callable[[Plan, Mapping[Key, pa.Table]], pa.Table]
"""Runs a plan over tables, on whatever engine."""

_RANGES: dict[types.Type, tuple[date, date]] = {
    types.TIMESTAMP: (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)),
    types.TIMESTAMP_NTZ: (datetime.min, datetime.max),
    types.DATE: (date.min, date.max),
}
"""What Spark documents as the range of its times. Its readers let more through, which clients cannot represent."""


class ArrivingRows(Slot):
    """Rows that are about to enter a stream, with their numbers."""

    def __str__(self) -> str:
        return "arriving rows"


_ARRIVING = ArrivingRows()
_NUMBER = Field("number′", types.BIGINT)
"""Engines may change the order of rows, so each has its number with it."""

_REJECTED = arrow_schema(Schema(REJECTED))
NOTHING_REJECTED = _REJECTED.empty_table()
_BROKEN = arrow_schema(Schema((_NUMBER, Field(REASON, types.STRING))))


@dataclass(frozen=True)
class Condition:
    """What a row must satisfy: an expression that is TRUE if it does not, and the reason to give.

    `surely_holds` may answer for many rows at once; where it says no, nothing is known.
    """

    broken: exp.Expr
    reason: str
    surely_holds: Callable[[pa.Table], bool] = lambda _: False


class Checked(NamedTuple):
    """The rows that enter, and the dead letters: when, why and what was rejected."""

    rows: pa.Table
    rejected: pa.Table


@dataclass(frozen=True, eq=False)
class Gate:
    """The gate of one stream."""

    stream: StreamDefinition
    _plans: dict[tuple[int, ...], Plan] = field(default_factory=dict)

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """In the order in which reasons are looked for."""
        return tuple(c for column in self.stream.columns for c in _conditions(column, self.stream.event_time))

    @cached_property
    def schema(self) -> pa.Schema:
        return arrow_schema(Schema(self.stream.fields))

    @cached_property
    def reason(self) -> exp.Expr:
        """Why a row is rejected; NULL if it enters."""
        return _reason(self.conditions)

    @cached_property
    def text(self) -> exp.Expr:
        """The beginning of a row's text."""
        row = scalar.call("struct", *(scalar.column(c.name) for c in self.stream.columns))
        in_utc = scalar.call("map", exp.Literal.string("timeZone"), exp.Literal.string("UTC"))
        return shortened(scalar.call("to_json", row, in_utc))

    def divide(self, batch: pa.Table, now: datetime) -> Checked:
        """Rows beside their reasons and texts, divided into those that enter and those that do not."""
        bad = batch.filter(pc.is_valid(batch[REASON]))
        good = (batch.filter(pc.is_null(batch[REASON])) if len(bad) else batch).drop_columns([REASON, TEXT])
        return Checked(shaped(good, self.schema), _dead_letters(bad[REASON], bad[TEXT], now))

    def check(self, rows: pa.Table, run: Run, now: datetime) -> Checked:
        """Rows that are in the driver, with the columns of the stream and maybe reasons why some must not enter."""
        arriving = _numbered(shaped(rows.select(rows.schema.names[: len(self.schema)]), self.schema))
        broken = pa.concat_tables([_given(rows), *self._broken(_without_given(arriving, rows), run)])
        entering = arriving.drop_columns([_NUMBER.name])
        if not len(broken):
            return Checked(entering, NOTHING_REJECTED)
        broken = broken.sort_by(_NUMBER.name)
        numbers = broken[_NUMBER.name].combine_chunks()
        texts = run(self._texts, {_ARRIVING: arriving.take(numbers)}).sort_by(_NUMBER.name)
        enters = pc.invert(pc.is_in(arriving[_NUMBER.name], value_set=numbers))
        return Checked(entering.filter(enters), _dead_letters(broken[REASON], texts[TEXT], now))

    def _broken(self, arriving: pa.Table, run: Run) -> Iterator[pa.Table]:
        """The numbers of the rows that break a condition, with reasons; only what Arrow is in doubt of is evaluated."""
        doubtful = tuple(n for n, c in enumerate(self.conditions) if not c.surely_holds(arriving))
        if doubtful and len(arriving):
            yield run(self._breaking(doubtful), {_ARRIVING: arriving})

    def _breaking(self, doubtful: tuple[int, ...]) -> Plan:
        """The rows that break one of these conditions, by number, with the first reason."""
        if doubtful not in self._plans:
            reason = _reason([self.conditions[n] for n in doubtful])
            reasons = self._over_rows(Named(REASON, reason, types.STRING))
            is_broken = exp.Not(this=exp.Paren(this=_is_null(REASON)))
            self._plans[doubtful] = Filter(reasons, is_broken)
        return self._plans[doubtful]

    @cached_property
    def _texts(self) -> Plan:
        """The text of every row, by number."""
        return self._over_rows(Named(TEXT, self.text, types.STRING))

    def _over_rows(self, value: Named) -> Plan:
        """A value of every arriving row, beside its number; no column is handed to the engine that it does not read."""
        read = [f for f in self.stream.fields if f.name in scalar.columns(value.value)]
        arriving = Input(_ARRIVING, (_NUMBER, *read))
        return Map(arriving, (*arriving.schema.passing([_NUMBER.name]), value))


def shortened(text: exp.Expr) -> exp.Expr:
    """As much of a text as is kept, without half a character at its end."""
    begin = scalar.call("substring", text, exp.Literal.number(1), exp.Literal.number(LONGEST_TEXT))
    return scalar.call("make_valid_utf8", begin)


def _conditions(column: StreamColumn, event_time: str | None) -> Iterator[Condition]:
    if column.type in _RANGES:
        yield _in_range(column.name, column.type)
    if column.name == event_time:
        yield _not_null(column.name, f"{column.name}, its event time, is NULL")
    elif not column.nullable:
        yield _not_null(column.name, f"{column.name} is NULL")
    if column.check is not None:
        holds = scalar.call("coalesce", column.check, exp.true())
        yield Condition(exp.Not(this=holds), f"it breaks CHECK ({scalar.show(column.check)})")


def _not_null(column: str, reason: str) -> Condition:
    return Condition(_is_null(column), reason, lambda rows: not rows[column].null_count)


def _in_range(column: str, kind: types.Type) -> Condition:
    least, most = _RANGES[kind]
    value = scalar.column(column)
    outside = exp.or_(
        exp.LT(this=value, expression=_time(least, kind)), exp.GT(this=value, expression=_time(most, kind))
    )

    def surely_holds(rows: pa.Table) -> bool:
        found = pc.min_max(rows[column])
        bounds = [pa.scalar(bound, rows.schema.field(column).type) for bound in (least, most)]
        inside = pc.and_(pc.greater_equal(found["min"], bounds[0]), pc.less_equal(found["max"], bounds[1]))
        return inside.as_py() is not False

    return Condition(outside, f"{column} is out of range: years 1 to 9999", surely_holds)


def _time(value: date, kind: types.Type) -> exp.Expr:
    return exp.Cast(this=exp.Literal.string(str(value)), to=types.to_sqlglot(kind))


def _is_null(column: str) -> exp.Expr:
    return exp.Is(this=scalar.column(column), expression=exp.Null())


def _reason(conditions: list[Condition] | tuple[Condition, ...]) -> exp.Expr:
    """The reason of the first condition that is broken."""
    if not conditions:
        return exp.Cast(this=exp.Null(), to=types.to_sqlglot(types.STRING))
    return exp.Case(ifs=[exp.If(this=c.broken.copy(), true=exp.Literal.string(c.reason)) for c in conditions])


def _numbered(rows: pa.Table) -> pa.Table:
    return rows.append_column(_NUMBER.name, pa.array(np.arange(len(rows), dtype=np.int64)))


def _given(rows: pa.Table) -> pa.Table:
    """The numbers of the rows that come with a reason why they must not enter."""
    if REASON not in rows.schema.names or rows[REASON].null_count == len(rows):
        return _BROKEN.empty_table()
    return _numbered(rows).select(_BROKEN.names).filter(pc.is_valid(rows[REASON]))


def _without_given(arriving: pa.Table, rows: pa.Table) -> pa.Table:
    return arriving.filter(pc.is_null(rows[REASON])) if REASON in rows.schema.names else arriving


def _dead_letters(reasons: pa.ChunkedArray, texts: pa.ChunkedArray, now: datetime) -> pa.Table:
    arrived = pa.repeat(pa.scalar(now, _REJECTED.field(0).type), len(reasons))
    return pa.table([arrived, reasons, texts], schema=_REJECTED)
