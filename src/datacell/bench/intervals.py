"""Aggregates at every instant, over the last minutes: rows per second by keys, and what a longer window costs.

Every row changes the answer of its key twice: when it comes and when it leaves. So the answer has about twice as many
rows as the input, and what is measured is the cost of an input row once the window is full.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import numpy as np

from datacell.bench.bed import Batch, Bed
from datacell.bench.report import Report
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine
from datacell.engines.session import session
from datacell.engines.spark import SparkEngine
from datacell.incremental.strategy import Strategy

_STREAM = "CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, WATERMARK FOR ts AS ts)"
_AGGREGATES = {"count": "count(*)", "avg": "avg(v)", "max": "max(v)"}
_KEYS = (1, 100, 10_000)
_SECOND, _PER_SECOND = 1_000_000, 1_000
_BATCH = {"duckdb": 10, "spark": 60}
"""Seconds of event time in a micro-batch: a call of Spark costs some 100 ms whatever it does."""

_LENGTHS = (10, 300, 600)
_START = 1_700_000_000


def run() -> Report:
    """A thousand rows per second of event time."""
    rows: list[tuple[object, ...]] = []
    best: dict[int, float] = {}
    with ExitStack() as stack:
        spark = session()
        stack.callback(spark.stop)
        for engine in (DuckDBEngine(), SparkEngine(spark)):
            for keys in _KEYS:
                for name in _AGGREGATES:
                    rows.append((engine.name, name, keys, 300, rate(engine, name, keys, 300)))
            found = {length: rate(engine, "avg", 1_000, length) for length in _LENGTHS}
            rows += [(engine.name, "avg", 1_000, length, r) for length, r in found.items()]
            best = max(best, found, key=lambda f: f.get(300, 0.0))
    headline = {"avg_1000_rows_per_s": best[300], "growth_10s_to_10min": best[10] / best[600]}
    return Report("intervals", headline, ("engine", "aggregate", "keys", "window in s", "rows/s"), rows)


def rate(engine: Engine, aggregate: str, keys: int, length: int) -> float:
    """Rows per second once the window is full: it is filled by one batch, and the next does not count either."""
    query = f"SELECT k, {_AGGREGATES[aggregate]} AS a FROM s [RANGE {length} SECONDS] GROUP BY k"
    seconds = _BATCH[engine.name]
    lengths = [length, *[seconds] * (1 + max(2, 200 // seconds))]
    with Bed(engine, _STREAM, query, Strategy.AUTO) as bed:
        spent = [bed.deposit("s", batch) for batch in _batches(keys, lengths)]
    return sum(lengths[2:]) * _PER_SECOND / sum(spent[2:])


def _batches(keys: int, lengths: Sequence[int]) -> Iterator[Batch]:
    chance = np.random.default_rng(1)
    start = _START
    for seconds in lengths:
        size = seconds * _PER_SECOND
        times = start * _SECOND + np.arange(size) * (_SECOND // _PER_SECOND)
        yield {"ts": times, "k": chance.integers(0, keys, size), "v": chance.random(size)}
        start += seconds
