"""Baskets: the part of a stream that someone still needs.

A basket takes batches of checked rows from its sources: a receptor, queries that insert into the stream. Each row gets
an arrival number and a time (its event time, or its arrival). A batch is one immutable file; a batch that was taken
only half before a crash is taken again, under the same numbers. A batch leaves when every reader is done with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from datacell.incremental.boundaries import FOREVER, Positions
from datacell.runtime.storage import files
from datacell.runtime.storage.saved import SavedTables


class Axis(Enum):
    """What positions count: microseconds since the epoch, or arrivals from 1 on."""

    TIME = "time"
    NUMBER = "number"


Need = tuple[Axis, int]
"""What a reader still needs of a stream: the least position that it looks at."""

_TIME = "time′"
"""The column of a saved batch that the stream does not have."""


@dataclass(frozen=True)
class Progress:
    """How far a stream has come: rows taken so far, the greatest time seen, rows set aside."""

    rows: int = 0
    latest: int = -FOREVER
    late: int = 0
    rejected: int = 0


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows of a stream that arrived together, numbered from `first` on.

    `when` is the time of each of them, or of all.
    """

    number: int
    rows: pa.Table
    when: Positions | int
    first: int

    @cached_property
    def times(self) -> Positions:
        return np.full(len(self.rows), self.when, dtype=np.int64) if isinstance(self.when, int) else self.when

    @cached_property
    def numbers(self) -> Positions:
        return np.arange(self.first, self.first + len(self.rows), dtype=np.int64)

    def positions(self, axis: Axis) -> Positions:
        return self.times if axis is Axis.TIME else self.numbers

    def extent(self, axis: Axis) -> tuple[int, int]:
        """The least and the greatest position; if there are no rows, the greatest is before all others."""
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


class Basket:
    """The live batches of one stream. Not thread-safe: the cell's lock guards it."""

    def __init__(self, directory: Path, schema: pa.Schema) -> None:
        self.schema = schema
        self._saved = SavedTables(directory)
        self._progress = directory / "progress.json"
        self.batches: list[Batch] = []
        self.progress = Progress()
        self.last_batch = -1
        self.sources: dict[str, int] = {}
        self._times: Positions | None = None
        self._recover()

    def holds(self, source: str, number: int) -> bool:
        """Was this batch of that source taken before? Then it may have left already and must not be taken again."""
        return number <= self.sources.get(source, -1)

    def numbered(self, rows: pa.Table, when: Positions | int) -> Batch:
        """The rows as the next batch, which is not taken yet."""
        return Batch(self.last_batch + 1, rows, when, self.progress.rows + 1)

    def take(self, source: str, number: int, batch: Batch, oldest: Iterable[Need], late: int, rejected: int) -> None:
        """Take the batch that `numbered` made; `late` and `rejected` rows of it have been set aside.

        Its rows are stored only if a reader needs them as they are; `oldest` is what each still looks at.
        """
        before, count = self.progress, len(batch.rows)
        latest = max(before.latest, batch.extent(Axis.TIME)[1])
        after = Progress(before.rows + count, latest, before.late + late, before.rejected + rejected)
        stored = count and _is_needed(batch, list(oldest))
        if stored:
            rows = batch.rows.append_column(_TIME, pa.array(batch.times))
            self._saved.put(batch.number, rows, {"first": batch.first})
        sources = {**self.sources, source: number}
        saved = {"batch": batch.number, "sources": sources, "progress": vars(after)}
        files.save_json(self._progress, saved)
        self.batches += [batch] if stored else []
        self._times = None
        self.last_batch, self.sources, self.progress = batch.number, sources, after

    def look_ahead(self, latest: int) -> None:
        """Time passes without rows: the clock of a stream whose time is arrival."""
        self.progress = replace(self.progress, latest=max(self.progress.latest, latest))

    def rows(self) -> pa.Table:
        """All that is in the basket now."""
        return pa.concat_tables([self.schema.empty_table(), *(b.rows for b in self.batches)])

    def between(self, axis: Axis, start: int, stop: int, name: str) -> pa.Table:
        """The rows from one position to another; a column of this name says where they are."""
        found = [b.between(axis, start, stop) for b in self.batches]
        rows = pa.concat_tables([self.schema.empty_table(), *(rows for rows, _ in found)])
        return rows.append_column(name, pa.chunked_array([at for _, at in found], pa.int64()))

    def times(self) -> Positions:
        """The distinct times of the rows, sorted; every factory asks for them whenever the net settles."""
        if self._times is None:
            found = [b.times for b in self.batches]
            self._times = np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
        return self._times

    def expire(self, oldest: Iterable[Need]) -> int:
        """Drop the batches that no reader needs."""
        needs = list(oldest)
        kept = [b for b in self.batches if _is_needed(b, needs)]
        gone = [b for b in self.batches if b not in kept]
        for batch in gone:
            self._saved.remove(batch.number)
        if gone:
            self.batches, self._times = kept, None
        return len(gone)

    def size(self) -> int:
        """Bytes in memory."""
        return sum(b.rows.nbytes + b.times.nbytes for b in self.batches)

    def _recover(self) -> None:
        saved = files.read_json(self._progress)
        if saved is None:
            return
        self.last_batch, self.sources = saved["batch"], saved["sources"]
        self.progress = Progress(**saved["progress"])
        for number, rows, noted in self._saved.read():
            if number <= saved["batch"]:
                times = positions(rows[_TIME])
                self.batches.append(Batch(number, rows.drop_columns([_TIME]), times, noted["first"]))


def positions(column: pa.ChunkedArray) -> Positions:
    """The numbers in a column; not copied where they are in one piece."""
    whole = column.chunk(0) if column.num_chunks == 1 else column
    return np.asarray(whole.to_numpy(), dtype=np.int64)


def _is_needed(batch: Batch, needs: Iterable[Need]) -> bool:
    return any(batch.extent(axis)[1] >= least for axis, least in needs)
