"""Rows with a validity: the columns that say it, and fragments that read and compare them.

A row is valid in [from, to), in microseconds since the epoch; a row that stays valid forever has `to` = FOREVER. The
*progress* of a relation is an instant before which no further row will begin to be valid: END once there will be none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.partial import formula
from datacell.algebra.plan import Plan, Union
from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.types import BIGINT
from datacell.algebra.window import Fixed, Now, Range, WindowSpec
from datacell.errors import PlanError

FROM, TO = "from′", "to′"
END = FOREVER + 1

VALIDITY = (Field(FROM, BIGINT), Field(TO, BIGINT))

AT = "at′"
"""An instant at which something begins, ends or is cut."""

BEGINS, ENDS = "begins′", "ends′"
"""Of a *segment*, a stretch of time in which nothing changes; the end of one that is still open is NULL."""


def valid_to(window: WindowSpec, times: Positions) -> Positions:
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


def own(schema: Schema) -> tuple[Field, ...]:
    """The columns without those of the validity."""
    return tuple(f for f in schema if f.name not in (FROM, TO))


def union(plans: Sequence[Plan]) -> Plan:
    return plans[0] if len(plans) == 1 else Union(tuple(plans))


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
