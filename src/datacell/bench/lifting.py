"""One firing for many boundaries beside one firing for one: what lifting saves."""

from __future__ import annotations

import time
from collections.abc import Iterable
from statistics import median

import numpy as np
import pyarrow as pa

from datacell.algebra.query import Query
from datacell.algebra.types import TIMESTAMP
from datacell.bench.effort import Effort
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.engines.arrow import arrow_schema
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine
from datacell.engines.session import session
from datacell.engines.spark import SparkEngine
from datacell.incremental import lift
from datacell.incremental.inputs import BOUNDARIES, WindowRows
from datacell.rewrite.rules import optimized
from datacell.sql import script

HEADLINE = ("cost_60_over_1", "cost_60_over_1_duckdb")
TIMES = {Effort.FULL: 15, Effort.QUICK: 5}
"""Firings whose median counts. On Spark one takes some half a second."""
_STREAM = "CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, WATERMARK FOR ts AS ts)"
_QUERY = "SELECT k, avg(v) AS mean, count(*) AS n FROM s [RANGE 1 MINUTE SLIDE 1 SECOND] GROUP BY k"
_SECOND = 1_000_000
_PER_SECOND = 100


def run(effort: Effort, progress: Progress) -> Report:
    """A minute of 100 rows a second in the window, 50 keys; the median of several firings."""
    progress.say("starting Spark")
    spark = session()
    rows, cost = [], {}
    try:
        for engine in (SparkEngine(spark), DuckDBEngine()):
            for count in (1, 60):
                cost[engine.name, count] = _firing(engine, _bound(), count, progress.turns(TIMES[effort]))
                rows.append((engine.name, count, cost[engine.name, count] * 1000))
                progress.say(f"{engine.name}, {count} in one firing: {cost[engine.name, count] * 1000:,.4g} ms")
    finally:
        spark.stop()
    headline = {
        "cost_60_over_1": cost["spark", 60] / cost["spark", 1],
        "cost_60_over_1_duckdb": cost["duckdb", 60] / cost["duckdb", 1],
    }
    return Report("lifting", headline, ("engine", "boundaries in one firing", "ms"), rows)


def _bound() -> Query:
    return optimized(script.query(_QUERY, script.defined(_STREAM)))


def _firing(engine: Engine, query: Query, count: int, turns: Iterable[int]) -> float:
    fragment = lift.lift(query, count > 1)
    prepared = engine.prepare(fragment)
    inputs = {WindowRows(0): _rows(count), BOUNDARIES: _boundaries(count)}
    for _ in range(3):
        prepared.run(inputs)
    times = []
    for _ in turns:
        started = time.perf_counter()
        prepared.run(inputs)
        times.append(time.perf_counter() - started)
    return median(times)


def _rows(boundaries: int) -> pa.Table:
    chance = np.random.default_rng(1)
    positions = np.arange(0, (59 + boundaries) * _SECOND, _SECOND // _PER_SECOND)
    return pa.table(
        {
            "ts": pa.array(positions, pa.timestamp("us", tz="UTC")),
            "k": pa.array(chance.integers(0, 50, len(positions)), pa.int32()),
            "v": chance.random(len(positions)),
            lift.POSITION: pa.array(positions, pa.int64()),
        }
    )


def _boundaries(count: int) -> pa.Table:
    ends = np.arange(60, 60 + count) * _SECOND
    schema = arrow_schema(lift.boundaries_schema(TIMESTAMP, 1))
    columns = [pa.array(ends, schema.field(0).type), pa.array(ends - 60 * _SECOND), pa.array(ends)]
    return pa.table(columns, schema=schema)
