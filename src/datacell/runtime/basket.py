"""Baskets: the part of a stream that someone still needs.

A basket takes batches of checked rows from its sources: a receptor, queries that insert into the stream. Each row gets
an arrival number and a time (its event time, or its arrival). A batch is one immutable file; a batch that was taken
only half before a crash is taken again, under the same numbers. A batch leaves when every reader is done with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from datacell.incremental.boundaries import FOREVER, Positions
from datacell.runtime import files

TIME, NUMBER = "__time", "__number"
"""Columns of a batch beside the stream's own: microseconds since the epoch, and the arrival number, counted from 1."""

Need = tuple[str, int]
"""What a reader still needs of a stream: a column of its batches and the least value that it looks at."""

Made = Mapping[int, pa.Table]
"""What a reader has made of rows before they are taken, by the number of its relation."""

_SUFFIX = ".arrow"


@dataclass(frozen=True)
class Progress:
    """How far a stream has come: rows taken so far, the greatest time seen, rows set aside."""

    rows: int = 0
    latest: int = -FOREVER
    late: int = 0
    rejected: int = 0


@dataclass(frozen=True)
class Batch:
    """Some rows of a stream that arrived together."""

    number: int
    rows: pa.Table
    path: Path

    def times(self) -> Positions:
        return positions(self.rows[TIME])

    def numbers(self) -> Positions:
        return positions(self.rows[NUMBER])

    def extent(self, column: str) -> Positions:
        """The least and the greatest time or number."""
        return self._times if column == TIME else self._numbers

    def greatest(self, column: str) -> int:
        """The greatest time or number; if there are no rows, one before all others."""
        return int(self.extent(column)[1]) if len(self.rows) else -FOREVER

    @cached_property
    def _times(self) -> Positions:
        times = self.times()
        return np.array([times.min(), times.max()])

    @cached_property
    def _numbers(self) -> Positions:
        """Numbers ascend."""
        return self.numbers()[[0, -1]]


class Basket:
    """The live batches of one stream. Not thread-safe: the cell's lock guards it."""

    def __init__(self, directory: Path, schema: pa.Schema) -> None:
        self.directory = directory
        self.schema = schema
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

    def numbered(self, rows: pa.Table, times: Positions) -> Batch:
        """The rows as the next batch, which is not taken yet."""
        first, number = self.progress.rows + 1, self.last_batch + 1
        numbers = np.arange(first, first + len(rows), dtype=np.int64)
        numbered = rows.append_column(TIME, pa.array(times)).append_column(NUMBER, pa.array(numbers))
        return Batch(number, numbered, self.directory / files.numbered_name(number, _SUFFIX))

    def take(self, source: str, number: int, batch: Batch, oldest: Iterable[Need], late: int, rejected: int) -> None:
        """Take the batch that `numbered` made; `late` and `rejected` rows of it have been set aside.

        Its rows are stored only if a reader needs them as they are; `oldest` is what each still looks at.
        """
        before, count = self.progress, len(batch.rows)
        latest = max(before.latest, batch.greatest(TIME))
        after = Progress(before.rows + count, latest, before.late + late, before.rejected + rejected)
        stored = count and _is_needed(batch, list(oldest))
        if stored:
            files.save_table(batch.path, batch.rows)
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
        if not self.batches:
            fields = [*self.schema, pa.field(TIME, pa.int64()), pa.field(NUMBER, pa.int64())]
            return pa.schema(fields).empty_table()
        return pa.concat_tables(b.rows for b in self.batches)

    def times(self) -> Positions:
        """The distinct times of the rows, sorted; every factory asks for them whenever the net settles."""
        if self._times is None:
            found = [b.times() for b in self.batches]
            self._times = np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
        return self._times

    def expire(self, oldest: Iterable[Need]) -> int:
        """Drop the batches that no reader needs."""
        needs = list(oldest)
        kept = [b for b in self.batches if _is_needed(b, needs)]
        gone = [b for b in self.batches if b not in kept]
        for batch in gone:
            files.remove_saved(batch.path)
        if gone:
            self.batches, self._times = kept, None
        return len(gone)

    def size(self) -> int:
        """Bytes in memory."""
        return sum(b.rows.nbytes for b in self.batches)

    def _recover(self) -> None:
        saved = files.read_json(self._progress)
        if saved is None:
            return
        self.last_batch, self.sources = saved["batch"], saved["sources"]
        self.progress = Progress(**saved["progress"])
        for number, path in files.numbered(self.directory, _SUFFIX):
            if number <= saved["batch"]:
                self.batches.append(Batch(number, files.read_table(path)[0], path))


def positions(column: pa.ChunkedArray) -> Positions:
    """The numbers in a column; not copied where they are in one piece."""
    whole = column.chunk(0) if column.num_chunks == 1 else column
    return np.asarray(whole.to_numpy(), dtype=np.int64)


def _is_needed(batch: Batch, needs: Iterable[Need]) -> bool:
    return any(batch.greatest(column) >= least for column, least in needs)
