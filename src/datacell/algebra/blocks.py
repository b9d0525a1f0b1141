"""Blocks: where a window is cut in two for two-stack aggregation.

Positions are grouped in blocks as long as the window. A window that slides is a suffix of one block combined with a
prefix of the next::

    block 0              block 1              block 2
    |--------------------|--------------------|-----
              [==========|=========)                      suffix of block 0 ∘ prefix of block 1

Prefixes and suffixes are running combinations, so a window costs two of them however much it holds,
and nothing is ever subtracted. A window that grows and then begins again is a prefix of one block.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.window import Fixed, Landmark, Now, Range, Rows, WindowSpec


@dataclass(frozen=True)
class Blocks:
    """Blocks that are `size` long, from `offset` on; without a size there is only one, number 0, up to FOREVER.

    A window that slides covers the end of one block and the beginning of the next, one that grows only the latter.
    """

    size: int | None
    offset: int
    slides: bool

    def number(self, position: int) -> int:
        return int(position >= FOREVER) if self.size is None else (position - self.offset) // self.size

    def numbers(self, positions: Positions) -> Positions:
        if self.size is None:
            return np.asarray(positions >= FOREVER, dtype=np.int64)
        return (positions - self.offset) // self.size

    def start(self, number: int) -> int:
        if self.size is None:
            return FOREVER if number > 0 else -FOREVER
        return number * self.size + self.offset

    def starts(self, numbers: Positions) -> Positions:
        if self.size is None:
            return np.where(numbers > 0, FOREVER, -FOREVER)
        return numbers * self.size + self.offset


def blocks(window: WindowSpec) -> Blocks:
    match window:
        case Range(size=size):
            return Blocks(size, 0, slides=True)
        case Rows(count=count):
            return Blocks(count, 1, slides=True)
        case Fixed(size=size) | Landmark(reset=int(size)):
            return Blocks(size, 0, slides=False)
        case Now():
            return Blocks(1, 0, slides=False)
    return Blocks(None, 0, slides=False)
