"""What many boundaries ask of a sliding window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datacell.algebra.blocks import Blocks
from datacell.algebra.positions import Positions

OFTEN = 4
"""Boundaries that show a row, on average, up to which combining it at each of them costs less than sorting it once."""


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

    def shown(self, positions: Positions) -> tuple[Positions, Positions]:
        """Of sorted positions the places of those that boundaries show, each with the boundary that shows it."""
        first, last = np.searchsorted(positions, self.starts), np.searchsorted(positions, self.stops)
        counts = np.maximum(last - first, 0)
        return counted(counts) + np.repeat(first, counts), np.repeat(self.ends, counts)

    def block_numbers(self) -> list[int]:
        """Of the boundaries that show something."""
        return [int(number) for number in np.unique(self.blocks[self.valid])]

    def of_block(self, number: int) -> Positions:
        """The boundaries that end in a block."""
        mine: Positions = self.valid[self.blocks[self.valid] == number]
        return mine


def counted(counts: Positions) -> Positions:
    """0, 1, … up to each of the counts, one after the other."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
