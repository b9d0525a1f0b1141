"""Cases in processes of their own, as far as that needs no Spark."""

from __future__ import annotations

from math import isnan
from pathlib import Path

from datacell.bench.apart import Case, Outcome, measure, peak_megabytes
from datacell.bench.outcomes import headline, line, shown


def test_a_case_that_takes_too_long_is_ended_and_has_failed(tmp_path: Path) -> None:
    outcome = measure(Case(str(tmp_path), "SELECT", 0, "auto"), patience=0.1)
    assert outcome.failure == "not at its end after 0 seconds"
    assert isnan(outcome.seconds)


def test_what_fails_in_the_other_process_is_said_here(tmp_path: Path) -> None:
    outcome = measure(Case(str(tmp_path / "missing"), "SELECT", 0, "auto"), patience=120)
    assert outcome.failure.startswith("FileNotFoundError")
    assert outcome.python_mb > 10


def test_the_headline_is_the_share_that_finished_and_the_most_memory() -> None:
    outcomes = [Outcome(2.0, 300.0), Outcome(python_mb=700.0, failure="too few rows"), Outcome(failure="too late")]
    assert headline(outcomes) == {"finished": 1 / 3, "python_mb": 700.0}
    assert [shown(1000, outcome) for outcome in outcomes] == [
        "2.0 s, 500 rows/s, Python 300 MB",
        "too few rows",
        "too late",
    ]


def test_what_is_not_known_is_left_empty() -> None:
    assert line(1000, Outcome(2.0, 300.0)) == (2.0, 500.0, 300.0, "all rows counted")
    assert line(1000, Outcome(python_mb=700.0, failure="too few rows")) == ("", "", 700.0, "too few rows")


def test_memory_is_that_of_this_process() -> None:
    assert 10 < peak_megabytes() < 10_000
