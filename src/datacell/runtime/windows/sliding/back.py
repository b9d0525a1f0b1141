"""The back: the block before the present one, combined from each position at which a window may begin to its end."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from math import ceil, isqrt

import numpy as np
import pyarrow as pa

from datacell.algebra.positions import FOREVER, Positions
from datacell.incremental.inputs import Probes, ScanRows
from datacell.incremental.merge import AT
from datacell.runtime.plans.prepared import PreparedPlan
from datacell.runtime.windows.sliding.front import BESIDE
from datacell.runtime.windows.sliding.leaf import LeafRows, SlidingLeaf
from datacell.runtime.windows.sliding.pieces import Piece, where
from datacell.runtime.windows.sliding.scan import Scan, backward


@dataclass
class FullBlock:
    """Where windows may begin in a block, and for each segment of these positions what comes after it, combined.

    Rows that came when that had been made are out of order.
    """

    number: int
    end: int
    starts: Positions
    per_segment: int
    _after: list[pa.Table] | Future[list[pa.Table]]
    out_of_order: list[Piece] = field(default_factory=list)

    @property
    def after(self) -> list[pa.Table]:
        if isinstance(self._after, Future):
            self._after = self._after.result()
        return self._after

    def segment_of(self, start: int) -> int:
        index = int(np.searchsorted(self.starts, start))
        assert self.starts[index] == start, "a window begins where none was expected"
        return index // self.per_segment

    def starts_of(self, segment: int) -> Positions:
        return self.starts[segment * self.per_segment : (segment + 1) * self.per_segment]

    def end_of(self, segment: int) -> int:
        """A segment ends at the first start of the next one, or with its block."""
        later = self.starts[(segment + 1) * self.per_segment :]
        return int(later[0]) if len(later) else self.end

    def rows_after(self, segment: int) -> list[pa.Table]:
        """Rows whose combination is all that comes after a segment, within its block."""
        end = self.end_of(segment)
        return [self.after[segment], *(p.between(end, FOREVER).rows for p in self.out_of_order)]


@dataclass
class Suffixes:
    """A segment of a full block: for each start all rows from there on, combined; and rows out of order."""

    block: int
    starts: Positions
    ends: Positions
    rows: pa.Table
    out_of_order: list[Piece] = field(default_factory=list)

    def at(self, start: int) -> pa.Table:
        index = int(np.searchsorted(self.starts, start))
        begin = int(self.ends[index - 1]) if index else 0
        return self.rows.slice(begin, int(self.ends[index]) - begin)


class Back:
    """The full block, the suffixes of its present segment, and the next full block, which is made ahead."""

    def __init__(self, leaf: SlidingLeaf, rows: LeafRows, suffixing: PreparedPlan) -> None:
        self.leaf, self.rows, self._suffixing = leaf, rows, suffixing
        self._full: FullBlock | None = None
        self._next: FullBlock | None = None
        self._suffixes: Suffixes | None = None

    def block(self, number: int, start: int, asked: int = 1) -> FullBlock:
        """A full block from a position on; `asked` is how many of its starts are asked for at once."""
        if self._next is not None and self._next.number == number:
            self._full, self._next, self._suffixes = self._next, None, None
        if self._full is None or self._full.number != number or start < self._full.starts[0]:
            self._full, self._suffixes = self._filled(number, start, asked), None
        return self._full

    def suffixes(self, full: FullBlock, segment: int) -> Suffixes:
        starts, kept = full.starts_of(segment), self._suffixes
        if kept is None or kept.block != full.number or kept.starts[0] != starts[0]:
            pieces = self.rows.between(int(starts[0]), full.end_of(segment))
            kept = self._suffixes = self._suffixed(pieces, starts, full.rows_after(segment), full.number)
        return kept

    def fill_ahead(self, number: int, asked: int) -> None:
        """Once the last slice of a block has come, its segments will be asked for: make them beside the answer."""
        blocks, made = self.leaf.blocks, self._next or self._full
        if not blocks.slides or (made is not None and made.number >= number):
            return
        last = blocks.start(number + 1) - self.leaf.slides[0]
        if any(c.latest >= last for c in self.rows.relation.chunks[-1:]):
            filled = self._filled(number, blocks.start(number), asked)
            self._next = filled if len(filled.starts) else None

    def add(self, piece: Piece, block: int) -> None:
        """Rows of a block have come after it was combined."""
        for full in (self._full, self._next):
            if full is not None and block == full.number:
                full.out_of_order.append(piece)
        if self._suffixes is not None and block == self._suffixes.block:
            self._suffixes.out_of_order.append(piece)

    def forget(self) -> None:
        """Make everything again when it is asked for."""
        self._full = self._next = self._suffixes = None

    def wait(self) -> None:
        """Until nothing is being made."""
        if self._next is not None:
            _ = self._next.after

    def _filled(self, number: int, start: int, asked: int) -> FullBlock:
        end = self.leaf.blocks.start(number + 1)
        starts = self.leaf.starts(start, end)
        pieces = self.rows.between(start, end)
        per_segment = self._per_segment(len(starts), sum(map(len, pieces)), asked)
        firsts = starts[per_segment::per_segment]
        after: list[pa.Table] | Future[list[pa.Table]] = [self.leaf.nothing()]
        if len(firsts):
            after = BESIDE.submit(self._afters, pieces, firsts)
        return FullBlock(number, end, starts, per_segment, after)

    def _per_segment(self, starts: int, rows: int, asked: int) -> int:
        """About √n segments of n starts, all of one size; fewer, if few starts are asked for at once and a segment of
        that size is not worth a call."""
        size = max(1, isqrt(starts))
        if asked <= size:
            size = max(size, starts * self._suffixing.call_overhead_rows // max(1, rows))
        return max(1, ceil(starts / max(1, starts // size)))

    def _afters(self, pieces: list[Piece], firsts: Positions) -> list[pa.Table]:
        """For each segment, which the next one's first start ends, what comes after it."""
        runs = self._suffixed(pieces, firsts)
        return [*(runs.at(first) for first in firsts.tolist()), self.leaf.nothing()]

    def _suffixed(
        self, pieces: list[Piece], starts: Positions, after: Sequence[pa.Table] = (), block: int = 0
    ) -> Suffixes:
        """For each start the rows from there on, combined."""
        scan, mine = Scan(self.leaf.schema), np.arange(len(starts))
        for piece in pieces:
            last = np.searchsorted(starts, piece.at, side="right") - 1
            seen = last >= 0
            scan.add(where(piece.rows, seen), 0, backward(mine[last[seen]]))
        for rows in after:
            scan.add(rows, 0, np.full(len(rows), -len(starts)))
        scan.ask(backward(mine), starts, 0)
        made = self._suffixing({ScanRows(0): scan.rows(), Probes(0): scan.probes(pa.field(AT, pa.int64()))})
        at = np.asarray(made[AT].to_numpy(), dtype=np.int64)
        order = np.argsort(at, kind="stable")
        rows = made.drop_columns([AT]).take(pa.array(order)).combine_chunks()
        return Suffixes(block, starts, np.searchsorted(at[order], starts, side="right"), rows)
