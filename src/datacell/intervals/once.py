"""δ: every row once at each instant.

Of equal rows, in the order in which they begin, each adds what the ones before it do not cover: [max(from, reach), to),
where `reach` is the latest end of those before. Nothing that comes later can change that. What has to be kept is the
reach of every row that is still valid.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Aggregate, Filter, Group, Map, Over, Plan, Union
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT, BOOLEAN
from datacell.intervals.validity import FROM, TO, VALIDITY, condition, reading

NEW, OLD = "new rows", "old rows"
_REACH, _FRESH = "reach′", "fresh′"


def once(columns: Sequence[Field]) -> Plan:
    """A fragment over new rows and, of rows that were there, their reach."""
    names = [f.name for f in columns]
    marked = [
        Map(rows, (*rows.schema.passing(), Named(_FRESH, fresh, BOOLEAN)))
        for rows, fresh in ((_rows(NEW, columns), exp.true()), (_rows(OLD, columns), exp.false()))
    ]
    ranked = Over(Union(tuple(marked)), (Named(_REACH, _reach(names), BIGINT),))
    begins = scalar.call("greatest", scalar.column(FROM), scalar.call("coalesce", *map(scalar.column, (_REACH, FROM))))
    adding = Filter(ranked, condition("fresh AND (reach IS NULL OR reach < t)", fresh=_FRESH, reach=_REACH, t=TO))
    return Map(adding, (*adding.schema.passing(names), Named(FROM, begins, BIGINT), *adding.schema.passing([TO])))


def reach(columns: Sequence[Field]) -> Plan:
    """A fragment that keeps of equal rows one, which reaches as far as they do."""
    rows = Union((_rows(NEW, columns), _rows(OLD, columns)))
    keys = rows.schema.passing([f.name for f in columns])
    bounds = tuple(
        Named(name, scalar.call(function, scalar.column(name)), BIGINT)
        for name, function in ((FROM, "min"), (TO, "max"))
    )
    return Aggregate(Group(rows, keys), bounds)


def _rows(table: str, columns: Sequence[Field]) -> Plan:
    return reading(table, (*columns, *VALIDITY))


def _reach(names: Sequence[str]) -> exp.Window:
    order = [exp.Ordered(this=scalar.column(c), nulls_first=True) for c in (_FRESH, FROM, TO)]
    return exp.Window(
        this=scalar.call("max", scalar.column(TO)),
        partition_by=[scalar.column(n) for n in names],
        order=exp.Order(expressions=order),
        spec=exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="1", end_side="PRECEDING"),
        over="OVER",
    )
