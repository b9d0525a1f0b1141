"""Rows that are far ahead of the others: rejected where that was declared, else told about."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

from datacell.algebra.positions import FOREVER
from datacell.runtime.streams.ahead import Jump, Spans, first_jump, spans_of
from datacell.testing import Trial

STREAM = "CREATE STREAM s (ts TIMESTAMP, v INT, WATERMARK FOR ts AS ts{ahead});"
QUERY = "CREATE CONTINUOUS QUERY q AS SELECT count(*) AS n, sum(v) AS total FROM s [RANGE 10 SECONDS SLIDE 10 SECONDS];"
BOUNDED = STREAM.format(ahead=" - INTERVAL 1 SECOND AHEAD AT MOST INTERVAL 1 HOUR") + QUERY
WRONG = ("9998-01-01T00:00:00Z", 9)


def at(second: int, value: int) -> tuple[str, int]:
    return f"2026-01-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z", value


@pytest.mark.parametrize(
    ("times", "before", "expected"),
    [
        ([1, 5, 9], -FOREVER, None),
        ([1, 5, 99], -FOREVER, Jump(5, 99)),
        ([1, 98, 99], -FOREVER, None),
        ([1, 98, 99, 500], -FOREVER, Jump(99, 500)),
        ([30, 40], 10, Jump(10, 30)),
        ([1, 20, 30, 40], 10, None),
        ([5, 12, 40], 10, Jump(12, 40)),
        ([], 10, None),
    ],
)
def test_time_leaps_where_rows_are_more_than_the_bound_apart(
    times: list[int], before: int, expected: Jump | None
) -> None:
    found = np.array(times, dtype=np.int64)
    assert first_jump(spans_of(found), before, 10) == expected
    together = [found[found // 10 == span] for span in np.unique(found // 10)]
    spans = ([s[0] for s in together], [s[-1] for s in together], [len(s) for s in together])
    assert first_jump(Spans(*(np.array(side, dtype=np.int64) for side in spans)), before, 10) == expected


@pytest.mark.parametrize("cut", [1, 2, 3, 6])
def test_a_row_too_far_ahead_is_rejected_and_the_stream_goes_on(tmp_path: Path, cut: int) -> None:
    rows = [at(1, 1), at(4, 2), WRONG, at(12, 3), at(3599, 4), at(3612, 5)]
    with Trial(BOUNDED, directory=tmp_path) as trial:
        for first in range(0, len(rows), cut):
            trial.push("s", rows[first : first + cut])
    with Trial(BOUNDED, directory=tmp_path) as trial:
        trial.push("s", [at(3625, 6), WRONG])
        trial.end()
        assert [(row["n"], row["total"]) for row in trial.answers("q")] == [(2, 3), (1, 3), (1, 4), (1, 5), (1, 6)]
        assert not trial.late("s")
        rejected = trial.rejected("s")
        assert {row["reason"] for row in rejected} == {"ts, its event time, is more than 1 hour ahead of all others"}
        assert all("9998" in row["row"] for row in rejected)
        assert (len(rejected), trial.stream("s").basket.progress.rejected) == (2, 2)


def test_a_leap_of_more_than_a_day_is_told_once_and_shown(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    script = STREAM.format(ahead="") + QUERY
    with Trial(script, directory=tmp_path) as trial, caplog.at_level(logging.WARNING, "datacell"):
        trial.push("s", [at(1, 1), at(86_399, 2)])
        assert not caplog.messages
        trial.push("s", [at(86_000, 1), ("2026-01-09T00:00:00Z", 3)])
        trial.push("s", [("2026-01-09T00:00:01Z", 3)])
    (told,) = caplog.messages
    assert "time leaps from 2026-01-01 23:59:59+00:00 to 2026-01-09 00:00:00+00:00" in told
    assert "AHEAD AT MOST" in told
    with Trial(script, directory=tmp_path) as trial:
        assert "2026-01-09" in trial.stream("s").remark


def test_a_backlog_of_days_is_no_leap(caplog: pytest.LogCaptureFixture) -> None:
    with Trial(STREAM.format(ahead="") + QUERY) as trial, caplog.at_level(logging.WARNING, "datacell"):
        for first in (1, 6):
            trial.push("s", [(f"2026-01-{first + day:02}T00:00:00Z", day) for day in range(5)])
    assert not caplog.messages
