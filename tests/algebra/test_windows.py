"""Windows and lengths of time, as they are printed and as they refuse nonsense."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from datacell.algebra import duration
from datacell.algebra.duration import DAY, HOUR, MILLISECOND, MINUTE, SECOND, WEEK
from datacell.algebra.window import (
    Fixed,
    Landmark,
    LandmarkRows,
    Now,
    Range,
    Rows,
    Unbounded,
    WindowSpec,
    counts_rows,
    is_sampled,
)
from datacell.errors import PlanError

NOON = datetime(2024, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("window", "text"),
    [
        (Range(5 * MINUTE), "range 5 minutes"),
        (Range(5 * MINUTE, SECOND), "range 5 minutes slide 1 second"),
        (Fixed(HOUR, 90 * SECOND), "fixed 1 hour slide 90 seconds"),
        (Now(), "now"),
        (Unbounded(), "unbounded"),
        (Landmark(SECOND), "landmark slide 1 second"),
        (Landmark(SECOND, NOON, DAY), "landmark from 2024-01-01T12:00:00+00:00 slide 1 second reset every 1 day"),
        (Rows(10), "rows 10 slide 1"),
        (Rows(10, 3, ("s.k", "s.n")), "partition by s.k, s.n rows 10 slide 3"),
        (LandmarkRows(100), "landmark slide 100 rows"),
        (LandmarkRows(100, NOON), "landmark from 2024-01-01T12:00:00+00:00 slide 100 rows"),
    ],
)
def test_a_window_prints_as_it_is_written(window: WindowSpec, text: str) -> None:
    assert str(window) == text


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Range(0), "a window's size must be positive, not 0"),
        (lambda: Range(1, 0), "a window's slide must be positive, not 0"),
        (lambda: Fixed(-1), "a window's size must be positive, not -1"),
        (lambda: Landmark(1, reset=0), "a window's reset must be positive, not 0"),
        (lambda: Landmark(1, since=NOON.replace(tzinfo=None)), "a landmark needs an instant with a time zone"),
        (lambda: LandmarkRows(0), "a window's slide must be positive, not 0"),
        (lambda: Rows(0), "a window's count must be positive, not 0"),
        (lambda: Rows(1, 0), "a window's slide must be positive, not 0"),
    ],
)
def test_a_window_refuses_nonsense(make: Callable[[], object], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        make()


def test_kinds_of_windows() -> None:
    rows: list[WindowSpec] = [Rows(1), LandmarkRows(1)]
    sampled: list[WindowSpec] = [Range(1, 1), Fixed(1, 1), Landmark(1)]
    unsampled: list[WindowSpec] = [Range(1), Fixed(1), Now(), Unbounded()]
    assert all(map(counts_rows, rows))
    assert not any(map(counts_rows, sampled + unsampled))
    assert all(map(is_sampled, rows + sampled))
    assert not any(map(is_sampled, unsampled))


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (1, "1 microsecond"),
        (1500, "1500 microseconds"),
        (2 * MILLISECOND, "2 milliseconds"),
        (SECOND, "1 second"),
        (90 * SECOND, "90 seconds"),
        (2 * HOUR, "2 hours"),
        (DAY, "1 day"),
        (WEEK, "7 days"),
    ],
)
def test_a_length_prints_in_its_largest_unit(length: int, text: str) -> None:
    assert duration.show(length) == text
