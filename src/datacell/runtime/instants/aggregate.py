"""An aggregate by parts at every instant: two-stack aggregation as time goes on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datacell.algebra.blocks import blocks
from datacell.algebra.positions import Positions
from datacell.algebra.tree import Key
from datacell.intervals import operators
from datacell.intervals.aggregate_columns import BLOCK, COUNT, AggregateSlot, back
from datacell.intervals.validity import AT, BEGINS, ENDS, FROM, TO
from datacell.runtime.instants.aggregate_state import AggregateState
from datacell.runtime.instants.cut_points import CutPoints
from datacell.runtime.instants.operator import Given, StatefulOperator
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.batch import positions


class StatefulAggregate(StatefulOperator):
    def __init__(self, operator: operators.Aggregate, label: str, plans: Plans, cut_points: CutPoints) -> None:
        super().__init__(operator, label, plans, cut_points)
        self._columns, self._split_every = operator.columns, operator.split_every
        self._blocks = blocks(operator.window)
        self._partials, self._suffixes, self._totals, self._events, self._finished = map(self._prepare, operator.plans)
        self._state = AggregateState(self._columns)

    def reset(self) -> None:
        super().reset()
        self._state = AggregateState(self._columns)

    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        starts = self._starts(new)
        totals = self._closed_blocks(starts, now)
        ends = self._in_blocks(self._state.ends_until(now), TO)
        cuts = self._cuts(starts, ends, now)
        if not any(map(len, (starts, totals, ends, cuts))):
            return self.schema.empty_table(), self._given(now)
        open_block = np.full(len(self._state.open), self._blocks.number(self.before), dtype=np.int64)
        found = self._events(
            {
                AggregateSlot.STARTS: starts,
                AggregateSlot.ENDS: ends,
                AggregateSlot.TOTALS: totals,
                AggregateSlot.OPEN: _with(self._state.open, BLOCK.name, open_block),
                AggregateSlot.CUT_POINTS: cuts,
            }
        )
        is_open = found[ENDS].is_null()
        self._state.open = found.filter(is_open).drop_columns([ENDS])
        closed = found.filter(pc.invert(is_open))
        rows = self._finished({AggregateSlot.CLOSED: closed}) if len(closed) else self.schema.empty_table()
        return rows, self._given(now)

    def kept(self) -> int:
        return len(self._state)

    def open_rows(self) -> int:
        return len(self._state.open)

    def _starts(self, new: Sequence[pa.Table]) -> pa.Table:
        """New rows as partial rows."""
        if not any(map(len, new)):
            return self._state.no_partials
        inputs: dict[Key, pa.Table] = dict(zip((AggregateSlot.ROWS, AggregateSlot.PRESENT), new, strict=False))
        return self._in_blocks(self._partials(inputs), FROM)

    def _closed_blocks(self, starts: pa.Table, now: int) -> pa.Table:
        """What the blocks begin with that come after those which end by now, whose rows are to end."""
        block = self._blocks.number(now)
        closed = self._state.closed_blocks(starts, None if block == self._blocks.number(self.before) else block)
        if not len(closed):
            return self._state.no_totals
        inputs: dict[Key, pa.Table] = {AggregateSlot.CLOSED_BLOCKS: closed}
        totals = self._totals(inputs)
        if not self._blocks.slides:
            self._state.add_ends(self._at_once(totals))
            return self._state.no_totals
        self._state.add_ends(self._suffixes(inputs))
        return self._as_backs(totals)

    def _as_backs(self, totals: pa.Table) -> pa.Table:
        """They stand just before the block that they are the back of."""
        numbers = positions(totals[BLOCK.name]) + 1
        moved = totals.set_column(totals.schema.get_field_index(BLOCK.name), BLOCK.name, pa.array(numbers))
        return _with(moved, AT, self._blocks.starts(numbers) - 1)

    def _at_once(self, totals: pa.Table) -> pa.Table:
        """The ends of blocks of which nothing is left then."""
        ends = {name: totals[name] for name in self._columns.names}
        for field in self._columns.ends:
            if field.name not in (*self._columns.names, TO):
                ends[field.name] = pa.nulls(len(totals), totals.schema.field(field.name).type)
        ends[back(COUNT.name)] = pa.array(np.zeros(len(totals), dtype=np.int64))
        ends[TO] = pa.array(self._blocks.starts(positions(totals[BLOCK.name]) + 1))
        return pa.table(ends)

    def _cuts(self, starts: pa.Table, ends: pa.Table, now: int) -> pa.Table:
        """The instants that cut segments, as far as there are any to be cut."""
        known = [positions(starts[FROM]), positions(ends[TO]), positions(self._state.open[BEGINS])]
        at = self.cut_points.between(self._split_every, np.concatenate(known), self.before, now)
        return pa.table({BLOCK.name: pa.array(self._blocks.numbers(at)), AT: pa.array(at)})

    def _in_blocks(self, rows: pa.Table, at: str) -> pa.Table:
        return _with(rows, BLOCK.name, self._blocks.numbers(positions(rows[at])))

    def _given(self, now: int) -> int:
        return min(now, int(positions(self._state.open[BEGINS]).min(initial=now)))


def _with(rows: pa.Table, name: str, values: Positions) -> pa.Table:
    return rows.append_column(name, pa.array(values, pa.int64()))
