"""Random windows of one query, as short as microseconds and single rows, so that everything that can meet does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from datacell.algebra.positions import Positions
from datacell.algebra.window import (
    Fixed,
    Landmark,
    LandmarkRows,
    Now,
    Range,
    Rows,
    RowWindow,
    TimeWindow,
    Unbounded,
    WindowSpec,
)
from datacell.incremental.boundaries import Boundary, due_in_rows, due_in_time

MANY = settings(derandomize=True, database=None, deadline=None, max_examples=200)

POSITIONS: Positions = np.arange(-12, 25, dtype=np.int64)
ARRIVED = 40
NUMBERS: Positions = np.arange(1, ARRIVED + 1, dtype=np.int64)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LENGTHS = st.integers(1, 9)
_INSTANTS = st.integers(-9, 20).map(lambda n: _EPOCH + timedelta(microseconds=n))

SAMPLED: st.SearchStrategy[TimeWindow] = st.one_of(
    st.builds(Range, _LENGTHS, _LENGTHS),
    st.builds(Fixed, _LENGTHS, _LENGTHS),
    st.builds(Landmark, _LENGTHS, st.none() | _INSTANTS, st.none() | _LENGTHS),
)
UNSAMPLED: st.SearchStrategy[TimeWindow] = st.one_of(
    st.builds(Range, _LENGTHS), st.builds(Fixed, _LENGTHS), st.builds(Now), st.builds(Unbounded)
)
SLICED_ROWS: st.SearchStrategy[RowWindow] = st.builds(Rows, _LENGTHS, _LENGTHS) | st.builds(LandmarkRows, _LENGTHS)
PARTITIONED_ROWS = st.builds(Rows, _LENGTHS, _LENGTHS, st.just(("k",)))


def time_windows() -> st.SearchStrategy[list[TimeWindow]]:
    """Windows of one query over time: at least one says when it is evaluated."""
    several = st.lists(SAMPLED | UNSAMPLED, max_size=2)
    return st.tuples(SAMPLED, several).map(lambda drawn: [drawn[0], *drawn[1]])


def row_windows() -> st.SearchStrategy[list[RowWindow]]:
    return st.lists(SLICED_ROWS, min_size=1, max_size=3)


def slides(windows: list[TimeWindow] | list[RowWindow]) -> list[int]:
    return sorted({w.slide for w in windows if w.slide is not None})


def in_time(windows: list[TimeWindow]) -> list[Boundary]:
    """The boundaries of windows over streams that have a row at every position, where something is shown."""
    due = due_in_time(windows, [POSITIONS] * len(windows), after=-100, until=60, ended=False)
    return [boundary for boundary in due if not boundary.empty]


def in_rows(windows: list[RowWindow]) -> list[Boundary]:
    return list(due_in_rows(windows, ARRIVED, after=0))


def seen(boundaries: list[Boundary], index: int) -> list[tuple[int, int]]:
    """What one of the windows shows, where it shows something."""
    return [b.shown[index] for b in boundaries if b.shown[index][0] < b.shown[index][1]]


def slides_over(window: WindowSpec) -> bool:
    return isinstance(window, Range) or (isinstance(window, Rows) and not window.partition)
