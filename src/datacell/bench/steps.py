"""The number of slices grows, the window stays (figure 7 of the paper): what merging costs per slide."""

from __future__ import annotations

from datacell.bench.paper import Q1, Q2, merging
from datacell.bench.plot import Plot
from datacell.bench.report import Report
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine
from datacell.engines.session import session
from datacell.engines.spark import SparkEngine

_WINDOW = 2_048_000
_ON_DUCKDB = (2, 8, 64, 256, 1024, 2048)
_ON_SPARK = (2, 64, 512, 2048)
_PAIRS = (2, 8, 32, 128)


def run() -> Report:
    """Q1 over 2,048,000 rows in 2 to 2048 slices; Q2 over 102,400."""
    spark = session()
    rows: list[tuple[object, ...]] = []
    lines: dict[str, list[tuple[float, float]]] = {}
    headline = {}
    try:
        duckdb, on_spark = DuckDBEngine(), SparkEngine(spark)
        for engine, numbers, slides in ((duckdb, _ON_DUCKDB, 100), (on_spark, _ON_SPARK, 8)):
            cost = {n: _measured(rows, lines, "Q1", engine, Q1(_WINDOW, _WINDOW // n), slides) for n in numbers}
            headline[f"growth_{engine.name}"] = cost[2048] / cost[64]
        for n in _PAIRS:
            _measured(rows, lines, "Q2", duckdb, Q2(102_400, 102_400 // n), 40)
    finally:
        spark.stop()
    columns = ("query", "engine", "slices", "ms in all", "of it, ms merging")
    plot = Plot("merging, per slide", lines, "slices per window", "ms", log_x=True)
    return Report("steps", headline, columns, rows, "growth: merging with 2048 slices over merging with 64", plot)


def _measured(
    rows: list[tuple[object, ...]],
    lines: dict[str, list[tuple[float, float]]],
    name: str,
    engine: Engine,
    query: Q1 | Q2,
    slides: int,
) -> float:
    everything, merged = merging(query, engine, slides)
    slices = query.window // query.slide
    rows.append((name, engine.name, slices, everything * 1000, merged * 1000))
    lines.setdefault(f"{name} on {engine.name}", []).append((slices, merged * 1000))
    return merged
