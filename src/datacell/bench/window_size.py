"""The window grows while the number of slices stays (figure 6a of the paper)."""

from __future__ import annotations

from datacell.bench.effort import Effort
from datacell.bench.paper import Q1, compared
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.engines.duckdb import DuckDBEngine

HEADLINE = ("largest", "smallest")
SIZES = {
    Effort.FULL: (102_400, 1_024_000, 10_240_000, 20_480_000),
    # Filling the largest window takes most of the time.
    Effort.QUICK: (102_400, 10_240_000),
}
_SLICES = 512


def run(effort: Effort, progress: Progress) -> Report:
    """Q1 with a fifth selected and 512 slices; on DuckDB."""
    engine = DuckDBEngine()
    rows = [(size, *compared(Q1(size, size // _SLICES), engine, effort, progress)) for size in SIZES[effort]]
    lines = {
        "re-evaluation": [(float(size), again) for size, again, _ in rows],
        "increments": [(float(size), increments) for size, _, increments in rows],
    }
    headline = {"largest": rows[-1][1] / rows[-1][2], "smallest": rows[0][1] / rows[0][2]}
    columns = ("rows in the window", "re-evaluation, ms", "increments, ms")
    plot = Plot("ms per slide by window size, 512 slices", lines, "rows in the window", "ms per slide", True, True)
    remark = "as in the paper the advantage of increments grows with the window"
    return Report("window-size", headline, columns, rows, remark, plot)
