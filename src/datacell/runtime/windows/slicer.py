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
from datacell.runtime.streams.first_stage import Made, Wanted
from datacell.runtime.windows.chunks import Sliced
from datacell.runtime.windows.slices import Slices


class Slicer:
    """Of one kept relation; `axis` is what its cuts count."""

    def __init__(self, number: int, kept: Kept, axis: Axis, plans: Plans) -> None:
        self.kept, self.axis = kept, axis
        self.want: Wanted | None = None
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
            self._several.operators.learn(len(rows), len(made))
            made = made.append_column(SLICE, pa.array(np.full(len(made), first)))
            return Sliced(made, first, last, self._occupied(batches, np.array([first], dtype=np.int64)))
        found = [self._slices(b) for b in batches]
        at = found[0] if len(found) == 1 else np.concatenate(found)
        made = self._several({self._slot: rows.append_column(SLICE, pa.array(at))})
        self._several.operators.learn(len(rows), len(made))
        return Sliced(made, first, last, self._occupied(batches, at))

    def is_for_cluster(self, expected: float) -> bool:
        """Is what a batch of about so many rows gives made where the rows are?"""
        return self.kept.cuts is not None and self._several.is_for_cluster(expected)

    def wanted(self, slices: Slices) -> Wanted:
        """What is made of every batch, as long as it is."""

        def learn(read: int, made: int, seconds: float) -> None:
            slices.learn(made)
            self._several.operators.learn(read, made)
            self._several.on_cluster.was_staged(made, seconds)

        if self.want is None:
            self.want = Wanted(
                self.kept.plan,
                self.kept.cuts,
                self._several.tables,
                slices.store.directory_of,
                slices.stays,
                learn,
                slices.account,
            )
        return self.want

    def placed(self, made: Made, time: int | None) -> Sliced:
        """What was made, with its slices; if rows have no time but their arrival, all of them are in that slice."""
        assert self.kept.cuts is not None
        if time is None:
            first, last = (int(made.occupied[i]) for i in (0, -1)) if len(made.occupied) else (0, 0)
            return Sliced(made.rows, first, last, made.occupied)
        slice_ = self.kept.cuts.slice(time)
        assert isinstance(made.rows, pa.Table)
        index = made.rows.schema.get_field_index(SLICE)
        rows = made.rows.set_column(index, SLICE, pa.array(np.full(len(made.rows), slice_)))
        return Sliced(rows, slice_, slice_, np.array([slice_], dtype=np.int64))

    def _slices(self, batch: Batch) -> Positions:
        """For each row of a batch its slice."""
        at, cuts = batch.positions(self.axis), self.kept.cuts
        return at if cuts is None else cuts.slices(at)

    def _occupied(self, batches: Sequence[Batch], slices: Positions) -> Positions:
        """The slices that rows came for; among arrival numbers nobody asks, because there are no gaps."""
        if self.axis is Axis.NUMBER:
            return slices[:0]
        cuts = self.kept.cuts
        parts = [] if cuts is None else [cuts.slices(b.came) for b in batches if b.whole is not None]
        return np.unique(np.concatenate([slices, *parts]))
