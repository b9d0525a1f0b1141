"""Slices: the live rows of a kept relation, chunk by chunk.

A chunk is what came of some batches of the stream. It is immutable, and numbered by the last of these batches, so a
batch that was ingested only half before a crash is ingested again under the same number. Its file says up to which row
the stream has been ingested, between which slices its rows are and which slices have rows at all. The last chunk always
stays: it is where ingesting goes on after a restart.

A relation has one home. In the driver the rows of its chunks are Arrow tables; on the cluster they are Parquet files,
which executors have written and will read. What does not fit into the driver's memory has its home on the cluster, and
comes back when little is left of it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from datacell.algebra.positions import Positions
from datacell.engines.arrow import shaped
from datacell.engines.protocol import ParquetFiles
from datacell.engines.transfers import Account, read_in_driver
from datacell.incremental.relations import SLICE
from datacell.runtime.plans.memory import DriverMemory, row_bytes
from datacell.runtime.storage.saved import SavedTables
from datacell.runtime.streams.batch import positions

LITTLE = 0.25
"""Of what the driver may hold: a relation that takes less comes back from the cluster."""


@dataclass(frozen=True, eq=False)
class Sliced:
    """What some rows gave: rows that know their slices, all of them among these two and those between.

    `occupied` are the slices that the stream had rows in, where somebody asks.
    """

    made: pa.Table | ParquetFiles
    oldest: int
    latest: int
    occupied: Positions


@dataclass(frozen=True, eq=False)
class Chunk:
    """`first` is the number of the oldest batch in it, `next_row` the arrival number of what comes after it.

    On the cluster its rows are in `files` only; in the driver they may be in both.
    """

    table: pa.Table | None
    files: ParquetFiles | None
    oldest: int
    latest: int
    occupied: Positions
    number: int
    first: int
    next_row: int

    @property
    def rows(self) -> pa.Table:
        assert self.table is not None, "the rows are on the cluster"
        return self.table

    @property
    def count(self) -> int:
        return len(self.table) if self.table is not None else self.files.count if self.files is not None else 0

    @cached_property
    def slices(self) -> Positions:
        return slices(self.rows)

    def noted(self) -> dict[str, Any]:
        extent = (self.oldest, self.latest)
        found = {"first": self.first, "next": self.next_row, "extent": extent, "occupied": self.occupied.tolist()}
        if self.files is not None:
            found |= {"files": [Path(path).name for path in self.files.paths], "count": self.files.count}
        return found


class Slices:
    """The live chunks of one relation, in order. `can_move` says whether its home may be the cluster."""

    def __init__(
        self,
        directory: Path,
        schema: pa.Schema,
        last_batch: int,
        memory: DriverMemory | None = None,
        can_move: bool = False,
        account: Account | None = None,
    ) -> None:
        """Chunks of batches after `last_batch` are of batches that were never taken whole, and forgotten."""
        self.schema, self._directory, self._saved = schema, directory, SavedTables(directory)
        self.memory, self.can_move = memory or DriverMemory(), can_move
        self.chunks: list[Chunk] = []
        self.on_cluster = False
        self.account = Account(account)
        self._row_bytes = row_bytes(schema)
        self._expected: float | None = None
        """Rows that a batch is expected to give; None until one has."""
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

    # What the first stage asks

    def directory_of(self, batch: int) -> str:
        """Where executors put what they make of a receptor's batch."""
        return str(self._directory / f"batch-{batch:010d}.parquet")

    def stays(self) -> bool | None:
        """Is what the next batch gives left to executors, because it does not fit into the driver?"""
        if not self.can_move:
            return False
        if self.on_cluster or not self._has_room(self.size() + 1):
            return True
        return None if self._expected is None else not self._has_room(self.size() + 2 * self._expected)

    def learn(self, read: int, made: int) -> None:  # noqa: ARG002
        self._expected = max(float(made), 0.9 * (self._expected or 0.0))

    def put(self, number: int, next_row: int, made: Sliced) -> None:
        """Once this returns, the rows are safe."""
        self.chunks.append(self._written(number, number, next_row, made))
        self._occupied = None
        self._settle()

    def forget_after(self, number: int) -> None:
        """A batch that was ingested but could not be taken is ingested again, with all that waited beside it."""
        while self.through > number:
            self._remove(self.chunks.pop())
            self._occupied = None

    def after(self, number: int) -> list[Chunk]:
        """The chunks of later batches than this one."""
        return list(takewhile(lambda c: c.number > number, reversed(self.chunks)))[::-1]

    def rows(self) -> pa.Table:
        return pa.concat_tables([c.rows for c in self.chunks]) if self.chunks else self.schema.empty_table()

    def files(self) -> ParquetFiles:
        """Where the rows are, if that is the cluster."""
        found = [c.files for c in self.chunks if c.files is not None and c.files.count]
        return ParquetFiles(tuple(path for f in found for path in f.paths), sum(f.count for f in found))

    def occupied(self) -> Positions:
        """The slices that have rows, sorted; asked for often, so remembered between changes."""
        if self._occupied is None:
            found = [c.occupied for c in self.chunks]
            self._occupied = np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
        return self._occupied

    def size(self) -> int:
        return sum(c.count for c in self.chunks)

    def expire(self, oldest: int) -> None:
        """Let go of the first chunks, as far as they are before this slice; the last says how far it has come."""
        gone = list(takewhile(lambda c: c.latest < oldest, self.chunks[:-1]))
        if not gone:
            return
        del self.chunks[: len(gone)]
        self._occupied = None
        for chunk in gone:
            self._remove(chunk)
        self._settle()

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
            self._remove(chunk)
        _remove_files(last)

    def compact_on_cluster(self, combine: Callable[[str], tuple[ParquetFiles, Positions]], oldest: int) -> None:
        """The same by executors: `combine` writes the rows to a directory, and tells which slices have rows then."""
        old, last = self.chunks, self.chunks[-1]
        files, there = combine(self._unused(last.number))
        latest, occupied = max(c.latest for c in old), self.occupied()
        first = int(there.min(initial=min(c.oldest for c in old)))
        made = Sliced(files, first, latest, np.union1d(there, occupied[occupied >= oldest]))
        self.chunks = [self._written(last.number, old[0].first, last.next_row, made)]
        self._occupied = None
        for chunk in old[:-1]:
            self._remove(chunk)
        _remove_files(last)

    def _unused(self, number: int) -> str:
        """A directory that no chunk is in: the one of this number may have moved, or be compacted already."""
        used = {path for chunk in self.chunks if chunk.files is not None for path in chunk.files.paths}
        names = (self._directory / f"{name}-{number:010d}.parquet" for name in ("chunk", "compacted"))
        return next(path for path in map(str, names) if path not in used)

    def _written(self, number: int, first: int, next_row: int, made: Sliced) -> Chunk:
        at = made.oldest, made.latest, made.occupied, number, first, next_row
        if isinstance(made.made, ParquetFiles):
            chunk = Chunk(None, made.made, *at)
            self._saved.put(number, self.schema.empty_table(), chunk.noted())
            return chunk
        chunk = Chunk(made.made.select(self.schema.names), None, *at)
        self._saved.put(number, chunk.rows, chunk.noted())
        return chunk

    # The home

    def _has_room(self, rows: float) -> bool:
        return self.memory.has_room_for(self, rows * self._row_bytes)

    def _settle(self) -> None:
        """Where the relation is after a change of it."""
        if self.can_move and not self.on_cluster and not self._has_room(self.size()):
            self.on_cluster = True
        elif self.on_cluster and self._has_room(self.size() / LITTLE):
            self.on_cluster = False
        change = self._sent if self.on_cluster else self._fetched
        self.chunks = [change(chunk) for chunk in self.chunks]
        self.memory.holds(self, 0 if self.on_cluster else self.size() * self._row_bytes)

    def _fetched(self, chunk: Chunk) -> Chunk:
        if chunk.table is not None:
            return chunk
        assert chunk.files is not None
        found = read_in_driver(chunk.files, self.schema.names, self.account) if chunk.files.count else None
        return replace(chunk, table=self.schema.empty_table() if found is None else shaped(found, self.schema))

    def _sent(self, chunk: Chunk) -> Chunk:
        """A chunk whose rows are in files, and only there."""
        if chunk.files is None:
            directory = self._directory / f"chunk-{chunk.number:010d}.parquet"
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir(parents=True)
            pq.write_table(chunk.rows, directory / "part-00000.parquet")
            self.account.went(chunk.rows)
            chunk = replace(chunk, files=ParquetFiles((str(directory),), len(chunk.rows)))
            self._saved.put(chunk.number, self.schema.empty_table(), chunk.noted())
        return chunk if chunk.table is None else replace(chunk, table=None)

    def _remove(self, chunk: Chunk) -> None:
        self._saved.remove(chunk.number)
        _remove_files(chunk)

    def _recover(self, last_batch: int) -> None:
        for number, rows, noted in self._saved.read():
            names = [str(self._directory / name) for name in noted.get("files", ())]
            files = ParquetFiles(tuple(names), noted["count"]) if names else None
            occupied = np.array(noted["occupied"], dtype=np.int64)
            oldest, latest = noted["extent"]
            table = rows if files is None else None
            chunk = Chunk(table, files, oldest, latest, occupied, number, noted["first"], noted["next"])
            if number > last_batch:
                self._remove(chunk)
                continue
            self.chunks.append(chunk)
        covered = [c for c in self.chunks if any(o.first <= c.number < o.number for o in self.chunks)]
        for chunk in covered:
            self._remove(chunk)
        self.chunks = [c for c in self.chunks if c not in covered]
        self.on_cluster = any(c.table is None and c.count for c in self.chunks)
        self._settle()


def _remove_files(chunk: Chunk) -> None:
    for directory in () if chunk.files is None else chunk.files.paths:
        shutil.rmtree(directory, ignore_errors=True)


def slices(rows: pa.Table) -> Positions:
    return positions(rows[SLICE])
