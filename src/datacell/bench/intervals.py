"""Aggregates at every instant, over the last minutes: rows per second by keys, and what a longer window costs.

Beside them 25 aggregates of two keys of which most do not add up, placed by cost; in them everything stays valid.

Every row changes the answer of its key twice: when it comes and when it leaves. So the answer has about twice as many
rows as the input, and what is measured is the cost of an input row once the window is full.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from datacell.bench.bed import Batch, Bed
from datacell.bench.effort import Effort
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine
from datacell.engines.session import session
from datacell.engines.spark import SparkEngine
from datacell.incremental.strategy import Strategy
from datacell.placement.operators import Site
from datacell.placement.statistics import Statistics
from datacell.placement.unit_costs import SHIPPED
from datacell.runtime.plans.plans import Plans

HEADLINE = ("avg_1000_rows_per_s", "growth_10s_to_10min", "holistic_rows_per_s")
_INTEGERS = "CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, n INT, WATERMARK FOR ts AS ts)"
_STREAM = "CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, WATERMARK FOR ts AS ts)"
_AGGREGATES = {"count": "count(*)", "avg": "avg(v)", "max": "max(v)"}
_SECOND, _PER_SECOND = 1_000_000, 1_000
_BATCH = {"duckdb": 10, "spark": 60}
"""Seconds of event time in a micro-batch: a call of Spark costs some 100 ms whatever it does."""

_START = 1_700_000_000

_HOLISTIC_ROWS, _HOLISTIC_BATCHES = 8_000, 4
_HOLISTIC = """
    count(*)  sum(v)  avg(v)  min(v)  max(v)  stddev(v)  var_pop(n)  skewness(v)  kurtosis(v)  max_by(n, v)
    median(v)  median(n)  percentile(v, 0.25)  percentile(v, 0.9)  percentile(n, array(0.1, 0.5))
    percentile_cont(0.3) WITHIN GROUP (ORDER BY v)  percentile_disc(0.3) WITHIN GROUP (ORDER BY v)
    approx_percentile(v, 0.5)  mode(n)  count(DISTINCT n)  sum(DISTINCT n)  avg(DISTINCT n)
    collect_list(n)  collect_set(n)  listagg(CAST(n AS STRING)) WITHIN GROUP (ORDER BY n)
"""


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


def calls() -> list[str]:
    """The aggregates that do not add up, and others beside them."""
    return [call for line in _HOLISTIC.strip().splitlines() for call in line.strip().split("  ")]


def run(effort: Effort, progress: Progress) -> Report:
    """A thousand rows per second of event time."""
    cases, rates = CASES[effort], {}
    with ExitStack() as stack:
        engines = _engines(stack, progress)
        for number in progress.turns(len(cases), least=len(CASES[Effort.QUICK])):
            case = cases[number]
            rates[case] = rate(engines[case.engine], case.aggregate, case.keys, case.length)
            progress.say(f"{case}: {rates[case]:,.0f} rows/s")
        progress.say(f"{len(calls())} aggregates of 2 keys, most of which do not add up")
        holistic = holistic_rate(engines, _HOLISTIC_ROWS, "UNBOUNDED")
    whole = [_lengths(engine) for engine in engines if all(case in rates for case in _lengths(engine))]
    best = max(({case.length: rates[case] for case in lengths} for lengths in whole), key=lambda found: found[300])
    headline = {"avg_1000_rows_per_s": best[300], "growth_10s_to_10min": best[10] / best[600]}
    headline["holistic_rows_per_s"] = holistic
    rows: list[tuple[object, ...]] = [(c.engine, c.aggregate, c.keys, c.length, r) for c, r in rates.items()]
    rows.append(("both", f"{len(calls())} that do not add up", 2, "all", holistic))
    return Report("intervals", headline, ("engine", "aggregate", "keys", "window in s", "rows/s"), rows)


def _engines(stack: ExitStack, progress: Progress) -> dict[str, Engine]:
    progress.say("starting Spark")
    spark = session()
    stack.callback(spark.stop)
    return {"duckdb": DuckDBEngine(), "spark": SparkEngine(spark)}


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


def holistic_rate(engines: Mapping[str, Engine], rows: int, window: str) -> float:
    """Rows per second, a row each second, of what does not add up; the first rows are there to warm up."""
    listed = ", ".join(f"{call} AS a{number}" for number, call in enumerate(calls()))
    query = f"SELECT k, {listed} FROM s [{window}] GROUP BY k"
    both = {Site(name): engine for name, engine in engines.items()}
    no_tables: dict[str, pa.Table] = {}
    plans = Plans.placed("q", both, None, no_tables.__getitem__, Statistics(), SHIPPED)
    with Bed(engines["duckdb"], _INTEGERS, query, Strategy.AUTO, plans=plans) as bed:
        parts = np.array_split(np.arange(rows), _HOLISTIC_BATCHES)
        spent = sum(bed.deposit("s", _holistic_batch(part)) for part in parts)
    return rows / spent


def _holistic_batch(numbers: np.ndarray) -> Batch:
    chance = np.random.default_rng(int(numbers[0]))
    size = len(numbers)
    times = (_START + numbers) * _SECOND
    return {"ts": times, "k": numbers % 2, "v": chance.random(size), "n": chance.integers(0, 20, size)}
