"""Rows that a query keeps for longer than the basket would: by batch, durable before the batch counts as taken.

Rows that are not needed any more are let go of by putting what is left of some batches into the place of these. The
last batch stays as it is, because it may come again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from datacell.algebra.positions import FOREVER
from datacell.runtime.storage.saved import SavedTables
from datacell.runtime.streams.batch import positions

MOST_NEEDLESS = 10_000
"""So many rows may be kept beyond twice what is needed: below that, letting go of them costs more than they do."""

_FIRST = "first"


@dataclass(frozen=True, eq=False)
class Kept:
    """The rows of the batches from `first` to `number`, or what is left of them; `time` names the column of times."""

    first: int
    number: int
    rows: pa.Table
    time: str

    @cached_property
    def extent(self) -> tuple[int, int]:
        """The least and the greatest time."""
        times = positions(self.rows[self.time])
        return int(times.min(initial=FOREVER)), int(times.max(initial=-FOREVER))


class KeptRows:
    """The batches in order. `time` names the column of times."""

    def __init__(self, schema: pa.Schema, time: str, directory: Path, last_batch: int) -> None:
        """`last_batch` is the last one that was taken whole."""
        self.schema, self.batches = schema, list[Kept]()
        self._time, self._saved = time, SavedTables(directory)
        self._needed = 0
        self._recover(last_batch)

    def put(self, number: int, rows: pa.Table) -> None:
        """Once this returns, the rows are safe."""
        self._saved.put(number, rows, {_FIRST: number})
        self.batches.append(Kept(number, number, rows, self._time))

    def forget_from(self, number: int) -> bool:
        """A batch that could not be taken comes again: was something of it there?"""
        gone = [kept for kept in self.batches if kept.number >= number]
        self._drop(gone)
        return bool(gone)

    def all(self) -> pa.Table:
        return pa.concat_tables([self.schema.empty_table(), *(kept.rows for kept in self.batches)])

    def is_empty(self) -> bool:
        return not any(len(kept.rows) for kept in self.batches)

    @property
    def extent(self) -> tuple[int, int]:
        """The least and the greatest time of a row."""
        found = [kept.extent for kept in self.batches]
        return min((first for first, _ in found), default=FOREVER), max((last for _, last in found), default=-FOREVER)

    def size(self) -> tuple[int, int]:
        """Rows, and their bytes in memory."""
        tables = [kept.rows for kept in self.batches]
        return sum(map(len, tables)), sum(table.nbytes for table in tables)

    def is_worth_a_look(self) -> bool:
        """Are there so many rows that letting go of some pays?"""
        return len(self.batches) > 1 and self.size()[0] > 2 * self._needed + MOST_NEEDLESS

    def old(self) -> pa.Table:
        """The rows of all batches but the last."""
        return pa.concat_tables([self.schema.empty_table(), *(kept.rows for kept in self.batches[:-1])])

    def replace_old(self, rows: pa.Table) -> None:
        """What is left of the rows of all batches but the last."""
        *old, last = self.batches
        self._needed = len(rows)
        self._saved.put(old[-1].number, rows, {_FIRST: old[0].first})
        self._remove(old[:-1])
        self.batches = [Kept(old[0].first, old[-1].number, rows, self._time), last]

    def _remove(self, gone: Sequence[Kept]) -> None:
        for kept in gone:
            self._saved.remove(kept.number)

    def _drop(self, gone: Sequence[Kept]) -> None:
        self._remove(gone)
        self.batches = [kept for kept in self.batches if kept not in gone]

    def _recover(self, last_batch: int) -> None:
        """Batches that were not taken will come again; what was left of batches stands for them."""
        read = self._saved.read()
        self.batches = [Kept(noted[_FIRST], number, rows, self._time) for number, rows, noted in read]
        self._drop([k for k in self.batches if any(o.first <= k.number < o.number for o in self.batches)])
        self.forget_from(last_batch + 1)
