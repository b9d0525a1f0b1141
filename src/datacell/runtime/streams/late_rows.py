"""Late rows of a batch, wherever its rows are: which they are, for whom, and how many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from datacell.algebra.positions import FOREVER, Positions
from datacell.runtime.streams.batch import Mask
from datacell.runtime.streams.first_stage import Staged
from datacell.runtime.streams.lateness import Answering, Lateness, lateness, may_be_late


class Late(NamedTuple):
    """Late rows that are kept, how many there are, and how many of them each query has missed."""

    rows: pa.Table
    number: int
    missed: Mapping[str, int]


class LateRows:
    """Of one stream; `schema` is that of its late rows, whose last column says who has missed them."""

    def __init__(self, stream: str, schema: pa.Schema) -> None:
        self.stream, self.schema = stream, schema
        self.nobody = Late(schema.empty_table(), 0, {})

    def among(self, rows: pa.Table, when: Positions | int, readers: Sequence[Answering]) -> tuple[Late, Mask]:
        """The late ones of these rows, and which are lost; rows are never late whose time is their arrival."""
        nobody = self.nobody, np.zeros(len(rows), dtype=np.bool_)
        if isinstance(when, int) or not len(when) or not may_be_late(self.stream, int(when.min()), readers):
            return nobody
        found = lateness(self.stream, when, readers)
        if not found.late.any():
            return nobody
        late = self._late(rows, found)
        return Late(late, len(late), found.counts()), found.lost

    def of(self, staged: Staged, readers: Sequence[Answering]) -> tuple[Late, int]:
        """Some of the late rows, and how many are lost. Only if there may be any do jobs look for them."""
        if staged.is_empty or not may_be_late(self.stream, staged.earliest, readers):
            return self.nobody, 0
        answered = [a.until for r in readers for a in r.answered_windows(self.stream) or ()]
        times, counts = staged.times(max(answered, default=-FOREVER))
        found = lateness(self.stream, times, readers)
        if not found.late.any():
            return self.nobody, 0
        rows, at = staged.rows_before(int(times[found.late].max()) + 1)
        kept = self._late(rows, lateness(self.stream, at, readers))
        number, lost = (int(counts[which].sum()) for which in (found.late, found.lost))
        return Late(kept, number, found.counts(counts)), lost

    def _late(self, rows: pa.Table, found: Lateness) -> pa.Table:
        late = rows.filter(pa.array(found.late))
        return late.append_column(self.schema.field(len(self.schema) - 1), found.missed_by()).cast(self.schema)
