"""Rows with a validity: the columns that say it, and fragments that read and compare them.

A row is valid in [from, to), in microseconds since the epoch; a row that stays valid forever has `to` = FOREVER. The
*progress* of a relation is an instant before which no further row will begin to be valid: END once there will be none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.partial import formula
from datacell.algebra.plan import Join, Map, Plan, Table, Union
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.types import BIGINT
from datacell.algebra.window import Fixed, Now, Range, WindowSpec
from datacell.errors import PlanError

Instants = npt.NDArray[np.int64]

FROM, TO = "from′", "to′"
FOREVER = 1 << 62
END = FOREVER + 1

VALIDITY = (Field(FROM, BIGINT), Field(TO, BIGINT))
PROGRESS, BEFORE, NOW = "the progress", "before′", "now′"
"""A table of one row: how far the inputs of an operator had come, and have come."""


def valid_to(window: WindowSpec, times: Instants) -> Instants:
    """Law 1: until when the rows of these times are valid under a window."""
    match window:
        case Range(size=size):
            return times + size
        case Fixed(size=size):
            return (times // size + 1) * size
        case Now():
            return times + 1
    return np.full(len(times), FOREVER, dtype=np.int64)


def oldest_valid(window: WindowSpec, at: int) -> int:
    """The least time of a row whose validity reaches this instant."""
    match window:
        case Range(size=size):
            return at - size
        case Fixed(size=size):
            return (-(-at // size) - 1) * size
        case Now():
            return at - 1
    return -FOREVER


def reading(table: str, columns: Iterable[Field]) -> Plan:
    """A relation from a table of the same names."""
    fields = tuple(columns)
    return Map(Table(table, "of", fields), tuple(Named(f.name, scalar.column(f"of.{f.name}"), f.type) for f in fields))


def own(schema: Schema) -> tuple[Field, ...]:
    """The columns without those of the validity."""
    return tuple(f for f in schema if f.name not in (FROM, TO))


def union(plans: Sequence[Plan]) -> Plan:
    return plans[0] if len(plans) == 1 else Union(tuple(plans))


def with_progress(plan: Plan) -> Plan:
    """The rows with the instants of the progress beside them."""
    return Join(plan, reading(PROGRESS, (Field(BEFORE, BIGINT), Field(NOW, BIGINT))))


def condition(text: str, **columns: str) -> exp.Expr:
    """A formula over columns, by short names."""
    return formula(text, **{short: scalar.column(name) for short, name in columns.items()})


def computed(name: str, text: str, **columns: str) -> Named:
    """A BIGINT that a formula over columns gives."""
    return Named(name, condition(text, **columns), BIGINT)


def call(name: str, function: str, *columns: str) -> Named:
    """A BIGINT that a function of columns gives."""
    return Named(name, scalar.call(function, *map(scalar.column, columns)), BIGINT)


def require_no_instant(plan: Plan) -> None:
    """`valid_from` and `valid_to` are known of an answer, not of what it is made of."""
    for node in (plan, *plan.children):
        if any(map(scalar.reads_boundary, node.expressions())):
            raise PlanError("valid_from and valid_to can stand in the outermost select list only")
