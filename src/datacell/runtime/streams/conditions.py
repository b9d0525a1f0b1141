"""What a row must satisfy to enter a stream, said once for every way in.

The law: a row enters if its times are within what clients can represent, its event time is there, and it keeps NOT NULL
and CHECK; as in SQL, a check that is unknown is not broken. Of a row that does not enter, the first reason and the
beginning of its text are kept: the row as JSON.

Conditions, reason and text are scalar expressions over the columns of the stream: any engine can evaluate them, and a
receptor puts them into its own Spark job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from datacell.algebra import duration, scalar, types
from datacell.algebra.definitions import StreamColumn, StreamDefinition

LONGEST_TEXT = 400
"""Characters that are kept of a rejected row."""

_RANGES: dict[types.Type, tuple[date, date]] = {
    types.TIMESTAMP: (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)),
    types.TIMESTAMP_NTZ: (datetime.min, datetime.max),
    types.DATE: (date.min, date.max),
}
"""What Spark documents as the range of its times. Its readers let more through, which clients cannot represent."""


@dataclass(frozen=True)
class Condition:
    """What a row must satisfy: an expression that is TRUE if it does not, and the reason to give.

    `surely_holds` may answer for many rows at once; where it says no, nothing is known.
    """

    broken: exp.Expr
    reason: str
    surely_holds: Callable[[pa.Table], bool] = lambda _: False


def conditions(stream: StreamDefinition) -> tuple[Condition, ...]:
    """In the order in which reasons are looked for."""
    return tuple(c for column in stream.columns for c in _conditions(column, stream.event_time))


def reason(of: Sequence[Condition]) -> exp.Expr:
    """The reason of the first condition that a row breaks; NULL if it keeps all."""
    if not of:
        return exp.Cast(this=exp.Null(), to=types.to_sqlglot(types.STRING))
    return exp.Case(ifs=[exp.If(this=c.broken.copy(), true=exp.Literal.string(c.reason)) for c in of])


def too_far_ahead(stream: StreamDefinition) -> str:
    """The reason of a row that is further ahead of the others than was declared."""
    return f"{stream.event_time}, its event time, is more than {duration.show(stream.ahead or 0)} ahead of all others"


def text(stream: StreamDefinition) -> exp.Expr:
    """The beginning of a row's text."""
    row = scalar.call("struct", *(scalar.column(c.name) for c in stream.columns))
    in_utc = scalar.call("map", exp.Literal.string("timeZone"), exp.Literal.string("UTC"))
    return shortened(scalar.call("to_json", row, in_utc))


def shortened(whole: exp.Expr) -> exp.Expr:
    """As much of a text as is kept, without half a character at its end."""
    begin = scalar.call("substring", whole, exp.Literal.number(1), exp.Literal.number(LONGEST_TEXT))
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


def _not_null(column: str, why: str) -> Condition:
    return Condition(is_null(column), why, lambda rows: not rows[column].null_count)


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


def is_null(column: str) -> exp.Expr:
    return exp.Is(this=scalar.column(column), expression=exp.Null())
