"""Leaves whose relation has its home on the cluster.

Everything that a boundary shows is told by slices, and slices are few. So the driver says of each slice what becomes of
its rows (where it stands in a scan, or between which boundaries it is visible), and executors join that to the rows,
which stay where they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from datacell.algebra.positions import Positions
from datacell.algebra.tree import Key
from datacell.engines.protocol import Annotated, Source
from datacell.incremental.boundaries import Boundary, shown_during
from datacell.incremental.inputs import Probes, ScanRows, ShownRows
from datacell.incremental.relations import SLICE, VISIBLE_FROM, VISIBLE_TO, Leaf
from datacell.runtime.windows.slices import Slices
from datacell.runtime.windows.sliding.aggregation import ScannedLeaf
from datacell.runtime.windows.sliding.asked import Asked
from datacell.runtime.windows.sliding.from_slices import scan_slices
from datacell.runtime.windows.sliding.leaf import SlidingLeaf
from datacell.runtime.windows.sliding.scan import Scan, counted

VALUE = "value′"
"""The column of a small table that has the slices."""

_OFTEN = 4
"""Boundaries that show a row, on average, up to which combining it at each of them costs less than sorting it once."""


def annotated(relation: Slices, by: pa.Table, names: Sequence[str]) -> Annotated:
    """The rows of a relation under these names, with what the small table says of their slices."""
    own = [name for name in relation.schema.names if name != SLICE]
    return Annotated(relation.files(), SLICE, by, tuple(zip(own, names, strict=True)))


def merged(relation: Slices, leaf: SlidingLeaf, due: Sequence[Boundary], window: int) -> dict[Key, Source]:
    """What is combined at each boundary: rows beside the boundaries that show them, or what runs over the slices."""
    slices = _live(relation)
    asked = Asked.of([b.shown[window] for b in due], [b.end for b in due], leaf.blocks)
    scan = Scan(pa.schema([pa.field(VALUE, pa.int64())]))
    inputs: dict[Key, Source] = {**ScannedLeaf(leaf, [], Scan(leaf.schema)).rows()}
    shown = _shown(slices, asked, leaf)
    if len(shown) <= _OFTEN * len(slices):
        inputs[ShownRows(leaf.number)] = annotated(relation, shown, leaf.schema.names)
    else:
        scan_slices(leaf, [(pa.table({VALUE: slices}), slices)], asked, scan)
        inputs[ScanRows(leaf.number)] = annotated(relation, scan.rows(), leaf.schema.names)
    return inputs | {Probes(leaf.number): scan.probes(leaf.at)}


def _shown(slices: Positions, asked: Asked, leaf: SlidingLeaf) -> pa.Table:
    """The slices, each with every boundary that shows it."""
    first, last = np.searchsorted(slices, asked.starts), np.searchsorted(slices, asked.stops)
    counts = np.maximum(last - first, 0)
    inside = counted(counts) + np.repeat(first, counts)
    at = pa.array(np.repeat(asked.ends, counts), pa.int64()).cast(leaf.at.type)
    return pa.table({VALUE: slices[inside], leaf.at.name: at})


def visible(relation: Slices, number: int, leaf: Leaf) -> dict[Key, Source]:
    """The rows with the boundaries between which they are visible."""
    assert leaf.window is not None
    slices = _live(relation)
    since, until = shown_during(leaf.window, slices)
    shown = since < until
    by = pa.table({VALUE: slices[shown], VISIBLE_FROM: since[shown], VISIBLE_TO: until[shown]})
    return {ShownRows(number): annotated(relation, by, [f.name for f in leaf.columns])}


def _live(relation: Slices) -> Positions:
    return np.asarray(relation.occupied(), dtype=np.int64)
