"""Rounds, with paths that say how fast they are and take as long as their turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import pytest

from bench.hand_clock import Course
from datacell.bench.rounds import (
    LONGEST_FILLING,
    Choice,
    Measured,
    Sample,
    Turn,
    counted_rate,
    in_rounds,
    second_half_rate,
)

_TRIAL, _TURN = Turn(2, 0, 3), Turn(5, 0, 5)
_SMALL, _LARGE = (10, ""), (60, "")


def _path(course: Course, name: str, rates: Mapping[Choice, list[float]], delay: float = 0.0) -> Measured:
    """Every choice has so many rows per second, one turn after the other, and then always the last."""

    def measure(found: Iterator[float], turn: Turn) -> float:
        course.spend(turn.warming + turn.counted + delay)
        return next(found)

    measures: dict[Choice, Callable[[Turn], float]] = {c: partial(measure, _forever(r)) for c, r in rates.items()}
    return Measured(name, measures, _TRIAL, _TURN)


def _forever(rates: list[float]) -> Iterator[float]:
    yield from rates
    while True:
        yield rates[-1]


def test_choices_are_tried_and_the_better_one_has_turns_until_nothing_is_faster() -> None:
    course = Course(1000)
    ours = _path(course, "ours", {_SMALL: [1], _LARGE: [5, 50, 60, 59]})
    own = _path(course, "own", {_SMALL: [7, 8, 8, 8], _LARGE: [6]})
    assert in_rounds([ours, own], 5, course.progress) == 3
    assert (ours.better, ours.rates, own.better, own.rates) == (_LARGE, [50, 60, 59], _SMALL, [8, 8, 8])
    assert ours.rows() == [(60, "", 60, 3), (10, "", 1, 0)]
    assert course.lines()[0] == "bench  0:05  trying ours, 10 s per micro-batch … 1 rows/s"
    assert course.lines()[5] == "bench  0:35  round 1 of at most 5: ours … 50 rows/s"


def test_the_first_choice_is_tried_again_if_another_one_seems_better() -> None:
    course = Course(1000)
    path = _path(course, "ours", {_LARGE: [5, 50], _SMALL: [9]})
    in_rounds([path], 1, course.progress)
    assert (path.tried, path.better) == ({_LARGE: 50, _SMALL: 9}, _LARGE)


def test_what_has_no_choice_is_not_tried() -> None:
    course = Course(1000)
    path = _path(course, "ours", {_LARGE: [5, 50]})
    assert in_rounds([path], 1, course.progress) == 1
    assert (path.tried, path.rate, path.rows()) == ({}, 5, [(60, "", 5, 1)])


def test_there_are_enough_rounds_some_time() -> None:
    course = Course(1000)
    path = _path(course, "ours", {_LARGE: [1, 10, 100, 1000]})
    assert in_rounds([path], 3, course.progress) == 3
    assert path.rate == 100


@pytest.mark.parametrize(
    ("limit", "rounds", "turns"),
    [
        (1000, 4, [4, 4]),
        (20 + 40, 2, [2, 2]),  # trials, two rounds
        (20 + 39, 1, [1, 1]),  # no time for a whole second round
        (20 + 19, 0, [0, 0]),  # nor for a first one
        (1, 0, [0, 0]),  # one choice of each is tried all the same
    ],
)
def test_a_round_that_would_not_end_in_time_does_not_begin(limit: float, rounds: int, turns: list[int]) -> None:
    course = Course(limit)
    faster = [1, 10, 100, 1000, 10_000]
    paths = [_path(course, name, {_LARGE: list(faster), _SMALL: [0]}) for name in ("ours", "own")]
    assert in_rounds(paths, 4, course.progress) == rounds
    assert [len(path.rates) for path in paths] == turns
    assert all(path.rate > 0 for path in paths)


@pytest.mark.parametrize(
    ("turn", "rate"),
    [
        (Turn(2, 0, 2), 150),  # from (2, 100) to (4, 400)
        (Turn(1.5, 0, 2), 150),
        (Turn(0, 250, 1), 100),  # from (3, 300)
        (Turn(2, 0, 3), None),  # only two seconds count so far
        (Turn(9, 0, 0), None),
        (Turn(0, 500, 1), None),  # windows are not full yet
    ],
)
def test_what_comes_before_all_is_warm_does_not_count(turn: Turn, rate: float | None) -> None:
    samples = [Sample(0, 0), Sample(2, 100), Sample(3, 300), Sample(4, 400)]
    assert counted_rate(samples, turn) == rate


def test_a_round_in_which_the_time_is_over_is_not_whole() -> None:
    course = Course(20)
    paths = [_path(course, name, {_LARGE: [1, 10], _SMALL: [0]}, delay=1.0) for name in ("ours", "own")]
    paths.append(_path(course, "without choice", {_LARGE: [7]}, delay=1.0))
    assert in_rounds(paths, 4, course.progress) == 0
    assert [path.rates for path in paths] == [[10], [], [7]]


def test_windows_that_are_not_full_after_long_count_all_the_same() -> None:
    samples = [Sample(0, 0), Sample(LONGEST_FILLING, 100), Sample(LONGEST_FILLING + 10, 150)]
    assert counted_rate(samples, Turn(0, 500, 10)) == 5


def test_at_the_end_of_the_stream_the_second_half_counts() -> None:
    assert second_half_rate([Sample(0, 0), Sample(1, 10), Sample(2, 50), Sample(4, 120)]) == 35
    assert second_half_rate([Sample(0, 0), Sample(2, 120)]) == 60
