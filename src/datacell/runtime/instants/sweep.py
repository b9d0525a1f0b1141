"""An operator that is swept: the rows of every side that reach into a segment which is not closed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datacell.algebra.open_ends import Ended
from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.tree import Key
from datacell.intervals import operators
from datacell.intervals.sweep import BEFORE, NOW, SideRows, Swept
from datacell.intervals.validity import AT, BEGINS, ENDS, FROM, TO
from datacell.runtime.instants.buffer import beginning, reaching, settled
from datacell.runtime.instants.cut_points import CutPoints
from datacell.runtime.instants.operator import Given, StatefulOperator
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.batch import positions

MOST_PAIRS = 2_000_000
"""About so many segments with rows that are valid in them are evaluated at once: what is grouped must fit in memory."""

Sides = Mapping[Key, pa.Table]


class StatefulSweep(StatefulOperator):
    takes_open = True

    def __init__(self, operator: operators.Sweep, label: str, plans: Plans, cut_points: CutPoints) -> None:
        super().__init__(operator, label, plans, cut_points)
        self._split_every = operator.split_every
        self._segments = self._prepare(operator.segments)
        self._segments_at_cut_points = self._prepare(operator.segments_at_cut_points)
        self._swept = self._prepare(operator.swept)
        self._sides = [buffer.schema.empty_table() for buffer in self.buffers]
        self._open = 0

    def reset(self) -> None:
        super().reset()
        self._sides = [side.schema.empty_table() for side in self._sides]
        self._open = 0

    def settle(self, ended: Ended) -> None:
        super().settle(ended)
        self._sides = [settled(side, ended) for side in self._sides]

    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        self._sides = [pa.concat_tables([old, more]) for old, more in zip(self._sides, new, strict=True)]
        if not any(map(len, self._sides)):
            return self.schema.empty_table(), now
        sides: dict[Key, pa.Table] = {SideRows(index): rows for index, rows in enumerate(self._sides)}
        found = self._cut(sides, now)
        is_open = found[ENDS].is_null()
        begun = positions(found.filter(is_open)[BEGINS])
        self._open = len(begun)
        given = min(now, int(begun.min(initial=now)))
        closed = found.filter(pc.invert(is_open))
        rows = [
            self._swept({**_valid_in(portion, sides), Swept.SEGMENTS: portion}) for portion in _portions(closed, sides)
        ]
        self._sides = [reaching(side, given) for side in self._sides]
        return pa.concat_tables(rows) if rows else self.schema.empty_table(), given

    def kept(self) -> int:
        return sum(map(len, self._sides))

    def open_rows(self) -> int:
        return self._open

    def _cut(self, sides: Mapping[Key, pa.Table], now: int) -> pa.Table:
        """The segments since the first that is open; also at cut points, if there are any."""
        progress = {BEFORE: pa.array([self.before], pa.int64()), NOW: pa.array([now], pa.int64())}
        inputs = {**sides, Swept.PROGRESS: pa.table(progress)}
        known = np.concatenate([positions(side[bound]) for side in self._sides for bound in (FROM, TO)])
        at = self.cut_points.between(self._split_every, known, self.given, now)
        if not len(at):
            return self._segments(inputs)
        return self._segments_at_cut_points({**inputs, Swept.CUT_POINTS: pa.table({AT: pa.array(at)})})


def _portions(segments: pa.Table, sides: Sides) -> Iterator[pa.Table]:
    """The segments in the order of time, so many at once as have not too many rows that are valid in them.

    At each instant every key has one segment, among which the rows that are valid then are divided.
    """
    if not len(segments):
        return
    begins, ends = (positions(segments[bound]) for bound in (BEGINS, ENDS))
    live = sum(_covering(begins, positions(side[FROM]), positions(side[TO])) for side in sides.values())
    order = np.argsort(begins, kind="stable")
    pairs = np.cumsum((live / _covering(begins, begins, ends))[order])
    numbers = (pairs / MOST_PAIRS).astype(np.int64)
    for portion in np.split(order, np.flatnonzero(np.diff(numbers)) + 1):
        yield segments if len(portion) == len(segments) else segments.take(pa.array(portion))


def _covering(at: Positions, since: Positions, until: Positions) -> Positions:
    """How many validities cover each of these instants."""
    begun, ended = (np.searchsorted(np.sort(bound), at, side="right") for bound in (since, until))
    return begun - ended


def _valid_in(segments: pa.Table, sides: Sides) -> Sides:
    """The rows that are valid in some of the segments, and perhaps a few more."""
    begins = positions(segments[BEGINS])
    first, last = int(begins.min()), int(begins.max())
    return {key: beginning(reaching(rows, first + 1), -FOREVER, last + 1) for key, rows in sides.items()}
