"""Response time per slide, re-evaluation beside increments (figure 4 of the paper)."""

from __future__ import annotations

from datacell.bench.effort import Effort
from datacell.bench.paper import Q1, Q2, measured
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.spark import SparkEngine
from datacell.incremental.strategy import Strategy

_Q1, _Q2 = Q1(10_240_000, 20_000), Q2(102_400, 1_600)
HEADLINE = ("q1_duckdb", "q1_spark", "q2_duckdb", "q2_spark")
SLIDES = {
    Effort.FULL: {
        ("duckdb", Strategy.INCREMENTAL): 200,
        ("duckdb", Strategy.REEVALUATE): 20,
        ("spark", Strategy.INCREMENTAL): 80,
        ("spark", Strategy.REEVALUATE): 24,
    },
    Effort.QUICK: {
        ("duckdb", Strategy.INCREMENTAL): 50,
        ("duckdb", Strategy.REEVALUATE): 5,
        ("spark", Strategy.INCREMENTAL): 4,
        ("spark", Strategy.REEVALUATE): 1,
    },
}
"""Slides, of whose later half the median counts. Spark gets many: Java compiles what it generates meanwhile."""


def run(effort: Effort, progress: Progress) -> Report:
    """Q1: W = 10,240,000, w = 20,000, a fifth selected. Q2: W = 102,400, w = 1,600."""
    rows, found = [], {}
    for start in (DuckDBEngine, SparkEngine):
        progress.say(f"starting {start.name}")
        engine = start()
        try:
            for name, query in (("Q1", _Q1), ("Q2", _Q2)):
                for strategy in (Strategy.INCREMENTAL, Strategy.REEVALUATE):
                    slides = SLIDES[effort][engine.name, strategy]
                    seconds = measured(query, engine, strategy, slides, progress)
                    found[name, engine.name, strategy] = seconds
                    rows.append((name, engine.name, strategy.value, seconds * 1000))
        finally:
            engine.close()
    headline = {
        f"{name.lower()}_{engine}": found[name, engine, Strategy.REEVALUATE] / found[name, engine, Strategy.INCREMENTAL]
        for name in ("Q1", "Q2")
        for engine in ("duckdb", "spark")
    }
    bars = {f"{name} on {engine}, {s.value}": value * 1000 for (name, engine, s), value in found.items()}
    columns = ("query", "engine", "strategy", "ms per slide")
    return Report("basic", headline, columns, rows, _REMARK, Plot.bars("ms per slide", bars))


_REMARK = (
    "all columns are uniform over 1000 values: Q1 has 200 groups after the selection, Q2 joins 0.1 % of all pairs "
    "(`bench selectivity` has less); median of the later half of the slides"
)
