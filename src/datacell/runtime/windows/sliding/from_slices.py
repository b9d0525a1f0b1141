"""Boundaries in many blocks: running combinations over the slices themselves."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from datacell.algebra.positions import Positions
from datacell.runtime.windows.sliding.asked import Asked
from datacell.runtime.windows.sliding.leaf import SlidingLeaf
from datacell.runtime.windows.sliding.pieces import where
from datacell.runtime.windows.sliding.scan import Scan, backward


def scan_slices(leaf: SlidingLeaf, chunks: Iterable[tuple[pa.Table, Positions]], asked: Asked, scan: Scan) -> None:
    """Forward within the block of each boundary, backward within the block before it. Chunks are rows and slices."""
    valid = asked.valid
    if not len(valid):
        return
    starts, stops, blocks = asked.starts[valid], asked.stops[valid], asked.blocks[valid]
    begins = np.array([leaf.blocks.start(int(b)) for b in blocks], dtype=np.int64)
    before = valid[starts < begins] if leaf.blocks.slides else valid[:0]
    for rows, at in chunks:
        own = leaf.blocks.numbers(at)
        since = np.searchsorted(stops, at, side="right")
        inside = since < len(valid)
        inside[inside] = blocks[since[inside]] == own[inside]
        inside &= at >= starts[0]
        ends = valid[np.searchsorted(blocks, own[inside], side="right") - 1] + 1
        scan.add(where(rows, inside), ends, valid[since[inside]])
        if len(before):
            last = np.searchsorted(asked.starts[before], at, side="right") - 1
            inside = last >= 0
            inside[inside] = asked.blocks[before[last[inside]]] - 1 == own[inside]
            ends = -before[np.searchsorted(asked.blocks[before] - 1, own[inside])]
            scan.add(where(rows, inside), ends, backward(before[last[inside]]))
    scan.ask(valid, asked.ends[valid], valid[np.searchsorted(blocks, blocks, side="right") - 1] + 1)
    numbers = asked.blocks[before]
    scan.ask(backward(before), asked.ends[before], -before[np.searchsorted(numbers, numbers)])
