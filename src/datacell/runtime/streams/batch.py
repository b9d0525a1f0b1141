"""Batches: rows of a stream that arrived together, and where they are in it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np
import pyarrow as pa

from datacell.algebra.positions import FOREVER, Positions

Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]


class Axis(Enum):
    """What positions count: microseconds since the epoch, or arrivals from 1 on."""

    TIME = "time"
    NUMBER = "number"


Need = tuple[Axis, int]
"""What a reader still needs of a stream: the least position that it looks at."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows of a stream that arrived together, numbered from `first` on.

    `when` is the time of each of them, or of all. They may be a part of what arrived: windows come before filters, so
    where the `whole` reaches and when its rows came counts for every part of it.
    """

    number: int
    rows: pa.Table
    when: Positions | int
    first: int
    whole: Batch | None = None

    @cached_property
    def times(self) -> Positions:
        return np.full(len(self.rows), self.when, dtype=np.int64) if isinstance(self.when, int) else self.when

    @property
    def came(self) -> Positions:
        """The times of all rows that arrived together, also of those that are not here."""
        return self.times if self.whole is None else self.whole.times

    def part(self, mask: Mask) -> Batch:
        """The rows for which the mask is true."""
        when = self.when if isinstance(self.when, int) else self.when[mask]
        return Batch(self.number, self.rows.filter(pa.array(mask)), when, self.first, self.whole or self)

    @cached_property
    def numbers(self) -> Positions:
        assert self.whole is None, "nobody who counts rows reads a part of them"
        return np.arange(self.first, self.first + len(self.rows), dtype=np.int64)

    def positions(self, axis: Axis) -> Positions:
        return self.times if axis is Axis.TIME else self.numbers

    def extent(self, axis: Axis) -> tuple[int, int]:
        """The least and the greatest position; if there are no rows, the greatest is before all others."""
        if self.whole is not None:
            return self.whole.extent(axis)
        if axis is Axis.NUMBER and len(self.rows):
            return self.first, self.first + len(self.rows) - 1
        return self._times

    @cached_property
    def _times(self) -> tuple[int, int]:
        if isinstance(self.when, int) and len(self.rows):
            return self.when, self.when
        return int(self.times.min(initial=FOREVER)), int(self.times.max(initial=-FOREVER))

    def between(self, axis: Axis, start: int, stop: int) -> tuple[pa.Table, Positions]:
        """The rows from one position to another, and where they are."""
        at, (first, last) = self.positions(axis), self.extent(axis)
        if start <= first and last < stop:
            return self.rows, at
        if last < start or stop <= first:
            return self.rows[:0], at[:0]
        if axis is Axis.NUMBER:
            begin, end = max(0, start - first), max(0, stop - first)
            return self.rows[begin:end], at[begin:end]
        inside = (at >= start) & (at < stop)
        return self.rows.filter(pa.array(inside)), at[inside]


def positions(column: pa.ChunkedArray) -> Positions:
    """The numbers in a column; not copied where they are in one piece."""
    whole = column.chunk(0) if column.num_chunks == 1 else column
    return np.asarray(whole.to_numpy(), dtype=np.int64)
