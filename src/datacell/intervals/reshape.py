"""coalesce and split: other cuts of the same validities.

*Coalesce.* Of equal rows, one that ends where another begins is continued by it: the end and the beginning cancel. What
is left of beginnings and ends is paired in order. That is the least number of rows with the same snapshots; overlapping
rows may exchange their ends.

*Split.* A row is cut at every multiple of a length, its *ticks*. A piece is there once time has come to its beginning,
so rows without end are cut as time goes on.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.carry import same_value
from datacell.algebra.plan import Join, JoinKind, Map, Over, Plan
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT, INT
from datacell.intervals.validity import FROM, TO, VALIDITY, call, computed, condition, reading, union

STARTS, ENDS = "starts", "ends"
NEW, ROWS, TICKS = "new rows", "rows", "the ticks"
AT, UNTIL = "at′", "until′"
_TURN, _NUMBER = "turn′", "number′"


def coalesced(columns: Sequence[Field]) -> Plan:
    """A fragment over beginnings and ends: rows, of which those that go on have NULL as their end."""
    names = [f.name for f in columns]
    starts = _numbered(reading(STARTS, (*columns, Field(FROM, BIGINT))), _TURN, (*names, FROM), FROM)
    ends = _numbered(reading(ENDS, (*columns, Field(TO, BIGINT))), _TURN, (*names, TO), TO)
    meet = condition("a = b AND i = j", a=FROM, b=_other(TO), i=_TURN, j=_other(_TURN))
    left = condition("a = b AND i = j", a=TO, b=_other(FROM), i=_TURN, j=_other(_TURN))
    begun = _numbered(_without(starts, ends, names, meet), _NUMBER, names, FROM)
    ended = _numbered(_without(ends, starts, names, left), _NUMBER, names, TO)
    paired = condition("i = j", i=_NUMBER, j=_other(_NUMBER))
    both = Join(begun, _renamed(ended), JoinKind.LEFT, scalar.conjoin([*_same(names), paired]))
    return Map(both, (*both.schema.passing((*names, FROM)), computed(TO, "t", t=_other(TO))))


def pieces(columns: Sequence[Field]) -> Plan:
    """A fragment over new rows, which know their first tick, all live rows, and the ticks that have come."""
    names = [f.name for f in columns]
    new = reading(NEW, (*columns, *VALIDITY, Field(UNTIL, BIGINT)))
    first = Map(new, (*new.schema.passing((*names, FROM)), call(TO, "least", TO, UNTIL)))
    ticks = reading(TICKS, (Field(AT, BIGINT), Field(UNTIL, BIGINT)))
    met = Join(reading(ROWS, (*columns, *VALIDITY)), ticks, condition=condition("f < a AND a < t", f=FROM, a=AT, t=TO))
    later = Map(met, (*met.schema.passing(names), computed(FROM, "a", a=AT), call(TO, "least", TO, UNTIL)))
    return union([first, later])


def _numbered(plan: Plan, name: str, by: Sequence[str], order: str) -> Plan:
    number = exp.Window(
        this=scalar.call("row_number"),
        partition_by=[scalar.column(b) for b in by],
        order=exp.Order(expressions=[exp.Ordered(this=scalar.column(order), nulls_first=True)]),
        over="OVER",
    )
    return Over(plan, (Named(name, number, INT),))


def _without(rows: Plan, others: Plan, names: Sequence[str], meet: exp.Expr) -> Plan:
    """The rows that none of the others meets."""
    condition = scalar.conjoin([*_same(names), *scalar.conjuncts(meet)])
    return Join(rows, _renamed(others), JoinKind.ANTI, condition)


def _renamed(plan: Plan) -> Plan:
    return Map(plan, tuple(Named(_other(c.name), c.value, c.type) for c in plan.schema.passing()))


def _same(names: Sequence[str]) -> list[exp.Expr]:
    return [same_value(scalar.column(n), scalar.column(_other(n))) for n in names]


def _other(name: str) -> str:
    return f"other {name}"
