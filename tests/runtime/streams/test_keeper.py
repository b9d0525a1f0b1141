"""Rows that are kept for a look: those of a span of the stream's time, whatever queries need."""

from __future__ import annotations

from pathlib import Path

import pytest

from datacell.errors import SqlError
from datacell.runtime.plans.memory import DriverMemory
from datacell.runtime.streams import keeper
from datacell.sql import script
from datacell.testing import Trial

STREAM = "CREATE STREAM p (ts TIMESTAMP, k INT, WATERMARK FOR ts AS ts) WITH ('datacell.keep' = '10 seconds');"
QUERY = "CREATE CONTINUOUS QUERY q AS SELECT count(*) AS n FROM p [RANGE 2 SECONDS SLIDE 2 SECONDS];"


def at(second: int) -> str:
    return f"2026-01-01T00:00:{second:02}Z"


def kept(trial: Trial) -> list[int]:
    found = trial.stream("p").keeper
    assert found is not None
    return sorted(found.rows()["k"].to_pylist())


@pytest.mark.parametrize("query", ["", QUERY])
def test_rows_stay_as_long_as_the_span_says_and_longer_than_a_run(tmp_path: Path, query: str) -> None:
    with Trial(STREAM + query, directory=tmp_path) as trial:
        trial.push("p", [(at(1), 1)])
        trial.push("p", [(at(2), 2), (at(9), 9)])
        trial.push("p", [(at(11), 11)])
        assert kept(trial) == [2, 9, 11]
    with Trial(STREAM + query, directory=tmp_path) as trial:
        assert kept(trial) == [2, 9, 11]
        trial.push("p", [(at(20), 20)])
        assert kept(trial) == [11, 20]


def test_a_row_that_is_late_for_every_query_is_among_the_late_ones() -> None:
    with Trial(STREAM + QUERY) as trial:
        trial.push("p", [(at(9), 9)])
        trial.push("p", [(at(3), 3)])
        trial.end()
        assert kept(trial) == [9]
        assert [row["missed_by"] for row in trial.late("p")] == [["q"]]
        assert [(row["window_end"].second, row["n"]) for row in trial.answers("q")] == [(10, 1)]


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "MOST_KEPT", 60)
    with Trial(STREAM) as trial:
        for second in range(8):
            trial.push("p", [(at(second), second)])
        found = kept(trial)
        assert found[-1] == 7
        assert 1 <= len(found) <= 3


def test_what_had_no_room_is_known_also_after_a_restart(tmp_path: Path) -> None:
    memory = DriverMemory(60)

    def keeper_of(trial: Trial) -> keeper.Keeper:
        stream = trial.stream("p")
        return keeper.Keeper("p", stream.basket, 10_000_000, memory.takes)

    with Trial(STREAM, directory=tmp_path) as trial:
        trial.stream("p").keeper = keeper_of(trial)
        for second in range(8):
            trial.push("p", [(at(second), second)])
        found = kept(trial)
        assert found[-1] == 7
        assert 1 <= len(found) <= 3
        assert f"rows up to 2026-01-01 00:00:{found[0] - 1:02}+00:00 were to be kept" in trial.stream("p").remark
        assert not memory.has_room_for("somebody", 60)
    with Trial(STREAM, directory=tmp_path) as trial:
        assert "were to be kept, and left for want of memory" in trial.stream("p").remark
        trial.push("p", [(at(40), 40)])
        assert not trial.stream("p").remark


@pytest.mark.parametrize("value", ["", "soon", "-1 hour", "0 seconds"])
def test_a_span_is_a_length_of_time(value: str) -> None:
    with pytest.raises(SqlError, match=r"datacell\.keep is"):
        script.defined(f"CREATE STREAM p (k INT) WITH ('datacell.keep' = '{value}')")
