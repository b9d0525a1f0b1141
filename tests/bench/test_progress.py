"""How a bench goes on, by a clock that the test moves."""

from __future__ import annotations

import pytest

from bench.hand_clock import Course


def test_a_line_has_the_name_and_the_time_since_the_beginning() -> None:
    course = Course(600)
    course.progress.say("starting")
    course.spend(83.9)
    course.progress.say("round 2")
    assert course.lines() == ["bench  0:00  starting", "bench  1:23  round 2"]


def test_the_time_is_over_at_its_end() -> None:
    course = Course(10)
    course.spend(9)
    assert (course.progress.left, course.progress.is_over) == (1, False)
    course.spend(1)
    assert (course.progress.left, course.progress.is_over) == (0, True)


@pytest.mark.parametrize(
    ("limit", "least", "leaving", "made"),
    [(100, 1, 0, 5), (25, 1, 0, 3), (25, 4, 0, 4), (5, 0, 0, 1), (0, 0, 0, 0), (0, 2, 0, 2), (100, 1, 75, 3)],
)
def test_turns_end_with_the_time_but_not_before_the_least(limit: float, least: int, leaving: float, made: int) -> None:
    course = Course(limit)
    turns = []
    for turn in course.progress.turns(5, least, leaving):
        turns.append(turn)
        course.spend(10)
    assert turns == list(range(made))
    assert course.progress.is_cut_short == (made < 5)
