"""Slices: the live rows of a kept relation, chunk by chunk. The last chunk always stays: ingesting goes on from there.

A relation has one home. In the driver the rows of its chunks are Arrow tables; on the cluster they are Parquet files,
which executors have written and will read. What does not fit into the driver's memory has its home on the cluster, and
comes back when little is left of it.
"""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

import numpy as np
import pyarrow as pa

from datacell.algebra.positions import Positions
from datacell.engines.protocol import Files
from datacell.engines.transfers import Account
from datacell.runtime.plans.memory import DriverMemory, row_bytes
from datacell.runtime.windows.chunks import Chunk, ChunkStore, Sliced

LITTLE = 0.25
"""Of what the driver may hold: a relation that takes less comes back from the cluster."""


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
        """`last_batch` is the last one that was taken whole."""
        self.schema, self.account = schema, Account(account)
        self.store = ChunkStore(directory, schema, self.account)
        self._room, self.can_move = _Room(self, memory or DriverMemory(), row_bytes(schema)), can_move
        self._occupied: Positions | None = None
        self.chunks = self.store.recovered(last_batch)
        self.on_cluster = any(c.table is None and c.count for c in self.chunks)
        self._settle()

    @property
    def through(self) -> int:
        """The last batch that was ingested."""
        return self.chunks[-1].number if self.chunks else -1

    @property
    def next_row(self) -> int:
        """The arrival number of the first row that was not ingested."""
        return self.chunks[-1].next_row if self.chunks else 1

    def stays(self) -> bool | None:
        """Is what the next batch gives left to executors, because it does not fit into the driver?"""
        if not self.can_move:
            return False
        return True if self.on_cluster else self._room.is_too_small(self.size())

    def learn(self, made: int) -> None:
        """So many rows were made of a batch."""
        self._room.expect(made)

    def put(self, number: int, next_row: int, made: Sliced) -> None:
        """Once this returns, the rows are safe."""
        self.chunks.append(self.store.write(number, number, next_row, made))
        self._settle()

    def forget_after(self, number: int) -> None:
        """A batch that was ingested but could not be taken is ingested again, with all that waited beside it."""
        while self.through > number:
            self.store.remove(self.chunks.pop())
            self._occupied = None

    def after(self, number: int) -> list[Chunk]:
        """The chunks of later batches than this one."""
        return list(takewhile(lambda c: c.number > number, reversed(self.chunks)))[::-1]

    def rows(self) -> pa.Table:
        return pa.concat_tables([c.rows for c in self.chunks]) if self.chunks else self.schema.empty_table()

    def files(self) -> Files:
        """Where the rows are, if that is the cluster."""
        found = [c.files for c in self.chunks if c.files is not None and c.files.count]
        return Files(tuple(path for f in found for path in f.paths), sum(f.count for f in found))

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
        for chunk in gone:
            self.store.remove(chunk)
        self._settle()

    def replace_all(self, made: Sliced) -> None:
        """All chunks become one, with what was made of their rows."""
        old, last = self.chunks, self.chunks[-1]
        self.chunks = [self.store.write(last.number, old[0].first, last.next_row, made)]
        for chunk in old[:-1]:
            self.store.remove(chunk)
        self.store.remove_files(last, made.made.paths if isinstance(made.made, Files) else ())
        self._settle()

    def _settle(self) -> None:
        """Where the relation is after a change of it."""
        self._occupied = None
        if self.can_move and not self.on_cluster and not self._room.has(self.size()):
            self.on_cluster = True
        elif self.on_cluster and self._room.has(self.size() / LITTLE):
            self.on_cluster = False
        change = self.store.sent if self.on_cluster else self.store.fetched
        self.chunks = [change(chunk) for chunk in self.chunks]
        self._room.take(0 if self.on_cluster else self.size())


class _Room:
    """What a relation may take of the driver's memory, and what a batch is expected to give."""

    def __init__(self, who: object, memory: DriverMemory, row_bytes: float) -> None:
        self._who, self._memory, self._row_bytes = who, memory, row_bytes
        self._expected: float | None = None

    def has(self, rows: float) -> bool:
        return self._memory.has_room_for(self._who, rows * self._row_bytes)

    def take(self, rows: float) -> None:
        self._memory.holds(self._who, rows * self._row_bytes)

    def expect(self, rows: int) -> None:
        self._expected = max(float(rows), 0.9 * (self._expected or 0.0))

    def is_too_small(self, rows: int) -> bool | None:
        """For one more batch beside so many rows; None if nobody knows, because there was no batch yet."""
        if not self.has(rows + 1):
            return True
        return None if self._expected is None else not self.has(rows + 2 * self._expected)
