"""Compaction: the chunks of a kept relation become one, where that makes their rows fewer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from datacell.algebra.blocks import blocks
from datacell.algebra.positions import Positions
from datacell.algebra.window import Landmark, WindowSpec, micros
from datacell.engines.protocol import Files
from datacell.incremental.boundaries import shown_during
from datacell.incremental.inputs import ROWS
from datacell.incremental.plans import Incremental, compacted
from datacell.incremental.relations import SLICE, Latest, Leaf
from datacell.runtime.plans.plans import Plans
from datacell.runtime.windows.chunks import Sliced, slices
from datacell.runtime.windows.on_cluster import VALUE, annotated
from datacell.runtime.windows.slices import Slices
from datacell.runtime.windows.sliding.aggregation import SlidingAggregation

COMPACTED_FROM = 32
"""Chunks of a relation from which on it is worth checking whether they can be combined."""


class Compaction:
    """Of one kept relation, which these sliding aggregations read."""

    def __init__(
        self,
        number: int,
        described: Incremental,
        relation: Slices,
        readers: Sequence[SlidingAggregation],
        plans: Plans,
    ) -> None:
        self.relation, self.readers = relation, readers
        self.leaves = described.leaves_of(number)
        self._plan = plans.prepare(compacted(number), described.compactions[number])
        self._last = 0
        """Chunks that there were when it was last checked, or that were left."""

    def run(self, boundary: int, oldest: int) -> None:
        """Combine what can be combined after this boundary; no slice before `oldest` is needed any more."""
        if not self._is_worth_it():
            return
        if not self.relation.on_cluster:
            for reader in self.readers:
                reader.catch_up()
        made, there = (self._written if self.relation.on_cluster else self._combined)(boundary, oldest)
        occupied, chunks = self.relation.occupied(), self.relation.chunks
        first = int(there.min(initial=min(c.oldest for c in chunks)))
        latest = max(c.latest for c in chunks)
        self.relation.replace_all(Sliced(made, first, latest, np.union1d(occupied[occupied >= oldest], there)))
        self._last = len(self.relation.chunks)

    def _is_worth_it(self) -> bool:
        """Are there many more chunks than last time, and does combining make their rows fewer?"""
        count = len(self.relation.chunks)
        if count < max(COMPACTED_FROM, 2 * self._last):
            return False
        self._last = count
        if self.relation.on_cluster or any(isinstance(leaf, Latest) or _grows(leaf) for leaf in self.leaves):
            return True
        return count > 2 * len(np.unique(slices(self.relation.rows())))

    def _combined(self, boundary: int, oldest: int) -> tuple[pa.Table, Positions]:
        """The live rows in the driver combined, and the slices that they are of then."""
        rows = self.relation.rows()
        live = self._fewer(rows.filter(pa.array(slices(rows) >= oldest)), boundary)
        return live, np.unique(slices(live))

    def _written(self, boundary: int, oldest: int) -> tuple[Files, Positions]:
        """The same by executors: what becomes of a row is told by its slice."""
        live = self.relation.occupied()
        live = live[live >= oldest]
        by, leaf = pa.table({VALUE: live, SLICE: live}), self.leaves[0]
        if len({other.window for other in self.leaves}) == 1 and _grows(leaf):
            by = _coarser(by, leaf.window, boundary)
        names = [name for name in self.relation.schema.names if name != SLICE]
        directory = self.relation.store.combined_directory(self.relation.chunks)
        return self._plan.on_cluster.write({ROWS: annotated(self.relation, by, names)}, directory), np.unique(
            slices(by)
        )

    def _fewer(self, rows: pa.Table, boundary: int) -> pa.Table:
        """Fewer rows that give the same answers after this boundary."""
        leaf = self.leaves[0]
        if isinstance(leaf, Latest):
            old = slices(rows) <= boundary // leaf.window.slide * leaf.window.slide
            last = self._plan({ROWS: rows.filter(pa.array(old))}).select(rows.schema.names)
            return pa.concat_tables([last, rows.filter(pa.array(~old))])
        if len({other.window for other in self.leaves}) == 1 and _grows(leaf):
            rows = _coarser(rows, leaf.window, boundary)
        return self._plan({ROWS: rows})


def _grows(leaf: Leaf) -> bool:
    return leaf.window is not None and not blocks(leaf.window).slides


def _coarser(rows: pa.Table, window: WindowSpec | None, boundary: int) -> pa.Table:
    """Rows that every later boundary of their block shows become rows of the first slice that the block shows."""
    assert window is not None
    found, at = blocks(window), slices(rows)
    since, until = shown_during(window, at)
    visible = since < until
    rows, at, shown = rows.filter(pa.array(visible)), at[visible], since[visible] <= boundary
    if not shown.any():
        return rows
    begin = at[shown].min() if found.size is None else found.starts(found.numbers(at))
    if isinstance(window, Landmark) and window.since is not None:
        begin = np.maximum(begin, micros(window.since))
    index = rows.schema.get_field_index(SLICE)
    return rows.set_column(index, SLICE, pa.array(np.where(shown, begin, at)))
