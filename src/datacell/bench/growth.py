"""What more keys cost, and what is on disk as the stream goes on."""

from __future__ import annotations

from statistics import mean

import numpy as np

from datacell.bench.bed import Bed
from datacell.bench.effort import Effort
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.engines.duckdb import DuckDBEngine
from datacell.incremental.strategy import Strategy

HEADLINE = ("cost_10x_keys", "disk_10_minutes_over_2")
SECONDS = {
    Effort.FULL: {1_000: 600, 10_000: 150, 100_000: 150},
    # The window is full after a minute, and something must count.
    Effort.QUICK: {1_000: 600, 10_000: 120, 100_000: 120},
}
"""Seconds of stream time for each number of keys; a second of the most takes some 200 ms."""
_WARMING, _EVERY = 90, 30
"""Seconds of stream time before what counts, and between two looks at the disk."""
_SECOND = 1_000_000
_STREAM = "CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, WATERMARK FOR ts AS ts)"
_QUERY = "SELECT k, avg(v) AS a FROM s [RANGE 1 MINUTE SLIDE 1 SECOND] GROUP BY k"


def run(effort: Effort, progress: Progress) -> Report:
    """avg per key over a minute, every second, a row per key and second; 10 minutes of stream time; on DuckDB."""
    engine = DuckDBEngine()
    rows: list[tuple[object, ...]] = []
    costs, lines = {}, {}
    for keys, seconds in SECONDS[effort].items():
        with Bed(engine, _STREAM, _QUERY, Strategy.INCREMENTAL, durable=True) as bed:
            times, disk = [], []
            for second in progress.turns(seconds, least=120):
                times.append(bed.deposit("s", _rows(second, keys)))
                if (second + 1) % _EVERY == 0:
                    disk.append((float(second + 1), _on_disk(bed) / (1 << 20)))
        costs[keys] = mean(times[_WARMING:])
        progress.say(f"{keys:,} keys: {costs[keys] * 1000:,.4g} ms per slide, {disk[-1][1]:,.4g} MB on disk")
        lines[f"{keys:,} keys"] = disk
        rows += [(keys, second, megabytes, "") for second, megabytes in disk]
        rows.append((keys, "per slide", "", costs[keys] * 1000))
    headline = {
        "cost_10x_keys": max(costs[10_000] / costs[1_000], costs[100_000] / costs[10_000]),
        "disk_10_minutes_over_2": lines["1,000 keys"][-1][1] / lines["1,000 keys"][3][1],
    }
    columns = ("keys", "stream time, s", "on disk, MB", "ms per slide")
    plot = Plot("state on disk", lines, "stream time, s", "MB", log_y=True)
    return Report("growth", headline, columns, rows, "state on disk is that of the live slices", plot)


def _rows(second: int, keys: int) -> dict[str, np.ndarray]:
    values = np.random.default_rng(second).random(keys)
    return {"ts": np.full(keys, second * _SECOND), "k": np.arange(keys, dtype=np.int32), "v": values}


def _on_disk(bed: Bed) -> int:
    return sum(path.stat().st_size for path in bed.directory.rglob("*") if path.is_file())
