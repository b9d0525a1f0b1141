"""coalesce: equal rows that follow each other without a gap become one.

Of equal rows, one that ends where another begins is continued by it: the end and the beginning cancel. What is left of
beginnings and ends is paired in order. That is the least number of rows with the same snapshots; overlapping rows may
exchange their ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.carry import same_value
from datacell.algebra.frames import row_number
from datacell.algebra.plan import Input, Join, JoinKind, Map, Over, Plan
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT, INT
from datacell.intervals.flow import NamedSlot
from datacell.intervals.validity import FROM, TO, computed, condition

_ORDINAL, _NUMBER = "ordinal′", "number′"


class Bounds(NamedSlot):
    """Rows as two relations: where they begin, and where they end."""

    STARTS = "starts"
    ENDS = "ends"


def coalesced(columns: Sequence[Field]) -> Plan:
    """The rows that are left; those that go on have NULL as their end."""
    names = [f.name for f in columns]
    starts = _numbered(Input(Bounds.STARTS, (*columns, Field(FROM, BIGINT))), _ORDINAL, (*names, FROM), FROM)
    ends = _numbered(Input(Bounds.ENDS, (*columns, Field(TO, BIGINT))), _ORDINAL, (*names, TO), TO)
    ends_there = condition("a = b AND i = j", a=FROM, b=_other(TO), i=_ORDINAL, j=_other(_ORDINAL))
    begins_there = condition("a = b AND i = j", a=TO, b=_other(FROM), i=_ORDINAL, j=_other(_ORDINAL))
    begun = _numbered(_without(starts, ends, names, ends_there), _NUMBER, names, FROM)
    ended = _numbered(_without(ends, starts, names, begins_there), _NUMBER, names, TO)
    paired = condition("i = j", i=_NUMBER, j=_other(_NUMBER))
    both = Join(begun, _renamed(ended), JoinKind.LEFT, scalar.conjoin([*_same(names), paired]))
    return Map(both, (*both.schema.passing((*names, FROM)), computed(TO, "t", t=_other(TO))))


def _numbered(plan: Plan, name: str, by: Sequence[str], order: str) -> Plan:
    return Over(plan, (Named(name, row_number(by, (order,)), INT),))


def _without(rows: Plan, others: Plan, names: Sequence[str], cancels: exp.Expr) -> Plan:
    """The rows that none of the others cancels."""
    on = scalar.conjoin([*_same(names), *scalar.conjuncts(cancels)])
    return Join(rows, _renamed(others), JoinKind.ANTI, on)


def _renamed(plan: Plan) -> Plan:
    return Map(plan, tuple(Named(_other(c.name), c.value, c.type) for c in plan.schema.passing()))


def _same(names: Sequence[str]) -> list[exp.Expr]:
    return [same_value(scalar.column(n), scalar.column(_other(n))) for n in names]


def _other(name: str) -> str:
    return f"other {name}"
