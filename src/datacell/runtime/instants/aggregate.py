"""An aggregate by parts at every instant, at work."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datacell.algebra.schema import Field, Schema
from datacell.algebra.window import Fixed, Now, Range, WindowSpec
from datacell.engines.arrow import arrow_schema
from datacell.intervals import blocks
from datacell.intervals.blocks import AT, BEGINS, COUNT, PERIOD, STOPS, back
from datacell.intervals.operators import Sum
from datacell.intervals.validity import FOREVER, FROM, TO, Instants
from datacell.runtime.evaluation import Runner
from datacell.runtime.instants.buffer import instants
from datacell.runtime.instants.cut_points import Turns
from datacell.runtime.instants.operator import Given, Working


class Summing(Working):
    """The rows of the open block, what is left when rows of the one before go, and the open segment of each key."""

    def __init__(self, operator: Sum, run: Runner, turns: Turns) -> None:
        super().__init__(operator, run, turns)
        self.plans, self.window, self.split = operator.plans, operator.window, operator.split
        made = operator.blocks
        self.keys = [f.name for f in made.key_fields]
        self.current = [_empty(made.partial_fields, PERIOD)]
        self.leaving = _empty(made.end_fields)
        self.open = _empty(made.state_fields)

    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        starts = self._partials(new)
        totals = self._close(starts, now)
        ends = self._gone(now)
        ticks = self._ticks(starts, ends, now)
        if not (len(starts) or len(ends) or len(totals) or len(ticks)):
            return self.schema.empty_table(), self._given(now)
        state = _with(self.open, PERIOD, np.full(len(self.open), period(self.window, self.before)))
        inputs = {blocks.STARTS: starts, blocks.ENDS: ends, blocks.TOTALS: totals, blocks.STATE: state}
        found = self.run(self.plans.events, {**inputs, blocks.TICKS: ticks})
        is_open = found[STOPS].is_null()
        closed, self.open = found.filter(pc.invert(is_open)), found.filter(is_open).drop_columns([STOPS])
        rows = self.run(self.plans.finished, {blocks.ROWS: closed}) if len(closed) else self.schema.empty_table()
        return rows, self._given(now)

    def kept(self) -> int:
        return sum(map(len, self.current)) + len(self.leaving) + len(self.open)

    def open_rows(self) -> int:
        return len(self.open)

    def _partials(self, new: Sequence[pa.Table]) -> pa.Table:
        if not any(map(len, new)):
            return self.current[0].slice(0, 0)
        inputs = dict(zip((blocks.ROWS, blocks.PRESENT), new, strict=False))
        rows = self.run(self.plans.partials, inputs)
        return _with(rows, PERIOD, periods(self.window, instants(rows, FROM)))

    def _close(self, starts: pa.Table, now: int) -> pa.Table:
        """Blocks that end by now: what will be left of them, and what the periods after them begin with."""
        self.current.append(starts)
        none, open_period = _empty(self.plans.totals.schema.fields, AT), period(self.window, now)
        if open_period == period(self.window, self.before):
            return none
        rows = pa.concat_tables(self.current)
        closed = instants(rows, PERIOD) < open_period
        self.current = [rows.filter(pa.array(~closed))]
        if not closed.any():
            return none
        block = rows.filter(pa.array(closed))
        totals = self.run(self.plans.totals, {blocks.ROWS: block})
        if isinstance(self.window, Range | Now):
            self._leave(self.run(self.plans.left, {blocks.ROWS: block}))
            return self._following(totals)
        self._leave(self._all_gone(totals))
        return none

    def _following(self, totals: pa.Table) -> pa.Table:
        """They stand just before the period that they begin."""
        numbers = instants(totals, PERIOD) + 1
        moved = totals.set_column(totals.schema.get_field_index(PERIOD), PERIOD, pa.array(numbers))
        return _with(moved, AT, numbers * length(self.window) - 1)

    def _all_gone(self, totals: pa.Table) -> pa.Table:
        """Nothing is left of a block that goes at once."""
        gone = {name: totals[name] for name in self.keys}
        for field in self.leaving.schema:
            if field.name not in (*self.keys, TO):
                gone[field.name] = pa.nulls(len(totals), field.type)
        gone[back(COUNT)] = pa.array(np.zeros(len(totals), dtype=np.int64))
        numbers = instants(totals, PERIOD)
        bounded = isinstance(self.window, Fixed)
        gone[TO] = pa.array((numbers + 1) * length(self.window) if bounded else np.full(len(numbers), FOREVER))
        return pa.table(gone)

    def _leave(self, rows: pa.Table) -> None:
        both = pa.concat_tables([self.leaving, rows.select(self.leaving.schema.names)])
        self.leaving = both.take(pc.sort_indices(both, sort_keys=[(TO, "ascending")]))

    def _gone(self, now: int) -> pa.Table:
        """The ends that have come."""
        count = int(np.searchsorted(instants(self.leaving, TO), now, side="right"))
        gone, self.leaving = self.leaving.slice(0, count), self.leaving.slice(count)
        return _with(gone, PERIOD, periods(self.window, instants(gone, TO)))

    def _ticks(self, starts: pa.Table, ends: pa.Table, now: int) -> pa.Table:
        """The instants that cut segments, as far as there are any to be cut."""
        known = [instants(starts, FROM), instants(ends, TO), instants(self.open, BEGINS)]
        at = self.turns.ticks(self.split, np.concatenate(known), self.before, now)
        return pa.table({PERIOD: pa.array(periods(self.window, at)), AT: pa.array(at)})

    def _given(self, now: int) -> int:
        return min(now, int(instants(self.open, BEGINS).min(initial=now)))


def length(window: WindowSpec) -> int:
    """Of a period."""
    return window.size if isinstance(window, Range | Fixed) else 1


def period(window: WindowSpec, instant: int) -> int:
    """The number of the period that an instant lies in; a window without end has one, and what comes after it."""
    return instant // length(window) if isinstance(window, Range | Fixed | Now) else int(instant >= FOREVER)


def periods(window: WindowSpec, at: Instants) -> Instants:
    endless = not isinstance(window, Range | Fixed | Now)
    return np.asarray(at >= FOREVER, dtype=np.int64) if endless else at // length(window)


def _empty(fields: Sequence[Field], *numbers: str) -> pa.Table:
    schema = arrow_schema(Schema(tuple(fields)))
    for name in numbers:
        schema = schema.append(pa.field(name, pa.int64()))
    return schema.empty_table()


def _with(rows: pa.Table, name: str, values: Instants) -> pa.Table:
    return rows.append_column(name, pa.array(values, pa.int64()))
