"""Chunks of a kept relation, and where they are kept: what came of some batches of the stream.

A chunk is immutable, and numbered by the last of these batches, so a batch that was ingested only half before a crash
is ingested again under the same number. Its file says up to which row the stream has been ingested, between which
slices its rows are and which slices have rows at all. Rows that are on the cluster are in files of their own, which
executors have written or will read.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from datacell.algebra.positions import Positions
from datacell.engines.arrow import shaped
from datacell.engines.protocol import Files
from datacell.engines.transfers import Account, read_in_driver, write_from_driver
from datacell.incremental.relations import SLICE
from datacell.runtime.storage.parts import manifest, require
from datacell.runtime.storage.saved import SavedTables
from datacell.runtime.streams.batch import positions


@dataclass(frozen=True, eq=False)
class Sliced:
    """What some rows gave: rows that know their slices, all of them among these two and those between.

    `occupied` are the slices that the stream had rows in, where somebody asks.
    """

    made: pa.Table | Files
    oldest: int
    latest: int
    occupied: Positions


@dataclass(frozen=True, eq=False)
class Chunk:
    """`first` is the number of the oldest batch in it, `next_row` the arrival number of what comes after it.

    On the cluster its rows are in `files` only; in the driver they may be in both.
    """

    table: pa.Table | None
    files: Files | None
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
            found["parts"] = manifest(Path(self.files.paths[0]).parent, self.files.paths)
        return found


class ChunkStore:
    """The durable copies of chunks, in a directory. `account` has what was transferred of them."""

    def __init__(self, directory: Path, schema: pa.Schema, account: Account) -> None:
        self.schema, self.account = schema, account
        self._directory, self._saved = directory, SavedTables(directory)

    def directory_of(self, batch: int) -> str:
        """Where executors put what they make of a receptor's batch."""
        return str(self._directory / f"batch-{batch:010d}.parquet")

    def combined_directory(self, chunks: Sequence[Chunk]) -> str:
        """Where executors put what these chunks become: a directory that none of them is in."""
        used = {path for chunk in chunks if chunk.files is not None for path in chunk.files.paths}
        number = chunks[-1].number
        names = (self._directory / f"{name}-{number:010d}.parquet" for name in ("combined", "combined-again"))
        return next(path for path in map(str, names) if path not in used)

    def write(self, number: int, first: int, next_row: int, made: Sliced) -> Chunk:
        """Once this returns, the rows are safe."""
        files = made.made if isinstance(made.made, Files) else None
        table = None if isinstance(made.made, Files) else made.made.select(self.schema.names)
        chunk = Chunk(table, files, made.oldest, made.latest, made.occupied, number, first, next_row)
        self._saved.put(number, self.schema.empty_table() if table is None else table, chunk.noted())
        return chunk

    def remove(self, chunk: Chunk) -> None:
        self._saved.remove(chunk.number, [] if chunk.files is None else map(Path, chunk.files.paths))

    def remove_files(self, chunk: Chunk, but: tuple[str, ...] = ()) -> None:
        for directory in () if chunk.files is None else chunk.files.paths:
            if directory not in but:
                shutil.rmtree(directory, ignore_errors=True)

    def fetched(self, chunk: Chunk) -> Chunk:
        """A chunk whose rows are in the driver, too."""
        if chunk.table is not None:
            return chunk
        assert chunk.files is not None
        found = read_in_driver(chunk.files, self.schema.names, self.account) if chunk.files.count else None
        return replace(chunk, table=self.schema.empty_table() if found is None else shaped(found, self.schema))

    def sent(self, chunk: Chunk) -> Chunk:
        """A chunk whose rows are in files, and only there."""
        if chunk.files is None:
            directory = self._directory / f"chunk-{chunk.number:010d}.parquet"
            chunk = replace(chunk, files=write_from_driver(chunk.rows, directory, self.account))
            self._saved.put(chunk.number, self.schema.empty_table(), chunk.noted())
        return chunk if chunk.table is None else replace(chunk, table=None)

    def recovered(self, last_batch: int) -> list[Chunk]:
        """What is there; chunks of batches after the last one were never taken whole, and are forgotten."""
        found = list(self._read())
        taken = [c for c in found if c.number <= last_batch]
        live = [c for c in taken if not any(o.first <= c.number < o.number for o in taken)]
        for chunk in found:
            if chunk not in live:
                self.remove(chunk)
        return live

    def _read(self) -> Iterator[Chunk]:
        for number, rows, noted in self._saved.read():
            require(self._directory, noted.get("parts", {}))
            names = [str(self._directory / name) for name in noted.get("files", ())]
            files = Files(tuple(names), noted["count"]) if names else None
            occupied, (oldest, latest) = np.array(noted["occupied"], dtype=np.int64), noted["extent"]
            table = rows if files is None else None
            yield Chunk(table, files, oldest, latest, occupied, number, noted["first"], noted["next"])


def slices(rows: pa.Table) -> Positions:
    return positions(rows[SLICE])
