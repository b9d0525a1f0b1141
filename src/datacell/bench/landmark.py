"""A landmark window grows with every slide (figure 6b of the paper)."""

from __future__ import annotations

from statistics import median

from datacell.bench.effort import Effort
from datacell.bench.paper import Q3
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.engines.duckdb import DuckDBEngine
from datacell.incremental.strategy import Strategy

HEADLINE = ("growth_reevaluation", "growth_increments")
SLIDES = {Effort.FULL: 30, Effort.QUICK: 15}
"""The first five and the last five are compared."""
_WARMING = 5


def run(effort: Effort, progress: Progress) -> Report:
    """Q3 with a slide of 1,000,000 rows and a fifth selected; on DuckDB."""
    engine, query = DuckDBEngine(), Q3(1_000_000)
    times: dict[Strategy, list[float]] = {}
    for slides in (_WARMING, SLIDES[effort]):
        for strategy in (Strategy.REEVALUATE, Strategy.INCREMENTAL):
            with query.bed(engine, strategy) as bed:
                times[strategy] = [query.step(bed) * 1000 for _ in progress.turns(slides, least=5)]
            progress.say(f"{strategy.value}: {len(times[strategy])} slides, the last in {times[strategy][-1]:,.4g} ms")
    again, increments = times[Strategy.REEVALUATE], times[Strategy.INCREMENTAL]
    rows = [(i + 1, a, b) for i, (a, b) in enumerate(zip(again, increments, strict=not progress.is_cut_short))]
    lines = {
        "re-evaluation": [(float(i), a) for i, a, _ in rows],
        "increments": [(float(i), b) for i, _, b in rows],
    }
    headline = {
        "growth_reevaluation": median(again[-5:]) / median(again[:5]),
        "growth_increments": median(increments[-5:]) / median(increments[:5]),
    }
    columns = ("window", "re-evaluation, ms", "increments, ms")
    plot = Plot("ms per slide since the landmark", lines, "window", "ms per slide")
    remark = "as in the paper re-evaluation grows with the window and increments do not"
    return Report("landmark", headline, columns, rows, remark, plot)
