"""Late rows: for whom they are late, and that the clock makes none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from datacell.runtime.clock import SystemClock
from datacell.testing import Trial
from reference import Reference
from sample import at, bind, catalog, engine
from window_laws import Feed

STREAM = "CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, n INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS);"
QUERY = "CREATE CONTINUOUS QUERY {name} AS SELECT k, count(*) AS n FROM s [{window}] GROUP BY k;"
NARROW = "RANGE 2 SECONDS SLIDE 1 SECOND"
WIDE = "RANGE 20 SECONDS SLIDE 10 SECONDS"
WINDOWS = [
    NARROW,
    WIDE,
    "RANGE 1 SECOND SLIDE 3 SECONDS",
    "FIXED 5 SECONDS SLIDE 2 SECONDS",
    "LANDMARK SLIDE 4 SECONDS",
    "LANDMARK SLIDE 2 SECONDS RESET EVERY 6 SECONDS",
    "LATEST BY k, ts SLIDE 3 SECONDS",
    "SESSION 3 SECONDS",
]
ARRIVING = "CREATE STREAM s (v INT);" + QUERY.format(name="q", window=NARROW).replace("k, ", "").replace(
    "GROUP BY k", ""
)


#  seconds     0    5    10   15   20   25      lateness 2: the watermark is 18 after the row at 20
#  rows         1                  20       then 12, then 3
#  narrow       answered up to 18: 12 and 3 are lost for it
#  wide         answered at 10: 3 was missed there, and is seen at 20; 12 is in time for 20
def test_a_row_is_late_for_those_that_have_answered_without_it() -> None:
    script = STREAM + QUERY.format(name="narrow", window=NARROW) + QUERY.format(name="wide", window=WIDE)
    with Trial(script) as trial:
        for second in (1.0, 20.0, 12.0, 3.0):
            trial.push("s", [(at(second), 1, None, None)])
        late = {row["ts"]: row["missed_by"] for row in trial.late("s")}
        assert late == {at(12): ["narrow"], at(3): ["narrow", "wide"]}
        progress = trial.stream("s").basket.progress
        assert (progress.rows, progress.late, progress.missed) == (4, 2, {"narrow": 2, "wide": 1})
        members = trial.scheduler.members
        assert (members.late_for("narrow"), members.late_for("wide")) == (2, 1)
        trial.end()
        assert [row["n"] for row in trial.answers("wide")] == [1, 3, 2, 1], "what can still be counted is"
        members.drop_query("narrow")
        assert progress.missed != trial.stream("s").basket.progress.missed


@pytest.mark.parametrize("seed", range(3))
def test_late_rows_are_those_of_the_law(seed: int) -> None:
    drawn, rows, now = Random(seed), [], 0.0
    for _ in range(40):
        now += drawn.random() * 2
        rows.append({"ts": at(round(max(0.0, now - drawn.choice([0, 0, 1, 4, 12])), 3)), "k": 1, "v": None, "n": None})
    names = {f"q{number}": window for number, window in enumerate(WINDOWS)}
    judge = Reference({"s": Feed(catalog().streams["s"].fields, rows, "ts", 2_000_000)}, {}, engine())
    with Trial(STREAM + "".join(QUERY.format(name=name, window=window) for name, window in names.items())) as trial:
        for row in rows:
            trial.push("s", [tuple(row.values())])
        late, progress = trial.late("s"), trial.stream("s").basket.progress
    for name, window in names.items():
        expected = [row["ts"] for _, row in judge.late(bind(f"SELECT k FROM s [{window}]"))]
        assert [row["ts"] for row in late if name in row["missed_by"]] == expected, window
        assert progress.missed.get(name, 0) == len(expected)


def test_arrival_goes_on_when_the_clock_goes_back(tmp_path: Path) -> None:
    with Trial(ARRIVING, directory=tmp_path) as trial:
        trial.push("s", [(1,)])
        trial.advance(5)
        assert [row["n"] for row in trial.answers("q")] == [1, 1]
        trial.hand_clock.advance(-3600)
        trial.push("s", [(2,)])
        trial.hand_clock.advance(3602)
        trial.scheduler.run()
        assert [row["n"] for row in trial.answers("q")] == [1, 1, 1, 1]
    with Trial(ARRIVING, directory=tmp_path) as trial:
        trial.hand_clock.advance(-3600)
        trial.push("s", [(3,), (4,)])
        assert not trial.late("s")
        trial.end()
        assert [row["n"] for row in trial.answers("q")] == [1, 1, 1, 1, 2, 2]


def test_the_clock_never_goes_back_and_never_stands_still() -> None:
    wall, seconds = datetime(2026, 1, 1, tzinfo=UTC), 0.0
    clock = SystemClock(lambda: wall, lambda: seconds)

    def after(real: float, shown: float) -> float:
        nonlocal wall, seconds
        wall, seconds = wall + timedelta(seconds=shown), seconds + real
        return (clock.now() - datetime(2026, 1, 1, tzinfo=UTC)).total_seconds()

    assert [after(10, 10), after(10, -90), after(100, 100), after(100, 100)] == [10, 15, 65, 120]
