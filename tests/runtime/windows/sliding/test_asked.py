"""What many boundaries ask of a sliding window."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from datacell.algebra.blocks import blocks
from datacell.algebra.window import Range
from datacell.runtime.windows.sliding.asked import Asked

WINDOW = Range(5, 1)
POSITIONS = st.integers(-20, 20)


@given(st.lists(POSITIONS), st.lists(st.tuples(POSITIONS, POSITIONS), min_size=1))
def test_each_boundary_gets_what_it_shows(positions: list[int], shown: list[tuple[int, int]]) -> None:
    at = np.sort(np.array(positions, dtype=np.int64))
    asked = Asked.of(shown, range(len(shown)), blocks(WINDOW))
    places, ends = asked.shown(at)
    found = sorted(zip(ends.tolist(), at[places].tolist(), strict=True))
    assert found == [(end, p) for end, (start, stop) in enumerate(shown) for p in at.tolist() if start <= p < stop]
