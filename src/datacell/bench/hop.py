"""An aggregate per key over the last five minutes, every second: beside Spark's own window() aggregation.

Each side reads the same Parquet files through the streaming file source, with the same Spark settings, into a sink that
does nothing; each at its better of two sizes of micro-batch, Spark's own also at its better state store. What comes
before a whole window does not count. Spark's own needs a minute to fill its windows: so its turns go on where the last
one was stopped, from the checkpoint.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import count, product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.query import StreamingQuery

from datacell.bench.effort import Effort
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.bench.rounds import Choice, Measured, Sample, Turn, counted_rate, in_rounds, second_half_rate
from datacell.cell.cell import Cell, connect
from datacell.engines.session import session
from datacell.errors import DataCellError

HEADLINE = ("ratio_auto", "ratio_spark", "max_over_avg", "distinct_over_avg")
KEYS, SECONDS_PER_FILE, WINDOW = 2000, 10, 300


@dataclass(frozen=True)
class Bounds:
    """What is measured, and for how long."""

    length: int
    """Seconds of stream time in the files: enough for a million rows per second in the longest turn."""
    ours: tuple[Choice, ...]
    own: tuple[Choice, ...]
    """The likely better choice comes first; the others differ from it in one thing."""
    rounds: int
    turn: Turn
    own_turn: Turn


TRIAL, OWN_TRIAL = Turn(4.0, 0, 4.0), Turn(12.0, 0, 8.0)
"""Choices differ by a third or more, which shows before windows are full."""
BOUNDS = {
    Effort.FULL: Bounds(
        length=9_000,
        ours=((60, ""), (10, "")),
        own=((60, "default"), (10, "default"), (60, "rocksdb")),
        rounds=4,
        # The second window is whole, and the engine has seen all of its fragments.
        turn=Turn(8.0, 2 * WINDOW * KEYS, 9.0),
        # A micro-batch of Spark's own takes some ten seconds: one to get warm, two that count.
        own_turn=Turn(8.0, WINDOW * KEYS, 15.0),
    ),
    Effort.QUICK: Bounds(
        length=5_000,
        # What was the better choice in every full run.
        ours=((60, ""),),
        own=((60, "default"),),
        rounds=1,
        turn=Turn(5.0, 2 * WINDOW * KEYS, 4.0),
        # Not enough to fill its windows, so Spark's own looks better than it is.
        own_turn=Turn(12.0, 0, 8.0),
    ),
}
_PATIENCE = 60.0
"""Seconds without a row after which a path is taken for dead."""
_START, _SECOND = 1_700_000_100_000_000, 1_000_000
_COLUMNS = "ts TIMESTAMP, k INT, v DOUBLE, c INT"
_AGGREGATES = {"avg": "avg(v)", "max": "max(v)", "distinct": "count(DISTINCT c)"}
_STORES = {
    "default": "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
    "rocksdb": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
}
_NUMBERS = count()
Key = tuple[str, str]
"""A path, and its aggregate."""


def run(effort: Effort, progress: Progress) -> Report:
    """2000 keys at a row per second each: rows per second of each path."""
    bounds = BOUNDS[effort]
    with ExitStack() as stack:
        root = Path(tempfile.mkdtemp(prefix="datacell-bench-"))
        stack.callback(shutil.rmtree, root, ignore_errors=True)
        progress.say(f"writing {bounds.length * KEYS:,} rows")
        write_files(root / "files", bounds.length)
        progress.say("starting Spark")
        spark = session()
        stack.callback(spark.stop)
        paths = _paths(spark, root, bounds)
        made = in_rounds(list(paths.values()), bounds.rounds, progress)
    return _report(paths, made)


def _paths(spark: SparkSession, root: Path, bounds: Bounds) -> dict[Key, Measured]:
    found: dict[Key, Measured] = {}
    for engine, aggregate in (("spark", "avg"), *product(("auto",), _AGGREGATES)):
        name = f"datacell on {engine}"
        measures = {c: partial(ours, spark, root, aggregate, engine, bounds.length, c) for c in bounds.ours}
        found[name, aggregate] = Measured(f"{name}, {aggregate}", measures, TRIAL, bounds.turn)
    measures = {c: partial(spark_own, spark, root, c) for c in bounds.own}
    found["Spark's own", "avg"] = Measured("Spark's own, avg", measures, OWN_TRIAL, bounds.own_turn)
    return found


def _report(paths: Mapping[Key, Measured], made: int) -> Report:
    own, avg = paths["Spark's own", "avg"].rate, paths["datacell on auto", "avg"].rate
    headline = {
        "ratio_auto": avg / own,
        "ratio_spark": paths["datacell on spark", "avg"].rate / own,
        "max_over_avg": paths["datacell on auto", "max"].rate / avg,
        "distinct_over_avg": paths["datacell on auto", "distinct"].rate / avg,
    }
    rows = [(*key, *row) for key, path in paths.items() for row in path.rows()]
    plot = Plot.bars(
        "rows per second, 5 minutes every second, 2000 keys", {path.name: path.rate for path in paths.values()}
    )
    columns = ("path", "aggregate", "s per micro-batch", "state store", "rows/s", "turns")
    remark = f"whole rounds: {made}; the best turn of each path counts, and what has no turn was only tried"
    return Report("hop", headline, columns, rows, remark, plot)


def write_files(directory: Path, seconds: int) -> None:
    """A row per key and second; `c` has 8 values."""
    directory.mkdir()
    chance = np.random.default_rng(1)
    for number in range(seconds // SECONDS_PER_FILE):
        times = np.repeat(np.arange(number * SECONDS_PER_FILE, (number + 1) * SECONDS_PER_FILE), KEYS)
        table = pa.table(
            {
                "ts": pa.array(_START + times * _SECOND, pa.timestamp("us")),
                "k": pa.array(np.tile(np.arange(KEYS), SECONDS_PER_FILE), pa.int32()),
                "v": chance.random(len(times)),
                "c": pa.array(chance.integers(0, 8, len(times)), pa.int32()),
            }
        )
        pq.write_table(table, directory / f"{number:04d}.parquet")
        time.sleep(0.002)


def ours(
    spark: SparkSession, root: Path, aggregate: str, engine: str, length: int, choice: Choice, turn: Turn
) -> float:
    """Rows per second once all is warm."""
    cell = connect(checkpoint=root / f"state {next(_NUMBERS)}", spark=spark, engine=engine)
    files = f"path = '{root / 'files'}', maxFilesPerTrigger = '{choice[0] // SECONDS_PER_FILE}'"
    cell.sql(f"CREATE STREAM s ({_COLUMNS}, WATERMARK FOR ts AS ts) WITH (format = 'parquet', {files})")
    text = f"SELECT k, {_AGGREGATES[aggregate]} AS a FROM s [RANGE 5 MINUTES SLIDE 1 SECOND] GROUP BY k"
    cell.query(text, name="q").on_result(id)
    started = time.perf_counter()
    cell.start()
    try:
        samples = [Sample(0.0, 0)]
        while (found := counted_rate(samples, turn)) is None:
            if samples[-1].rows == length * KEYS:
                return second_half_rate(samples)
            samples.append(_next(cell, samples[-1], started))
    finally:
        cell.stop()
    return found


def _next(cell: Cell, last: Sample, started: float) -> Sample:
    """When the next micro-batch has been taken."""
    while (rows := cell.progress().rows) == last.rows:
        if time.perf_counter() - started > last.seconds + _PATIENCE:
            raise DataCellError(f"no row was taken for {_PATIENCE:.0f} seconds")
        time.sleep(0.002)
    return Sample(time.perf_counter() - started, rows)


def spark_own(spark: SparkSession, root: Path, choice: Choice, turn: Turn) -> float:
    """Rows per second of the micro-batches that began when all was warm."""
    seconds, store = choice
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", _STORES[store])
    frame = spark.readStream.schema(_COLUMNS).option("maxFilesPerTrigger", str(seconds // SECONDS_PER_FILE))
    source = frame.parquet(str(root / "files")).withWatermark("ts", "0 seconds")
    grouped = source.groupBy("k", f.window("ts", "5 minutes", "1 second")).agg(f.avg("v").alias("a"))
    state = root / f"own {seconds} {store}"
    query = grouped.writeStream.outputMode("append").format("noop").option("checkpointLocation", str(state)).start()
    try:
        while (found := counted_rate(_samples(query), turn)) is None:
            query.awaitTermination(1)
    finally:
        query.stop()
    return found


def _samples(query: StreamingQuery) -> list[Sample]:
    """When each micro-batch ended, by the time that they took; those of earlier turns have taken as many rows each."""
    done = [p for p in query.recentProgress if p.numInputRows]
    samples = [Sample(0.0, done[0].batchId * done[0].numInputRows if done else 0)]
    for p in done:
        before = samples[-1]
        samples.append(Sample(before.seconds + p.durationMs["triggerExecution"] / 1000, before.rows + p.numInputRows))
    return samples
