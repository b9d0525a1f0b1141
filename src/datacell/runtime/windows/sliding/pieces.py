"""Pieces: rows of a relation beside the slices they are of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from datacell.algebra.positions import Positions
from datacell.runtime.streams.batch import Mask, positions


@dataclass(frozen=True, eq=False)
class Piece:
    """Rows, and for each of them its slice, which is among these two and those between."""

    rows: pa.Table
    slices: pa.ChunkedArray
    oldest: int
    latest: int

    @cached_property
    def at(self) -> Positions:
        return positions(self.slices)

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, mask: Mask) -> Piece:
        if mask.all():
            return self
        return Piece(where(self.rows, mask), self.slices.filter(pa.array(mask)), self.oldest, self.latest)

    def between(self, start: int, stop: int) -> Piece:
        """The rows of the slices from one position to another."""
        if start <= self.oldest and self.latest < stop:
            return self
        if self.latest < start or stop <= self.oldest:
            return Piece(self.rows.slice(0, 0), self.slices.slice(0, 0), self.oldest, self.latest)
        return self.where((self.at >= start) & (self.at < stop))


def concatenated(pieces: Sequence[Piece]) -> Piece:
    """All rows in one piece."""
    rows = pa.concat_tables([p.rows for p in pieces]).combine_chunks()
    slices = pa.chunked_array([chunk for p in pieces for chunk in p.slices.chunks], pa.int64())
    return Piece(rows, slices, min(p.oldest for p in pieces), max(p.latest for p in pieces))


def where(rows: pa.Table, mask: Mask) -> pa.Table:
    return rows if mask.all() else rows.filter(pa.array(mask))
