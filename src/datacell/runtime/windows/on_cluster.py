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
from datacell.runtime.windows.sliding.asked import OFTEN, Asked
from datacell.runtime.windows.sliding.from_slices import scan_slices
from datacell.runtime.windows.sliding.leaf import SlidingLeaf
from datacell.runtime.windows.sliding.scan import Scan

VALUE = "value′"
"""The column of a small table that has the slices."""


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
    shown, ends = asked.shown(slices)
    if len(shown) <= OFTEN * len(slices):
        boundaries = pa.table({VALUE: slices[shown], leaf.at.name: leaf.boundaries(ends)})
        inputs[ShownRows(leaf.number)] = annotated(relation, boundaries, leaf.schema.names)
    else:
        scan_slices(leaf, [(pa.table({VALUE: slices}), slices)], asked, scan)
        inputs[ScanRows(leaf.number)] = annotated(relation, scan.rows(), leaf.schema.names)
    return inputs | {Probes(leaf.number): scan.probes(leaf.at)}


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
