"""The front: the present block, combined as far as every later window shows it."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

import pyarrow as pa

from datacell.algebra.positions import FOREVER
from datacell.incremental.inputs import ROWS
from datacell.runtime.plans.prepared import PreparedPlan
from datacell.runtime.windows.sliding.pieces import Piece, concatenated

MOST_PIECES = 8
BESIDE = ThreadPoolExecutor(1, "beside the answer")
"""Combines what the answer at hand no longer needs, while that is computed."""


class Front:
    """What was folded, or is being folded, and the rows since."""

    def __init__(self, block: int, nothing: pa.Table, pieces: list[Piece]) -> None:
        self.block, self.pieces = block, pieces
        self._folded: pa.Table | Future[pa.Table] = nothing

    @property
    def folded(self) -> pa.Table:
        if isinstance(self._folded, Future):
            self._folded = self._folded.result()
        return self._folded

    def until(self, stop: int) -> list[pa.Table]:
        """Rows whose combination is that of the block up to a position."""
        return [self.folded, *(p.between(-FOREVER, stop).rows for p in self.pieces)]

    def fold(self, stop: int, fold: PreparedPlan) -> None:
        """Combine what every window that ends later shows, once it is worth a call; it is done beside the answer."""
        if len(self.pieces) > MOST_PIECES:
            self.pieces = [concatenated(self.pieces)]
        overhead = fold.call_overhead_rows
        if sum(map(len, self.pieces)) <= max(overhead, 4 * len(self.folded)):
            return
        older = [p.between(-FOREVER, stop) for p in self.pieces]
        if sum(map(len, older)) <= overhead:
            return
        rows = pa.concat_tables([self.folded, *(p.rows for p in older)])
        later = [p.between(stop, FOREVER) for p in self.pieces]
        self._folded, self.pieces = BESIDE.submit(fold, {ROWS: rows}), [p for p in later if len(p)]
