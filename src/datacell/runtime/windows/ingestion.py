"""Ingestion: the batches of a stream become chunks of the relations that are kept of it.

A batch becomes part of the slices before the basket takes it, so rows of which only partial results are needed are
never stored. While a slice is open its rows may wait in the basket: the number of chunks in which a slice is ingested
adapts itself (`chunking`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from datacell.algebra.positions import Positions
from datacell.incremental.relations import SLICE
from datacell.runtime.evaluation import PreparedBatch
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Axis, Batch
from datacell.runtime.streams.first_stage import Arrived, MadeOf, Wanted
from datacell.runtime.windows.chunking import AdaptiveChunking
from datacell.runtime.windows.chunks import Sliced
from datacell.runtime.windows.slicer import Slicer
from datacell.runtime.windows.slices import Slices


class Ingestion:
    """Of one stream: its basket, and the kept relations by number, each with what makes its slices."""

    def __init__(self, basket: Basket, kept: Mapping[int, tuple[Slicer, Slices]]) -> None:
        self.basket, self.kept = basket, kept
        self.chunking = AdaptiveChunking()
        self._first, self._slices = next(iter(kept.values()))
        """All relations of a stream are cut at the same positions: any of them tells where."""

    def prepare(self, batch: Batch) -> PreparedBatch:
        """Slices of rows that will not wait, where they are made of nothing else; row windows need their numbers."""
        by_rows = self._first.axis is Axis.NUMBER
        if by_rows or not len(batch.rows) or not self.chunking.is_new(self._last_slice(batch)):
            return {}
        return {
            number: slicer.sliced([batch])
            for number, (slicer, _) in self.kept.items()
            if slicer.kept.cuts is not None and slicer.reads_only_its_stream
        }

    def ingest(self, batch: Batch, prepared: PreparedBatch) -> None:
        """Make slices of the rows that have come, unless the open slice may wait for more."""
        if self.chunking.is_due(len(batch.rows), self._last_slice(batch)):
            self.flush(batch, prepared)

    def flush(self, batch: Batch | None = None, prepared: PreparedBatch | None = None) -> None:
        """Make slices of everything that waits, and of this batch."""
        for number, (slicer, slices) in self.kept.items():
            self._ingest(slicer, slices, batch, (prepared or {}).get(number))
        self.chunking.ingested()

    def wanted(self, expected: float) -> list[Wanted] | None:
        """What is kept of a batch of about so many rows, if that is made where they are; row windows number them."""
        slicers = [slicer for slicer, _ in self.kept.values()]
        if self._first.axis is Axis.NUMBER or not all(slicer.is_for_cluster(expected) for slicer in slicers):
            return None
        return [slicer.wanted(slices) for slicer, slices in self.kept.values()]

    def ingest_made(self, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> None:
        """Slices were made of a batch where it is; what waits comes before it."""
        self.flush()
        for slicer, slices in self.kept.values():
            mine = next(found for wanted, found in made if wanted is slicer.want)
            slices.put(arrived.number, arrived.next_row, slicer.placed(mine.without(missed, SLICE), arrived.time))

    def occupied(self) -> Positions:
        """The slices that have rows, also of those that wait."""
        waiting = [b.came for b in self.basket.batches if b.number > self._slices.through]
        cuts = self._first.kept.cuts
        assert cuts is not None
        return np.unique(np.concatenate([self._slices.occupied(), *(cuts.slices(w) for w in waiting)]))

    def next_row(self) -> int:
        """The arrival number of the first row that some relation still has to ingest."""
        return min(slices.next_row for _, slices in self.kept.values())

    def _ingest(self, slicer: Slicer, slices: Slices, batch: Batch | None, prepared: Sliced | None) -> None:
        slices.forget_after(self.basket.last_batch)
        waiting = [b for b in self.basket.batches if b.number > slices.through]
        if batch is not None:
            waiting.append(batch)
        if waiting:
            made = prepared if prepared is not None and waiting == [batch] else slicer.sliced(waiting)
            slices.put(waiting[-1].number, waiting[-1].extent(Axis.NUMBER)[1] + 1, made)

    def _last_slice(self, batch: Batch) -> int:
        """When it is a new one, the slices before it are full."""
        return self._first.extent(batch)[1]
