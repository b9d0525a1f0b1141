"""Making slices: what the rows of batches give to a kept relation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.positions import Positions
from datacell.incremental.inputs import BasketRows
from datacell.incremental.plans import one_slice
from datacell.incremental.relations import SLICE, Kept, name
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.batch import Axis, Batch
from datacell.runtime.windows.slices import Sliced


class Slicer:
    """Of one kept relation; `axis` is what its cuts count."""

    def __init__(self, number: int, kept: Kept, axis: Axis, plans: Plans) -> None:
        self.kept, self.axis = kept, axis
        self._slot = BasketRows(kept.stream)
        self._several = plans.prepare(name(number), kept.plan)
        self._alone = None if kept.alone is None else plans.prepare(one_slice(number), kept.alone)
        self.reads_only_its_stream = not tree.table_names(kept.plan)

    def extent(self, batch: Batch) -> tuple[int, int]:
        """The first and the last slice that a batch has rows of."""
        (first, last), cuts = batch.extent(self.axis), self.kept.cuts
        return (first, last) if cuts is None else (cuts.slice(first), cuts.slice(last))

    def sliced(self, batches: Sequence[Batch]) -> Sliced:
        """What the rows of these batches give."""
        extents = [self.extent(b) for b in batches]
        first, last = min(e[0] for e in extents), max(e[1] for e in extents)
        rows = batches[0].rows if len(batches) == 1 else pa.concat_tables([b.rows for b in batches])
        if first == last and self._alone is not None:
            made = self._alone({self._slot: rows})
            made = made.append_column(SLICE, pa.array(np.full(len(made), first)))
            return Sliced(made, first, last, self._occupied(np.array([first], dtype=np.int64)))
        found = [self._slices(b) for b in batches]
        at = found[0] if len(found) == 1 else np.concatenate(found)
        made = self._several({self._slot: rows.append_column(SLICE, pa.array(at))})
        return Sliced(made, first, last, self._occupied(at))

    def _slices(self, batch: Batch) -> Positions:
        """For each row of a batch its slice."""
        at, cuts = batch.positions(self.axis), self.kept.cuts
        return at if cuts is None else cuts.slices(at)

    def _occupied(self, slices: Positions) -> Positions:
        """The slices that have rows; among arrival numbers nobody asks, because there are no gaps."""
        return slices[:0] if self.axis is Axis.NUMBER else np.unique(slices)
