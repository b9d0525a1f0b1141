"""Versions: the rows of a LATEST window, each valid until the next one of its key.

The law (`algebra.window`): of one key the rows are ordered by time, and those of one time by arrival; a row is valid
from its time until that of the next. Until when the last one of a key is valid is not known yet: it is *open*. So what
has to be kept of the past is one row of each key that is alive, and what is new is dated together with the open rows
of its keys. All rows that begin before an instant are taken before any that begins later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from sqlglot import exp

from datacell.algebra import scalar, tree, types
from datacell.algebra.carry import same_value
from datacell.algebra.frames import following
from datacell.algebra.plan import (
    Distinct,
    Filter,
    Group,
    Input,
    Join,
    JoinKind,
    Map,
    Over,
    Plan,
    Slot,
    Stream,
    Union,
    Window,
)
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT
from datacell.algebra.window import LatestBy
from datacell.errors import PlanError

TIME, NUMBER = "time′", "number′"
"""Columns of rows as they are kept: when they begin to be valid, and their arrival number."""

OPEN_END, UNTIL = "open end′", "until′"
"""By what the end of an open row is known; and when a row ends, NULL as long as it is open."""


class Rows(Slot, Enum):
    """Rows of the stream; and what is dated: rows that have just begun, and those that were open."""

    ARRIVED = "rows as they come"
    NEW = "new rows"
    OPEN = "open rows"

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Versions:
    """Of the window that is number `index` of a query."""

    index: int
    window: Window

    @property
    def stream(self) -> str:
        return tree.stream_of(self.window)

    @property
    def spec(self) -> LatestBy:
        assert isinstance(self.window.window, LatestBy)
        return self.window.window

    @property
    def name(self) -> str:
        """What it is called where people read of it."""
        return f"window {self.index + 1}"

    @property
    def columns(self) -> tuple[Field, ...]:
        return self.window.schema.fields

    @property
    def kept(self) -> tuple[Field, ...]:
        """Of a row that is kept."""
        return (*self.columns, Field(TIME, BIGINT), Field(NUMBER, BIGINT))

    @property
    def open(self) -> tuple[Field, ...]:
        """Of an open row."""
        return (*self.kept, Field(OPEN_END, BIGINT))

    @cached_property
    def rows(self) -> Plan:
        """Rows as they come, as they are kept."""
        below = self.window.child
        return with_columns(
            below.child if isinstance(below, Group) else below,
            Rows.ARRIVED,
            (Field(TIME, BIGINT), Field(NUMBER, BIGINT)),
        )

    @cached_property
    def dated(self) -> Plan:
        """New rows, and the open rows of their keys, with their ends as far as these are known now."""
        new, keys = Input(Rows.NEW, self.kept), self.spec.keys
        unknown = Named(OPEN_END, exp.TryCast(this=exp.Null(), to=types.to_sqlglot(BIGINT)), BIGINT)
        touched = of_keys(Input(Rows.OPEN, self.open), new, keys)
        both = Union((touched, Map(new, (*new.schema.passing(), unknown))))
        return Over(both, (Named(UNTIL, following(TIME, keys, (TIME, NUMBER)), BIGINT),))

    @cached_property
    def last(self) -> Plan:
        """Of the rows that begin before an instant, those that are valid there."""
        rows = Input(Rows.NEW, self.kept)
        dated = Over(rows, (Named(UNTIL, following(TIME, self.spec.keys, (TIME, NUMBER)), BIGINT),))
        still: list[exp.Expr] = [exp.Is(this=scalar.column(UNTIL), expression=exp.Null())]
        if self.spec.ends is not None:
            still.append(scalar.call("coalesce", exp.Not(this=scalar.column(self.spec.ends)), exp.true()))
        left = Filter(dated, scalar.conjoin(still))
        return Map(left, left.schema.passing([f.name for f in self.kept]))

    def named(self) -> tuple[tuple[str, Plan], ...]:
        """All that an engine will have to run, by name."""
        found = ("rows", self.rows), ("versions", self.dated), ("last versions", self.last)
        return tuple((f"{self.name}: {what}", plan) for what, plan in found)


def with_columns(plan: Plan, slot: Slot, more: Sequence[Field]) -> Plan:
    """What stands below a window, over rows that have further columns, which it passes on."""
    match plan:
        case Stream(alias=alias, columns=columns):
            rows = Input(slot, (*columns, *more), alias)
            passed = (Named(f.name, scalar.column(f"{alias}.{f.name}"), f.type) for f in more)
            return Map(rows, (*rows.schema.passing(plan.schema.names), *passed))
        case Map(child, columns):
            below = with_columns(child, slot, more)
            return Map(below, (*columns, *below.schema.passing(f.name for f in more)))
        case Filter(child):
            return Filter(with_columns(child, slot, more), plan.predicate)
    raise PlanError(f"{plan.head()} below a window")


def of_keys(rows: Plan, others: Plan, keys: Sequence[str], kind: JoinKind = JoinKind.SEMI) -> Plan:
    """The rows whose keys are among those of the others, or are not; without keys all of them are."""
    if not keys:
        return rows
    renamed = {key: f"other {key}" for key in keys}
    wanted = Distinct(Map(others, tuple(Named(renamed[c.name], c.value, c.type) for c in others.schema.passing(keys))))
    same = [same_value(scalar.column(key), scalar.column(other)) for key, other in renamed.items()]
    return Join(rows, wanted, kind, scalar.conjoin(same))
