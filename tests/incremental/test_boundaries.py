"""When rows are shown: the boundaries from which on and until which a row is shown are those that show it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.window import RowWindow, TimeWindow, WindowSpec
from datacell.incremental.boundaries import Boundary, last_shown, oldest_needed, shown_during
from incremental.window_lists import (
    MANY,
    NUMBERS,
    PARTITIONED_ROWS,
    POSITIONS,
    SLICED_ROWS,
    in_rows,
    in_time,
    time_windows,
)

ALL_ROW_WINDOWS = st.lists(SLICED_ROWS | PARTITIONED_ROWS, min_size=1, max_size=3)


@MANY
@given(time_windows())
def test_rows_in_time_are_shown_from_birth_until_death(windows: list[TimeWindow]) -> None:
    due = in_time(windows)
    assert due
    for index, window in enumerate(windows):
        born, dies = shown_during(window, POSITIONS)
        check_shown(POSITIONS, born, dies, due, index)


@MANY
@given(ALL_ROW_WINDOWS)
def test_counted_rows_are_shown_from_birth_until_death(windows: list[RowWindow]) -> None:
    due = in_rows(windows)
    for index, window in enumerate(windows):
        born, dies = shown_during(window, NUMBERS)
        check_shown(NUMBERS, born, dies, due, index)


def check_shown(positions: Positions, born: Positions, dies: Positions, due: list[Boundary], index: int) -> None:
    assert (born <= dies).all()
    for boundary in due:
        start, stop = boundary.shown[index]
        by_place = (start <= positions) & (positions < stop)
        by_time = (born <= boundary.end) & (boundary.end < dies)
        assert by_time.tolist() == by_place.tolist(), boundary


@MANY
@given(time_windows())
def test_the_last_boundary_that_shows_a_row_is_before_its_death(windows: list[TimeWindow]) -> None:
    for window in windows:
        born, dies = shown_during(window, POSITIONS)
        last = last_shown(window, POSITIONS, ())
        ever, mortal = born < dies, dies < FOREVER
        assert (born[ever] <= last[ever]).all()
        assert (last[ever & mortal] < dies[ever & mortal]).all()


@MANY
@given(time_windows())
def test_what_is_not_needed_any_more_is_not_shown(windows: list[TimeWindow]) -> None:
    _shows_only_what_is_needed(windows, in_time(windows))


@MANY
@given(st.lists(SLICED_ROWS, min_size=1, max_size=3))
def test_counted_rows_that_are_not_needed_any_more_are_not_shown(windows: list[RowWindow]) -> None:
    _shows_only_what_is_needed(windows, in_rows(windows))


def _shows_only_what_is_needed(windows: Sequence[WindowSpec], due: Sequence[Boundary]) -> None:
    for index, window in enumerate(windows):
        for before, after in pairwise(due):
            start, stop = after.shown[index]
            assert start >= stop or start >= oldest_needed(window, before.end)
