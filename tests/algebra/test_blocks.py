"""Blocks: every position is in one, and each ends where the next begins."""

from __future__ import annotations

import numpy as np
import pytest

from datacell.algebra.blocks import Blocks, blocks
from datacell.algebra.positions import FOREVER
from datacell.algebra.window import Fixed, Landmark, Now, Range, Rows, Unbounded, WindowSpec

POSITIONS = np.array([-7, -1, 0, 1, 4, 5, 6, 9, 10, 1_700_000_000_000_000, FOREVER - 1, FOREVER], dtype=np.int64)


@pytest.mark.parametrize(
    "window", [Range(5), Fixed(5), Now(), Unbounded(), Rows(5, 1), Landmark(5), Landmark(1, reset=5)]
)
def test_blocks_follow_each_other(window: WindowSpec) -> None:
    found = blocks(window)
    numbers = found.numbers(POSITIONS)
    assert numbers.tolist() == [found.number(p) for p in POSITIONS.tolist()]
    assert found.starts(numbers).tolist() == [found.start(n) for n in numbers.tolist()]
    assert (found.starts(numbers) <= POSITIONS).all()
    before_the_end = POSITIONS < FOREVER
    assert (found.starts(numbers + 1) > POSITIONS)[before_the_end].all()


def test_the_only_block_of_a_window_without_end_ends_with_time() -> None:
    endless = Blocks(None, 0, slides=False)
    assert (endless.start(0), endless.start(1)) == (-FOREVER, FOREVER)
    assert (endless.number(FOREVER - 1), endless.number(FOREVER)) == (0, 1)
