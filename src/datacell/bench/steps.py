"""The number of slices grows, the window stays (figure 7 of the paper): what merging costs per slide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from datacell.bench.effort import Effort
from datacell.bench.paper import Q1, Q2, merging
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine
from datacell.engines.session import session
from datacell.engines.spark import SparkEngine

HEADLINE = ("growth_duckdb", "growth_spark")
_WINDOW, _PAIRS_WINDOW = 2_048_000, 102_400
Row = tuple[str, str, int, float, float]


@dataclass(frozen=True)
class Series:
    """So many slices, one number after the other, each measured for so many slides."""

    slices: tuple[int, ...]
    slides: int


@dataclass(frozen=True)
class Bounds:
    """Q1 on either engine; Q2 on DuckDB."""

    on_duckdb: Series
    on_spark: Series
    pairs: Series


BOUNDS = {
    Effort.FULL: Bounds(
        Series((2, 8, 64, 256, 1024, 2048), 100), Series((2, 64, 512, 2048), 8), Series((2, 8, 32, 128), 40)
    ),
    # The two numbers of slices that the headline compares.
    Effort.QUICK: Bounds(Series((64, 2048), 30), Series((64, 2048), 4), Series((8, 128), 10)),
}


def run(effort: Effort, progress: Progress) -> Report:
    """Q1 over 2,048,000 rows in 2 to 2048 slices; Q2 over 102,400."""
    progress.say("starting Spark")
    spark = session()
    try:
        rows = list(_measured(BOUNDS[effort], SparkEngine(spark), progress))
    finally:
        spark.stop()
    lines: dict[str, list[tuple[float, float]]] = {}
    for query, engine, slices, _, merged in rows:
        lines.setdefault(f"{query} on {engine}", []).append((slices, merged))
    cost = {engine: dict(lines[f"Q1 on {engine}"]) for engine in ("duckdb", "spark")}
    headline = {f"growth_{engine}": by_slices[2048] / by_slices[64] for engine, by_slices in cost.items()}
    columns = ("query", "engine", "slices", "ms in all", "of it, ms merging")
    plot = Plot("merging, per slide", lines, "slices per window", "ms", log_x=True)
    return Report("steps", headline, columns, rows, "growth: merging with 2048 slices over merging with 64", plot)


def _measured(bounds: Bounds, spark: Engine, progress: Progress) -> Iterator[Row]:
    duckdb = DuckDBEngine()
    for engine, series in ((duckdb, bounds.on_duckdb), (spark, bounds.on_spark)):
        for slices in series.slices:
            found = merging(Q1(_WINDOW, _WINDOW // slices), engine, series.slides, progress)
            yield "Q1", engine.name, slices, *found
    for slices in bounds.pairs.slices:
        query = Q2(_PAIRS_WINDOW, _PAIRS_WINDOW // slices)
        yield "Q2", duckdb.name, slices, *merging(query, duckdb, bounds.pairs.slides, progress)
