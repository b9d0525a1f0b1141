"""Pieces: rows of a relation beside the slices they are of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from datacell.incremental.boundaries import FOREVER, Positions

Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]


@dataclass(frozen=True, eq=False)
class Piece:
    """Rows, and for each of them its slice."""

    rows: pa.Table
    at: Positions

    @cached_property
    def first(self) -> int:
        return int(self.at.min(initial=FOREVER))

    @cached_property
    def last(self) -> int:
        return int(self.at.max(initial=-FOREVER))

    def __len__(self) -> int:
        return len(self.at)

    def where(self, mask: Mask) -> Piece:
        return self if mask.all() else Piece(where(self.rows, mask), self.at[mask])

    def between(self, start: int, stop: int) -> Piece:
        """The rows of the slices from one position to another."""
        if start <= self.first and self.last < stop:
            return self
        if self.last < start or stop <= self.first:
            return Piece(self.rows.slice(0, 0), self.at[:0])
        return self.where((self.at >= start) & (self.at < stop))


def joined(pieces: Sequence[Piece]) -> Piece:
    """All rows in one piece."""
    rows = pa.concat_tables([p.rows for p in pieces]).combine_chunks()
    return Piece(rows, np.concatenate([p.at for p in pieces]))


def where(rows: pa.Table, mask: Mask) -> pa.Table:
    return rows if mask.all() else rows.filter(pa.array(mask))
