"""δ: every row once at each instant.

Of equal rows, in the order in which they begin, each adds what the ones before it do not cover: [max(from, reach), to),
where `reach` is the latest end of those before. Nothing that comes later can change that. What has to be kept is the
reach of every row that is still valid.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.frames import before
from datacell.algebra.plan import Aggregate, Filter, Group, Input, Map, Over, Plan, Union
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT, BOOLEAN
from datacell.intervals.flow import NamedSlot
from datacell.intervals.validity import FROM, TO, VALIDITY, condition

_REACH, _IS_NEW = "reach′", "is new′"


class Rows(NamedSlot):
    """What comes; and of rows that were there one of each, which reaches as far as they do."""

    NEW = "new rows"
    OLD = "old rows"


def added(columns: Sequence[Field]) -> Plan:
    """What new rows add to the old ones."""
    names = [f.name for f in columns]
    marked = [
        Map(rows, (*rows.schema.passing(), Named(_IS_NEW, is_new, BOOLEAN)))
        for rows, is_new in ((_rows(Rows.NEW, columns), exp.true()), (_rows(Rows.OLD, columns), exp.false()))
    ]
    reached = before(scalar.call("max", scalar.column(TO)), names, (_IS_NEW, FROM, TO))
    ranked = Over(Union(tuple(marked)), (Named(_REACH, reached, BIGINT),))
    begins = scalar.call("greatest", scalar.column(FROM), scalar.call("coalesce", *map(scalar.column, (_REACH, FROM))))
    adding = Filter(ranked, condition("is_new AND (reach IS NULL OR reach < t)", is_new=_IS_NEW, reach=_REACH, t=TO))
    return Map(adding, (*adding.schema.passing(names), Named(FROM, begins, BIGINT), *adding.schema.passing([TO])))


def reach(columns: Sequence[Field]) -> Plan:
    """Of equal rows, new and old, one that reaches as far as they do."""
    rows = Union((_rows(Rows.NEW, columns), _rows(Rows.OLD, columns)))
    keys = rows.schema.passing([f.name for f in columns])
    bounds = tuple(
        Named(name, scalar.call(function, scalar.column(name)), BIGINT)
        for name, function in ((FROM, "min"), (TO, "max"))
    )
    return Aggregate(Group(rows, keys), bounds)


def _rows(slot: Rows, columns: Sequence[Field]) -> Plan:
    return Input(slot, (*columns, *VALIDITY))
