"""Cuts, slices and blocks: every window begins and ends at a cut, and lies in at most two blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datacell.algebra.blocks import blocks as blocks_of
from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.window import Landmark, Now, Range, Rows, RowWindow, TimeWindow, WindowSpec
from datacell.incremental import cuts, show
from datacell.incremental.cuts import Cuts, Progression
from incremental.window_lists import (
    MANY,
    NUMBERS,
    POSITIONS,
    in_rows,
    in_time,
    row_windows,
    seen,
    slides,
    slides_over,
    time_windows,
)


def at(*positions: int) -> Positions:
    return np.array(positions, dtype=np.int64)


@MANY
@given(time_windows())
def test_every_window_over_time_begins_and_ends_at_a_cut(windows: list[TimeWindow]) -> None:
    where, due = cuts.cuts(windows, slides(windows)), in_time(windows)
    for index in range(len(windows)):
        check_begins_and_ends(where, seen(due, index))


@MANY
@given(row_windows())
def test_every_window_over_rows_begins_and_ends_at_a_cut(windows: list[RowWindow]) -> None:
    where, due = cuts.cuts(windows, slides(windows)), in_rows(windows)
    for index in range(len(windows)):
        check_begins_and_ends(where, seen(due, index))


def check_begins_and_ends(where: Cuts, shown: list[tuple[int, int]]) -> None:
    ends = at(*(end for stretch in shown for end in stretch if end != -FOREVER))
    assert where.slices(ends).tolist() == ends.tolist()


@MANY
@given(time_windows())
def test_the_rows_of_a_slice_over_time_are_shown_together(windows: list[TimeWindow]) -> None:
    where, due = cuts.cuts(windows, slides(windows)), in_time(windows)
    for index in range(len(windows)):
        check_together(where, POSITIONS, seen(due, index))


@MANY
@given(row_windows())
def test_the_rows_of_a_slice_over_rows_are_shown_together(windows: list[RowWindow]) -> None:
    where, due = cuts.cuts(windows, slides(windows)), in_rows(windows)
    for index in range(len(windows)):
        check_together(where, NUMBERS, seen(due, index))


def check_together(where: Cuts, positions: Positions, shown: list[tuple[int, int]]) -> None:
    found = where.slices(positions)
    assert (found <= positions).all()
    assert (np.diff(found) >= 0).all()
    assert where.slices(found).tolist() == found.tolist()
    for start, stop in shown:
        assert ((start <= positions) & (positions < stop)).tolist() == ((start <= found) & (found < stop)).tolist()


@MANY
@given(time_windows())
def test_blocks_over_time(windows: list[TimeWindow]) -> None:
    where, due = cuts.cuts(windows, slides(windows)), in_time(windows)
    for index, window in enumerate(windows):
        check_blocks(where, window, POSITIONS, seen(due, index))


@MANY
@given(row_windows())
def test_blocks_over_rows(windows: list[RowWindow]) -> None:
    where, due = cuts.cuts(windows, slides(windows)), in_rows(windows)
    for index, window in enumerate(windows):
        check_blocks(where, window, NUMBERS, seen(due, index))


def check_blocks(where: Cuts, window: WindowSpec, positions: Positions, shown: list[tuple[int, int]]) -> None:
    """A window that slides is the end of one block and the beginning of the next, one that grows the latter alone."""
    blocks = blocks_of(window)
    numbers = blocks.numbers(positions)
    assert numbers.tolist() == [blocks.number(p) for p in positions.tolist()]
    begins = np.array([blocks.start(n) for n in numbers.tolist()])
    assert ((begins <= positions) & (positions < (FOREVER if blocks.size is None else begins + blocks.size))).all()
    if blocks.size is not None and not isinstance(window, Now):
        assert where.slices(begins).tolist() == begins.tolist()
    for start, stop in shown:
        last = blocks.number(stop - 1)
        covered = (numbers == last) | (blocks.slides & (numbers == last - 1))
        inside = (positions >= start) & (positions < stop)
        assert covered[inside].all()
        if not blocks.slides and not _has_instant(window):
            assert not ((numbers == last) & (positions < start)).any()


def _has_instant(window: WindowSpec) -> bool:
    return isinstance(window, Landmark) and window.since is not None


@MANY
@given(time_windows())
def test_where_windows_over_time_begin(windows: list[TimeWindow]) -> None:
    due = in_time(windows)
    for index, window in enumerate(windows):
        if slides_over(window):
            check_starts(window, slides(windows), [start for start, _ in seen(due, index)])


@MANY
@given(row_windows())
def test_where_windows_over_rows_begin(windows: list[RowWindow]) -> None:
    due = in_rows(windows)
    for index, window in enumerate(windows):
        if slides_over(window):
            check_starts(window, slides(windows), [start for start, _ in seen(due, index)])


def check_starts(window: WindowSpec, every: list[int], begun: list[int]) -> None:
    """All of them, strictly between two of them, in order."""
    if begun:
        first, last = min(begun), max(begun)
        between = {start for start in begun if first < start < last}
        assert cuts.starts(window, every, first, last) == sorted(between)
        assert cuts.starts(window, every, first - 1, last + 1) == sorted({*between, first, last})


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (Range(6, 2), {Progression(2), Progression(6)}),
        (Range(5, 2), {Progression(2), Progression(2, 1), Progression(5)}),
        (Range(2, 3), {Progression(3), Progression(3, 1), Progression(2)}),
        (Rows(4, 2), {Progression(2, 1), Progression(4, 1)}),
        (Rows(5, 2), {Progression(2, 1), Progression(2, 0), Progression(5, 1)}),
    ],
    ids=str,
)
def test_two_cuts_per_slide_and_one_per_block(window: WindowSpec, expected: set[Progression]) -> None:
    assert set(cuts.cuts([window], [window.slide or 1]).progressions) == expected


def test_slices_begin_at_the_last_cut() -> None:
    where = Cuts((Progression(5), Progression(3, 1)), (7,))
    assert where.slices(at(-1, 0, 1, 4, 6, 7, 8, 10, 12)).tolist() == [-2, 0, 1, 4, 5, 7, 7, 10, 10]


@MANY
@given(st.lists(st.builds(Progression, st.integers(1, 9), st.integers(0, 8)), min_size=1, max_size=5))
def test_progressions_that_are_not_shown_cut_nowhere_else(progressions: list[Progression]) -> None:
    shown = Cuts(tuple(show.needed(progressions)))
    assert shown.slices(POSITIONS).tolist() == Cuts(tuple(progressions)).slices(POSITIONS).tolist()
