"""The gate of a stream: rows are divided into those that enter and dead letters.

Rows from a receptor have been checked by Spark (`conditions`), each is beside its reason. Rows that are in the driver
already (INSERT INTO) are checked by an engine, and only if Arrow cannot tell at once that every condition holds. Either
way a dead letter has the same form.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from datacell.algebra import scalar, types
from datacell.algebra.definitions import REASON, REJECTED, StreamDefinition
from datacell.algebra.plan import Filter, Input, Map, Plan, Slot
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.tree import Key
from datacell.engines.arrow import arrow_schema, shaped
from datacell.errors import EngineError
from datacell.runtime.streams.batch import Mask
from datacell.runtime.streams.conditions import LONGEST_TEXT, Condition, conditions, is_null, reason, text

TEXT = "__row"
"""The column of checked rows, beside `REASON`, that has the text of the rejected ones."""

Run = Callable[[Plan, Mapping[Key, pa.Table]], pa.Table]
"""Runs a plan over tables, on whatever engine."""


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
        return conditions(self.stream)

    @cached_property
    def columns(self) -> frozenset[str]:
        """What must be read of a row to know whether it may enter, and when it is."""
        read = frozenset[str]().union(*(scalar.columns(c.broken) for c in self.conditions))
        return read if self.stream.event_time is None else read | {self.stream.event_time}

    @cached_property
    def schema(self) -> pa.Schema:
        return arrow_schema(Schema(self.stream.fields))

    def divide(self, batch: pa.Table, now: datetime) -> Checked:
        """Rows beside their reasons and texts, divided into those that enter and those that do not."""
        bad = batch.filter(pc.is_valid(batch[REASON]))
        good = (batch.filter(pc.is_null(batch[REASON])) if len(bad) else batch).drop_columns([REASON, TEXT])
        return Checked(shaped(good, self.schema), self.dead_letters(bad, now))

    def dead_letters(self, rejected: pa.Table, now: datetime) -> pa.Table:
        """Rows that must not enter, as reasons and texts."""
        return _dead_letters(rejected[REASON], rejected[TEXT], now)

    def check(self, rows: pa.Table, run: Run, now: datetime) -> Checked:
        """Rows that are in the driver, with the columns of the stream and maybe reasons why some must not enter."""
        arriving = _numbered(shaped(rows.select(rows.schema.names[: len(self.schema)]), self.schema))
        given = _given(rows)
        doubtful = arriving.filter(pc.is_null(rows[REASON])) if len(given) else arriving
        broken = pa.concat_tables([given, *self._broken(doubtful, run)])
        entering = arriving.drop_columns([_NUMBER.name])
        if not len(broken):
            return Checked(entering, NOTHING_REJECTED)
        broken = broken.sort_by(_NUMBER.name)
        numbers = broken[_NUMBER.name].combine_chunks()
        enters = pc.invert(pc.is_in(arriving[_NUMBER.name], value_set=numbers))
        texts = self._texts_of(arriving.take(numbers), run)
        return Checked(entering.filter(enters), _dead_letters(broken[REASON], texts, now))

    def turned_away(self, checked: Checked, enters: Mask, why: str, run: Run, now: datetime) -> Checked:
        """Of rows that have passed the gate some must not enter after all."""
        arriving = _numbered(checked.rows).filter(pa.array(~enters))
        reasons = pa.chunked_array([pa.repeat(pa.scalar(why), len(arriving))])
        letters = _dead_letters(reasons, self._texts_of(arriving, run), now)
        return Checked(checked.rows.filter(pa.array(enters)), pa.concat_tables([checked.rejected, letters]))

    def _texts_of(self, rejected: pa.Table, run: Run) -> pa.ChunkedArray:
        """As Spark writes rows; without Spark at hand, as in tests of queries, as Python does."""
        try:
            return run(self._texts, {_ARRIVING: rejected}).sort_by(_NUMBER.name)[TEXT]
        except EngineError:
            rows = rejected.drop_columns([_NUMBER.name]).to_pylist()
            return pa.chunked_array([[json.dumps(row, default=str)[:LONGEST_TEXT] for row in rows]], pa.string())

    def _broken(self, arriving: pa.Table, run: Run) -> Iterator[pa.Table]:
        """The numbers of the rows that break a condition, with reasons; only what Arrow is in doubt of is evaluated."""
        doubtful = tuple(n for n, c in enumerate(self.conditions) if not c.surely_holds(arriving))
        if doubtful and len(arriving):
            yield run(self._breaking(doubtful), {_ARRIVING: arriving})

    def _breaking(self, doubtful: tuple[int, ...]) -> Plan:
        """The rows that break one of these conditions, by number, with the first reason."""
        if doubtful not in self._plans:
            found = reason([self.conditions[n] for n in doubtful])
            reasons = self._over_rows(Named(REASON, found, types.STRING))
            is_broken = exp.Not(this=exp.Paren(this=is_null(REASON)))
            self._plans[doubtful] = Filter(reasons, is_broken)
        return self._plans[doubtful]

    @cached_property
    def _texts(self) -> Plan:
        """The text of every row, by number."""
        return self._over_rows(Named(TEXT, text(self.stream), types.STRING))

    def _over_rows(self, value: Named) -> Plan:
        """A value of every arriving row, beside its number; no column is handed to the engine that it does not read."""
        read = [f for f in self.stream.fields if f.name in scalar.columns(value.value)]
        arriving = Input(_ARRIVING, (_NUMBER, *read))
        return Map(arriving, (*arriving.schema.passing([_NUMBER.name]), value))


def _numbered(rows: pa.Table) -> pa.Table:
    return rows.append_column(_NUMBER.name, pa.array(np.arange(len(rows), dtype=np.int64)))


def _given(rows: pa.Table) -> pa.Table:
    """The numbers of the rows that come with a reason why they must not enter."""
    if REASON not in rows.schema.names or rows[REASON].null_count == len(rows):
        return _BROKEN.empty_table()
    return _numbered(rows).select(_BROKEN.names).filter(pc.is_valid(rows[REASON]))


def _dead_letters(reasons: pa.ChunkedArray, texts: pa.ChunkedArray, now: datetime) -> pa.Table:
    arrived = pa.repeat(pa.scalar(now, _REJECTED.field(0).type), len(reasons))
    return pa.table([arrived, reasons, texts], schema=_REJECTED)
