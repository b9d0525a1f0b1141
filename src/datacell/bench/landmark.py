"""A landmark window grows with every slide (figure 6b of the paper)."""

from __future__ import annotations

from statistics import mean

from datacell.bench.paper import Q3
from datacell.bench.plot import Plot
from datacell.bench.report import Report
from datacell.engines.duckdb import DuckDBEngine
from datacell.incremental.strategy import Strategy

_SLIDES = 30


def run() -> Report:
    """Q3 with a slide of 1,000,000 rows and a fifth selected; on DuckDB."""
    engine, query = DuckDBEngine(), Q3(1_000_000)
    times: dict[Strategy, list[float]] = {}
    for strategy in (Strategy.REEVALUATE, Strategy.INCREMENTAL):
        with query.bed(engine, strategy) as bed:
            times[strategy] = [query.step(bed) * 1000 for _ in range(_SLIDES)]
    again, increments = times[Strategy.REEVALUATE], times[Strategy.INCREMENTAL]
    rows = [(i + 1, a, b) for i, (a, b) in enumerate(zip(again, increments, strict=True))]
    lines = {
        "re-evaluation": [(float(i), a) for i, a, _ in rows],
        "increments": [(float(i), b) for i, _, b in rows],
    }
    headline = {
        "growth_reevaluation": mean(again[-5:]) / mean(again[1:6]),
        "growth_increments": mean(increments[-5:]) / mean(increments[1:6]),
    }
    columns = ("window", "re-evaluation, ms", "increments, ms")
    plot = Plot("ms per slide since the landmark", lines, "window", "ms per slide")
    remark = "as in the paper re-evaluation grows with the window and increments do not"
    return Report("landmark", headline, columns, rows, remark, plot)
