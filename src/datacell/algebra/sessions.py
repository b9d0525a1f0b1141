"""Sessions: rows of a key that follow each other in less than a gap.

The law (`algebra.window`): the rows of one key are cut wherever two neighbours in time are a gap or more apart. What is
known of a session that goes on is its first and its last time. New rows are sessions of one row each, and sessions
whose distance is less than the gap are one: so those that were there and new rows are merged by the same plan, and only
the keys that have new rows are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from sqlglot import exp

from datacell.algebra import scalar, tree
from datacell.algebra.carry import narrowed, same_value
from datacell.algebra.frames import before, so_far
from datacell.algebra.partial import formula
from datacell.algebra.plan import Aggregate, Group, Input, Join, JoinKind, Map, Over, Plan, Slot, Stream, Union, Window
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT, INT
from datacell.algebra.versions import TIME, of_keys
from datacell.algebra.window import Session
from datacell.errors import PlanError

FIRST, LAST, SESSION = "first′", "last′", "session′"
"""Columns of a session: its first and its last time, and a number that no other one has."""

_REACH, _BEGINS = "reach′", "begins′"


class Rows(Slot, Enum):
    """Rows that have just come, those that wait for the end of their session; sessions."""

    NEW = "new rows"
    WAITING = "waiting rows"
    OPEN = "open sessions"
    ENDED = "sessions that have ended"

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Sessions:
    """Of the window of a query, which may stand in its plan several times, and each time read other columns."""

    windows: tuple[Window, ...]

    @property
    def stream(self) -> str:
        return tree.stream_of(self.windows[0])

    @property
    def gap(self) -> int:
        return self._spec.gap

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The stream's own names of the keys."""
        return tuple(_stream_column(self.windows[0].child, key) for key in self._spec.keys)

    @property
    def columns(self) -> tuple[Field, ...]:
        """What is read of the stream."""
        return tuple(dict.fromkeys(f for window in self.windows for s in tree.streams(window) for f in s.columns))

    @property
    def kept(self) -> tuple[Field, ...]:
        """Of a row that waits."""
        return (*self.columns, Field(TIME, BIGINT))

    @property
    def open(self) -> tuple[Field, ...]:
        """Of a session."""
        return (*self._keys, Field(FIRST, BIGINT), Field(LAST, BIGINT))

    @property
    def ended(self) -> tuple[Field, ...]:
        return (*self.open, Field(SESSION, BIGINT))

    @cached_property
    def merged(self) -> Plan:
        """All sessions, with what new rows make of those of their keys."""
        keys = self.keys
        new = Input(Rows.NEW, self.kept)
        alone = Map(new, (*new.schema.passing(keys), *(Named(n, scalar.column(TIME), BIGINT) for n in (FIRST, LAST))))
        both = Union((of_keys(Input(Rows.OPEN, self.open), alone, keys), alone))
        reach = Named(_REACH, before(scalar.call("max", scalar.column(LAST)), keys, (FIRST, LAST)), BIGINT)
        text = f"CASE WHEN reach IS NULL OR first - reach >= {self.gap} THEN 1 ELSE 0 END"
        reached = Over(both, (reach,))
        begins = Named(_BEGINS, formula(text, reach=scalar.column(_REACH), first=scalar.column(FIRST)), INT)
        marked = Map(reached, (*reached.schema.passing([f.name for f in self.open]), begins))
        counted = scalar.call("sum", scalar.column(_BEGINS))
        numbered = Over(marked, (Named(SESSION, so_far(counted, keys, (FIRST, LAST)), BIGINT),))
        bounds = tuple(Named(n, scalar.call(f, scalar.column(n)), BIGINT) for n, f in ((FIRST, "min"), (LAST, "max")))
        found = Aggregate(Group(numbered, numbered.schema.passing((*keys, SESSION))), bounds)
        others = of_keys(Input(Rows.OPEN, self.open), alone, keys, JoinKind.ANTI)
        merged = narrowed(found, tuple(f.name for f in self.open))
        return Union((merged, others)) if keys else merged

    @cached_property
    def assigned(self) -> Plan:
        """The rows that wait, with the number of their session if that has ended."""
        rows, ended = Input(Rows.WAITING, self.kept), Input(Rows.ENDED, self.ended)
        names = {f.name: f"of {f.name}" for f in self.ended}
        other = Map(ended, tuple(Named(names[c.name], c.value, c.type) for c in ended.schema.passing()))
        same = [same_value(scalar.column(k), scalar.column(names[k])) for k in self.keys]
        inside = [
            exp.GTE(this=scalar.column(TIME), expression=scalar.column(names[FIRST])),
            exp.LTE(this=scalar.column(TIME), expression=scalar.column(names[LAST])),
        ]
        joined = Join(rows, other, JoinKind.LEFT, scalar.conjoin([*same, *inside]))
        number = Named(SESSION, scalar.column(names[SESSION]), BIGINT)
        return Map(joined, (*joined.schema.passing([f.name for f in self.kept]), number))

    def named(self) -> tuple[tuple[str, Plan], ...]:
        """All that an engine will have to run beside the answer, by name."""
        return ("sessions", self.merged), ("rows of sessions", self.assigned)

    @property
    def _spec(self) -> Session:
        found = self.windows[0].window
        assert isinstance(found, Session)
        return found

    @property
    def _keys(self) -> tuple[Field, ...]:
        fields = {f.name: f for f in self.columns}
        return tuple(fields[key] for key in self.keys)


def _stream_column(plan: Plan, name: str) -> str:
    """The stream's own name of a column; what stands below a session window only renames its keys."""
    match plan:
        case Stream(columns=columns):
            return columns[plan.schema.names.index(name)].name
        case Map(child, columns):
            return _stream_column(child, next(c.value.name for c in columns if c.name == name))
        case Group(child):
            return _stream_column(child, name)
    raise PlanError(f"{plan.head()} below a session window")
