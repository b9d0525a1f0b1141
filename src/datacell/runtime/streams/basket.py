"""Baskets: the part of a stream that someone still needs.

A stream's basket takes batches of checked rows from its sources: a receptor, queries and statements that insert into
the stream. Each row gets an arrival number and a time (its event time, or its arrival). A batch is one immutable file;
a batch that was taken only half before a crash is taken again, under the same numbers. A batch leaves when every reader
is done with it.

These are the thesis' *shared baskets*. Its locker hands a locked basket to every query, and its unlocker removes the
rows once all of them have said that they are done. Here each reader has a cursor, what it still needs: rows never
change, so reading locks nobody out, and `expire` removes what lies before all of the cursors. What the locker waits
for, that all have seen a batch before the next one comes, is the scheduler's rule that the net comes to rest first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from datacell.algebra.positions import FOREVER, Positions
from datacell.engines.transfers import Account
from datacell.runtime.storage import files
from datacell.runtime.storage.saved import SavedTables
from datacell.runtime.storage.seal import missing
from datacell.runtime.streams.ahead import Jump
from datacell.runtime.streams.batch import Axis, Batch, Need, positions

_TIME = "time′"
"""The column of a saved batch that the stream does not have."""


@dataclass(frozen=True)
class Progress:
    """How far a stream has come: rows taken so far, the greatest event time seen, late and rejected rows.

    `jump` is the last leap of its time that was further than is usual; `missed` is for each query how many of the rows
    were late for it; up to `short` rows have left that were to be kept for a look.
    """

    rows: int = 0
    latest: int = -FOREVER
    late: int = 0
    rejected: int = 0
    jump: Jump | None = None
    missed: Mapping[str, int] = field(default_factory=dict)
    short: int = -FOREVER


class Aside(NamedTuple):
    """What came with a batch beside its other rows: late and rejected ones, a leap of time, and who missed how many."""

    late: int = 0
    rejected: int = 0
    jump: Jump | None = None
    missed: Mapping[str, int] = MappingProxyType({})


class Dealt(NamedTuple):
    """What a reader gets of a batch, and what is left to those after it."""

    mine: Batch
    left: Batch


class Basket(ABC):
    """Live batches of one stream, as a reader sees them. Not thread-safe: the cell's lock guards it."""

    comes_whole = True
    """Does its reader get every row of the stream?"""

    def __init__(self, schema: pa.Schema, account: Account) -> None:
        self.schema, self.account = schema, account
        """What came to the driver of the stream's rows, and of what was made of them on the cluster."""
        self.batches: list[Batch] = []
        self._times: Positions | None = None

    @property
    @abstractmethod
    def progress(self) -> Progress:
        """How far the stream has come."""

    @property
    @abstractmethod
    def last_batch(self) -> int:
        """The number of the last batch that the stream took."""

    @abstractmethod
    def deal(self, batch: Batch) -> Dealt:
        """Of a batch that comes: what the reader gets, and what is left to the readers after it."""

    def put(self, batch: Batch, oldest: Iterable[Need]) -> None:  # noqa: B027 - the stream's basket has it already
        """What was dealt of a batch, and is durable; the reader still looks at what lies after `oldest`."""

    def rows(self) -> pa.Table:
        """All that is in the basket now."""
        return pa.concat_tables([self.schema.empty_table(), *(b.rows for b in self.batches)])

    def between(self, axis: Axis, start: int, stop: int, name: str) -> pa.Table:
        """The rows from one position to another; a column of this name says where they are."""
        found = [b.between(axis, start, stop) for b in self.batches]
        rows = pa.concat_tables([self.schema.empty_table(), *(rows for rows, _ in found)])
        return rows.append_column(name, pa.chunked_array([at for _, at in found], pa.int64()))

    def times(self) -> Positions:
        """The distinct times of the rows that came, sorted; factories ask for them whenever something has changed."""
        if self._times is None:
            found = [b.came for b in self.batches]
            self._times = np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
        return self._times

    def size(self) -> int:
        """Bytes in memory."""
        return sum(b.rows.nbytes + b.times.nbytes for b in self.batches)

    def expire(self, oldest: Iterable[Need]) -> int:
        """Drop the batches that no reader needs; `oldest` is where the cursors are."""
        needs = list(oldest)
        kept = [b for b in self.batches if is_needed(b, needs)]
        gone = [b for b in self.batches if b not in kept]
        for batch in gone:
            self._drop(batch)
        if gone:
            self.batches, self._times = kept, None
        return len(gone)

    def _put(self, batch: Batch) -> None:
        self.batches.append(batch)
        self._times = None

    def _drop(self, batch: Batch) -> None:  # noqa: B027 - where it is in memory only, there is nothing more to do
        """A batch leaves."""


class SharedBasket(Basket):
    """The basket of a stream, that all of its readers share, and that is durable."""

    progress: Progress = Progress()
    last_batch: int = -1

    def __init__(self, directory: Path, schema: pa.Schema) -> None:
        super().__init__(schema, Account())
        self._saved = SavedTables(directory)
        self._progress = directory / "progress.json"
        self.let_go = 0
        """Rows that went because no query reads them and they were too many."""
        self.sources: dict[str, int] = {}
        self.notes: dict[str, Any] = {}
        """Of a source: what it had noted when its last batch was taken."""
        self.noting: dict[str, Callable[[int], Any]] = {}
        """What a source notes of a batch."""
        self._recover()

    def deal(self, batch: Batch) -> Dealt:
        """Everybody sees all of it."""
        return Dealt(batch, batch)

    def holds(self, source: str, number: int) -> bool:
        """Was this batch of that source taken before? Then it may have left already and must not be taken again."""
        return number <= self.sources.get(source, -1)

    def next_number(self, source: str) -> int:
        """The number of the batch of that source that is to be taken next, where sources count from 0 on."""
        return self.sources.get(source, -1) + 1

    def numbered(self, rows: pa.Table, when: Positions | int) -> Batch:
        """The rows as the next batch, which is not taken yet."""
        return Batch(self.last_batch + 1, rows, when, self.progress.rows + 1)

    def take(self, source: str, number: int, batch: Batch, oldest: Iterable[Need], aside: Aside) -> None:
        """Take the batch that `numbered` made; what came with it and is set aside is in the side outputs.

        Its rows are stored only if a reader needs them as they are; `oldest` is what each still looks at.
        """
        stored = len(batch.rows) and is_needed(batch, list(oldest))
        if stored:
            rows = batch.rows.append_column(_TIME, pa.array(batch.times))
            self._saved.put(batch.number, rows, {"first": batch.first})
        self.pass_by(source, number, len(batch.rows), batch.extent(Axis.TIME)[1], aside)
        if stored:
            self._put(batch)

    def pass_by(self, source: str, number: int, count: int, latest: int, aside: Aside) -> None:
        """A batch counts as taken: so many rows came in, the latest of them at this time, wherever they are."""
        before, batch = self.progress, self.last_batch + 1
        after = Progress(
            before.rows + count,
            max(before.latest, latest),
            before.late + aside.late,
            before.rejected + aside.rejected,
            aside.jump or before.jump,
            dict(Counter(before.missed) + Counter(aside.missed)),
            before.short,
        )
        sources = {**self.sources, source: number}
        notes = {**self.notes, source: self.noting[source](number)} if source in self.noting else self.notes
        files.save_json(self._progress, _saved(batch, sources, after, notes))
        self.last_batch, self.sources, self.progress, self.notes = batch, sources, after, notes

    def forget(self, query: str) -> None:
        """A query is gone, and what it missed is nobody's concern."""
        left = {name: count for name, count in self.progress.missed.items() if name != query}
        self.progress = replace(self.progress, missed=left)

    def fall_short(self, until: int) -> None:
        """Rows up to this time are about to leave, for want of room; that is known as long as they are missed."""
        self.progress = replace(self.progress, short=max(self.progress.short, until))
        files.save_json(self._progress, _saved(self.last_batch, self.sources, self.progress, self.notes))

    def look_ahead(self, latest: int) -> None:
        """Time passes without rows: the clock of a stream whose time is arrival."""
        self.progress = replace(self.progress, latest=max(self.progress.latest, latest))

    def _drop(self, batch: Batch) -> None:
        self._saved.remove(batch.number)

    def _recover(self) -> None:
        if not self._progress.exists():
            self._begin()
            return
        saved = files.read_json(self._progress)
        self.last_batch, self.sources, self.notes = saved["batch"], saved["sources"], saved["notes"]
        leap = saved["progress"].pop("jump", None)
        self.progress = Progress(**saved["progress"], jump=leap and Jump(*leap))
        for number, rows, noted in self._saved.read():
            if number <= saved["batch"]:
                times = positions(rows[_TIME])
                self._put(Batch(number, rows.drop_columns([_TIME]), times, noted["first"]))

    def _begin(self) -> None:
        """A stream that is new has a record, too, so that one that is missing is noticed."""
        if next(self._saved.read(), None) is not None:
            raise missing(self._progress)
        files.save_json(self._progress, _saved(self.last_batch, self.sources, self.progress, self.notes))


def _saved(batch: int, sources: Mapping[str, int], progress: Progress, notes: Mapping[str, Any]) -> dict[str, Any]:
    return {"batch": batch, "sources": sources, "progress": vars(progress), "notes": notes}


def is_needed(batch: Batch, needs: Iterable[Need]) -> bool:
    """Does a cursor lie before the end of the batch?"""
    return any(batch.extent(axis)[1] >= least for axis, least in needs)
