"""From `push()` to the answer in a callback: a small stream, at the pace of real time.

Every second a row per key is pushed. Its event time is the second itself, and a boundary fires once the watermark has
reached it: so the rows of second s make boundary s due, whose answer is about the minute of rows before. The clock runs
from the call of `push()` to the call of the callback. A first push fills the window; then some pushes do not count.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datacell.bench.effort import Effort
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.cell.cell import Cell, connect
from datacell.cell.result import Result
from datacell.errors import DataCellError

HEADLINE = ("p50_ms", "p99_ms")
KEYS, WINDOW, WARMING = 1_000, 60, 20
PUSHES = {Effort.FULL: 300, Effort.QUICK: 40}
"""Pushes that count, one every second."""
_START = 1_700_000_100
_STREAM = "CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, WATERMARK FOR ts AS ts)"
_QUERY = "SELECT k, avg(v) AS a FROM s [RANGE 1 MINUTE SLIDE 1 SECOND] GROUP BY k"
_PATIENCE = 60.0
"""Seconds after which an answer that has not come is taken for lost."""


@dataclass
class Arrivals:
    """When the answer of each boundary came, in seconds of stream time; called from the delivery's thread."""

    at: dict[int, float] = field(default_factory=dict)
    wrong: list[int] = field(default_factory=list)
    """Boundaries whose answer has not every key once."""

    def __call__(self, result: Result) -> None:
        now = time.perf_counter()
        counts = pc.value_counts(result.to_arrow()["window_end"]).to_pylist()
        found = {second_of(one["values"]): one["counts"] for one in counts}
        self.wrong += [second for second, keys in found.items() if keys != KEYS]
        self.at |= dict.fromkeys(found, now)


def run(effort: Effort, progress: Progress) -> Report:
    """avg of 1000 keys over a minute, every second, placed by cost."""
    progress.say("starting Spark")
    with TemporaryDirectory(prefix="datacell-bench-", ignore_cleanup_errors=True) as directory:
        cell = connect(checkpoint=Path(directory) / "state")
        try:
            arrivals, pushed = _pushed(cell, PUSHES[effort], progress)
        finally:
            cell.stop()
            cell.spark.stop()
    return _report([1000 * (arrivals.at[second] - at) for second, at in pushed.items()])


def _pushed(cell: Cell, pushes: int, progress: Progress) -> tuple[Arrivals, Mapping[int, float]]:
    """The answers, and when the rows that made each due were pushed, without those that do not count."""
    arrivals, pushed = Arrivals(), dict[int, float]()
    cell.sql(_STREAM)
    cell.query(_QUERY, name="q").on_result(arrivals)
    cell.push("s", pa.concat_tables(_rows(_START - before) for before in range(WINDOW, 0, -1)))
    cell.start()
    _wait(cell, arrivals, _START - 1)
    progress.say(f"the window is full; warming up with {WARMING} pushes")
    began = time.perf_counter()
    for number in range(-WARMING, pushes):
        time.sleep(max(0.0, began + WARMING + number - time.perf_counter()))
        second = _START + WARMING + number
        rows = _rows(second)
        if number >= 0:
            pushed[second] = time.perf_counter()
        cell.push("s", rows)
        if number % 20 == 0 and number > 0:
            progress.say(f"{number} of {pushes} pushes … {_so_far(arrivals, pushed)}")
    _wait(cell, arrivals, _START + WARMING + pushes - 1)
    if arrivals.wrong:
        raise DataCellError(f"{len(arrivals.wrong)} answers have not every key once")
    return arrivals, pushed


def _rows(second: int) -> pa.Table:
    values = np.random.default_rng(second).random(KEYS)
    times = pa.array(np.full(KEYS, second * 1_000_000), pa.timestamp("us", "UTC"))
    return pa.table({"ts": times, "k": pa.array(np.arange(KEYS), pa.int32()), "v": values})


def second_of(boundary: datetime) -> int:
    """Since the epoch."""
    return int(boundary.replace(tzinfo=UTC).timestamp())


def _wait(cell: Cell, arrivals: Arrivals, second: int) -> None:
    """Until the answer of a boundary has come."""
    end = time.perf_counter() + _PATIENCE
    while second not in arrivals.at:
        cell.check()
        if time.perf_counter() > end:
            raise DataCellError(f"no answer came for {_PATIENCE:.0f} seconds")
        time.sleep(0.01)


def _so_far(arrivals: Arrivals, pushed: Mapping[int, float]) -> str:
    found = [1000 * (arrivals.at[second] - at) for second, at in pushed.items() if second in arrivals.at]
    return f"p50 {np.percentile(found, 50):,.0f} ms" if found else "no answer yet"


def _report(milliseconds: Sequence[float]) -> Report:
    p50, p95, p99 = (float(np.percentile(milliseconds, p)) for p in (50, 95, 99))
    rows = [(len(milliseconds), p50, p95, p99, max(milliseconds))]
    series = {"answers": [(float(n), value) for n, value in enumerate(milliseconds)]}
    plot = Plot(f"from push to answer, {KEYS} rows every second", series, "push", "milliseconds")
    columns = ("pushes", "p50 ms", "p95 ms", "p99 ms", "max ms")
    return Report("latency", {"p50_ms": p50, "p99_ms": p99}, columns, rows, "", plot)
