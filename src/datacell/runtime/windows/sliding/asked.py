"""What many boundaries ask of a sliding window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datacell.algebra.blocks import Blocks
from datacell.algebra.positions import Positions


@dataclass(frozen=True)
class Asked:
    """Boundaries: what the window shows there, its block, which of them show something at all, and when they are."""

    starts: Positions
    stops: Positions
    blocks: Positions
    valid: Positions
    ends: Positions

    @classmethod
    def of(cls, shown: Sequence[tuple[int, int]], ends: Sequence[int], blocks: Blocks) -> Asked:
        starts, stops = (np.array(side, dtype=np.int64) for side in zip(*shown, strict=True))
        numbers = blocks.numbers(stops - 1)
        return cls(starts, stops, numbers, np.flatnonzero(starts < stops), np.array(ends, dtype=np.int64))

    def block_numbers(self) -> list[int]:
        """Of the boundaries that show something."""
        return [int(number) for number in np.unique(self.blocks[self.valid])]

    def of_block(self, number: int) -> Positions:
        """The boundaries that end in a block."""
        mine: Positions = self.valid[self.blocks[self.valid] == number]
        return mine
