"""Slices: the live rows of a kept relation, chunk by chunk.

A chunk is what came of some batches of the stream. It is one immutable file, numbered by the last of these batches, so
a batch that was ingested only half before a crash is ingested again under the same number. The file also says up to
which row the stream has been ingested, between which slices its rows are and which slices have rows at all. The last
chunk always stays: it is where ingesting goes on after a restart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path

import numpy as np
import pyarrow as pa

from datacell.algebra.positions import Positions
from datacell.incremental.relations import SLICE
from datacell.runtime.storage.saved import SavedTables
from datacell.runtime.streams.batch import positions


@dataclass(frozen=True, eq=False)
class Sliced:
    """What some rows gave: rows that know their slices, all of them among these two and those between.

    `occupied` are the slices that the stream had rows in, where somebody asks.
    """

    rows: pa.Table
    oldest: int
    latest: int
    occupied: Positions


@dataclass(frozen=True, eq=False)
class Chunk(Sliced):
    """`first` is the number of the oldest batch in it, `next_row` the arrival number of what comes after it."""

    number: int
    first: int
    next_row: int

    @cached_property
    def slices(self) -> Positions:
        return slices(self.rows)


class Slices:
    """The live chunks of one relation, in order."""

    def __init__(self, directory: Path, schema: pa.Schema, last_batch: int) -> None:
        """Chunks of batches after `last_batch` are of batches that were never taken whole, and forgotten."""
        self.schema, self._saved = schema, SavedTables(directory)
        self.chunks: list[Chunk] = []
        self._occupied: Positions | None = None
        self._recover(last_batch)

    @property
    def through(self) -> int:
        """The last batch that was ingested."""
        return self.chunks[-1].number if self.chunks else -1

    @property
    def next_row(self) -> int:
        """The arrival number of the first row that was not ingested."""
        return self.chunks[-1].next_row if self.chunks else 1

    def put(self, number: int, next_row: int, made: Sliced) -> None:
        """Once this returns, the rows are safe."""
        self.chunks.append(self._written(number, number, next_row, made))
        self._occupied = None

    def forget_after(self, number: int) -> None:
        """A batch that was ingested but could not be taken is ingested again, with all that waited beside it."""
        while self.through > number:
            self._saved.remove(self.chunks.pop().number)
            self._occupied = None

    def after(self, number: int) -> list[Chunk]:
        """The chunks of later batches than this one."""
        return list(takewhile(lambda c: c.number > number, reversed(self.chunks)))[::-1]

    def rows(self) -> pa.Table:
        return pa.concat_tables([c.rows for c in self.chunks]) if self.chunks else self.schema.empty_table()

    def occupied(self) -> Positions:
        """The slices that have rows, sorted; asked for often, so remembered between changes."""
        if self._occupied is None:
            found = [c.occupied for c in self.chunks]
            self._occupied = np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
        return self._occupied

    def size(self) -> int:
        return sum(len(c.rows) for c in self.chunks)

    def expire(self, oldest: int) -> None:
        """Let go of the first chunks, as far as they are before this slice; the last says how far it has come."""
        gone = list(takewhile(lambda c: c.latest < oldest, self.chunks[:-1]))
        if gone:
            del self.chunks[: len(gone)]
            self._occupied = None
        for chunk in gone:
            self._saved.remove(chunk.number)

    def compact(self, combine: Callable[[pa.Table], pa.Table], oldest: int) -> None:
        """All chunks become one, with their rows combined and without what is older than this slice."""
        rows, occupied, last = self.rows(), self.occupied(), self.chunks[-1]
        live = combine(rows.filter(pa.array(slices(rows) >= oldest)))
        old, latest = self.chunks, max(c.latest for c in self.chunks)
        first = int(slices(live).min(initial=min(c.oldest for c in old)))
        made = Sliced(live, first, latest, occupied[occupied >= oldest])
        self.chunks = [self._written(last.number, old[0].first, last.next_row, made)]
        self._occupied = None
        for chunk in old[:-1]:
            self._saved.remove(chunk.number)

    def _written(self, number: int, first: int, next_row: int, made: Sliced) -> Chunk:
        rows, extent = made.rows.select(self.schema.names), (made.oldest, made.latest)
        noted = {"first": first, "next": next_row, "extent": extent, "occupied": made.occupied.tolist()}
        self._saved.put(number, rows, noted)
        return Chunk(rows, made.oldest, made.latest, made.occupied, number, first, next_row)

    def _recover(self, last_batch: int) -> None:
        for number, rows, noted in self._saved.read():
            if number > last_batch:
                self._saved.remove(number)
                continue
            occupied = np.array(noted["occupied"], dtype=np.int64)
            oldest, latest = noted["extent"]
            self.chunks.append(Chunk(rows, oldest, latest, occupied, number, noted["first"], noted["next"]))
        covered = [c for c in self.chunks if any(o.first <= c.number < o.number for o in self.chunks)]
        for chunk in covered:
            self._saved.remove(chunk.number)
        self.chunks = [c for c in self.chunks if c not in covered]


def slices(rows: pa.Table) -> Positions:
    return positions(rows[SLICE])
