"""Joins, distinct rows and swept operators at work: what each keeps from one micro-batch to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datacell.intervals import once, pairs, sweep
from datacell.intervals.operators import Once, Pair, Sweep
from datacell.intervals.validity import BEFORE, FROM, NOW, PROGRESS, TO
from datacell.runtime.evaluation import Runner
from datacell.runtime.instants.buffer import instants, reaching
from datacell.runtime.instants.cut_points import Turns
from datacell.runtime.instants.operator import Given, Working


class Overlapping(Working):
    """Both sides, as far as later rows can overlap with them."""

    def __init__(self, operator: Pair, run: Runner, turns: Turns) -> None:
        super().__init__(operator, run, turns)
        self.operator = operator
        self.left, self.right = (inbox.rows for inbox in self.inboxes)

    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        left, right = new
        both = {
            pairs.LEFT_NEW: left,
            pairs.LEFT_OLD: self.left,
            pairs.RIGHT_NEW: right,
            pairs.RIGHT_ALL: pa.concat_tables([self.right, right]),
        }
        met = self.run(self.operator.meeting, both) if len(left) or len(right) else self.schema.empty_table()
        self.left = reaching(pa.concat_tables([self.left, left]), now + 1)
        self.right = reaching(both[pairs.RIGHT_ALL], now + 1)
        return met, now

    def kept(self) -> int:
        return len(self.left) + len(self.right)


class Covering(Working):
    """Of every row that is valid, how far it reaches."""

    def __init__(self, operator: Once, run: Runner, turns: Turns) -> None:
        super().__init__(operator, run, turns)
        self.operator = operator
        self.reach = self.inboxes[0].rows

    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        (rows,) = new
        if not len(rows):
            self.reach = reaching(self.reach, now + 1)
            return self.schema.empty_table(), now
        inputs = {once.NEW: rows, once.OLD: self.reach}
        added = self.run(self.operator.adding, inputs)
        self.reach = reaching(self.run(self.operator.keeping, inputs), now + 1).select(self.reach.schema.names)
        return added, now

    def kept(self) -> int:
        return len(self.reach)


class Sweeping(Working):
    """The rows of every side that reach into a segment which is not closed."""

    def __init__(self, operator: Sweep, run: Runner, turns: Turns) -> None:
        super().__init__(operator, run, turns)
        self.operator = operator
        self.sides = [inbox.rows for inbox in self.inboxes]
        self._open = 0

    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        self.sides = [pa.concat_tables([old, more]) for old, more in zip(self.sides, new, strict=True)]
        if not any(map(len, self.sides)):
            return self.schema.empty_table(), now
        sides = {sweep.side_table(index): rows for index, rows in enumerate(self.sides)}
        found = self._cut(sides, now)
        is_open = found[sweep.ENDS].is_null()
        begun = instants(found.filter(is_open), sweep.BEGINS)
        self._open = len(begun)
        given = min(now, int(begun.min(initial=now)))
        closed = found.filter(pc.invert(is_open))
        rows = self.schema.empty_table()
        if len(closed):
            rows = self.run(self.operator.evaluating, {**sides, sweep.SEGMENTS: closed})
        self.sides = [reaching(side, given) for side in self.sides]
        return rows, given

    def kept(self) -> int:
        return sum(map(len, self.sides))

    def open_rows(self) -> int:
        return self._open

    def _cut(self, sides: Mapping[str, pa.Table], now: int) -> pa.Table:
        """The segments, also at the ticks since the first that is open."""
        inputs = {**sides, PROGRESS: progress_table(self.before, now)}
        known = np.concatenate([instants(side, bound) for side in self.sides for bound in (FROM, TO)])
        at = self.turns.ticks(self.operator.split, known, self.given, now)
        if not len(at):
            return self.run(self.operator.cutting, inputs)
        return self.run(self.operator.cutting_at_ticks, {**inputs, sweep.TICKS: pa.table({sweep.AT: pa.array(at)})})


def progress_table(before: int, now: int) -> pa.Table:
    return pa.table({BEFORE: pa.array([before], pa.int64()), NOW: pa.array([now], pa.int64())})
