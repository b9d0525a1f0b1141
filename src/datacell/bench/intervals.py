"""Aggregates at every instant, over the last minutes: rows per second by keys, and what a longer window costs.

Every row changes the answer of its key twice: when it comes and when it leaves. So the answer has about twice as many
rows as the input, and what is measured is the cost of an input row once the window is full.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from datacell.bench.bed import Batch, Bed
from datacell.bench.effort import Effort
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine
from datacell.engines.session import session
from datacell.engines.spark import SparkEngine
from datacell.incremental.strategy import Strategy

HEADLINE = ("avg_1000_rows_per_s", "growth_10s_to_10min")
_STREAM = "CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, WATERMARK FOR ts AS ts)"
_AGGREGATES = {"count": "count(*)", "avg": "avg(v)", "max": "max(v)"}
_SECOND, _PER_SECOND = 1_000_000, 1_000
_BATCH = {"duckdb": 10, "spark": 60}
"""Seconds of event time in a micro-batch: a call of Spark costs some 100 ms whatever it does."""

_START = 1_700_000_000


@dataclass(frozen=True)
class Case:
    """An aggregate over so many keys and a window of so many seconds."""

    engine: str
    aggregate: str
    keys: int
    length: int

    def __str__(self) -> str:
        return f"{self.aggregate} of {self.keys:,} keys over {self.length} s on {self.engine}"


def _lengths(engine: str) -> list[Case]:
    """What a longer window costs: what the headline is about."""
    return [Case(engine, "avg", 1_000, length) for length in (10, 300, 600)]


def _keys(engine: str) -> list[Case]:
    return [Case(engine, aggregate, keys, 300) for keys in (1, 100, 10_000) for aggregate in _AGGREGATES]


CASES = {
    Effort.FULL: [*_lengths("duckdb"), *_lengths("spark"), *_keys("duckdb"), *_keys("spark")],
    # The headline is of the faster engine, which was DuckDB in every full run.
    Effort.QUICK: _lengths("duckdb"),
}


def run(effort: Effort, progress: Progress) -> Report:
    """A thousand rows per second of event time."""
    cases, rates = CASES[effort], {}
    with ExitStack() as stack:
        engines = _engines({case.engine for case in cases}, stack, progress)
        for number in progress.turns(len(cases), least=len(CASES[Effort.QUICK])):
            case = cases[number]
            rates[case] = rate(engines[case.engine], case.aggregate, case.keys, case.length)
            progress.say(f"{case}: {rates[case]:,.0f} rows/s")
    whole = [_lengths(engine) for engine in engines if all(case in rates for case in _lengths(engine))]
    best = max(({case.length: rates[case] for case in lengths} for lengths in whole), key=lambda found: found[300])
    headline = {"avg_1000_rows_per_s": best[300], "growth_10s_to_10min": best[10] / best[600]}
    rows = [(c.engine, c.aggregate, c.keys, c.length, r) for c, r in rates.items()]
    return Report("intervals", headline, ("engine", "aggregate", "keys", "window in s", "rows/s"), rows)


def _engines(names: Set[str], stack: ExitStack, progress: Progress) -> dict[str, Engine]:
    found: dict[str, Engine] = {"duckdb": DuckDBEngine()}
    if "spark" in names:
        progress.say("starting Spark")
        spark = session()
        stack.callback(spark.stop)
        found["spark"] = SparkEngine(spark)
    return found


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
