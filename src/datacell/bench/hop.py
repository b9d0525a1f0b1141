"""An aggregate per key over the last five minutes, every second: beside Spark's own window() aggregation.

Each side reads the same Parquet files through the streaming file source, with the same Spark settings, into a sink that
does nothing; each at its better of two sizes of micro-batch, Spark's own also at its better state store. What comes
before the second whole window does not count. Java compiles for minutes what is run often, and other work on a machine
comes and goes: so all paths are measured in rounds, one after the other, until a round makes none of them faster.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count, product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.listener import StreamingQueryProgress

from datacell.bench.plot import Plot
from datacell.bench.report import Report
from datacell.cell.cell import connect
from datacell.cell.listing import Progress
from datacell.engines.session import session

KEYS, SECONDS_PER_FILE, LENGTH = 2000, 10, 18_000
WARM = 600
"""Seconds of stream time before what counts: the window is full, and the engine has seen all of its fragments."""
WARMING, COUNTED = 30.0, 20.0
"""Seconds of real time before what counts, and of what counts."""
OWN_WARMING = 60.0
"""Spark's own needs longer until its windows are full."""
FASTER, MOST_ROUNDS = 1.05, 4
"""The last round is one in which no path was so many times as fast as before, or one with this number."""
MICRO_BATCHES = (10, 60)
_START, _SECOND = 1_700_000_100_000_000, 1_000_000
_COLUMNS = "ts TIMESTAMP, k INT, v DOUBLE, c INT"
_AGGREGATES = {"avg": "avg(v)", "max": "max(v)", "distinct": "count(DISTINCT c)"}
_STORES = {
    "default": "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
    "rocksdb": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
}
_NUMBERS = count()
Choice = tuple[int, str]
"""Seconds of stream time per micro-batch, and Spark's state store where there is a choice."""


@dataclass
class Measured:
    """A way to the answer: how to measure it with each choice, and what came out turn after turn."""

    path: str
    aggregate: str
    measures: Mapping[Choice, Callable[[], float]]
    turns: dict[Choice, list[float]] = field(default_factory=dict)

    def measure(self, choice: Choice) -> None:
        self.turns.setdefault(choice, []).append(self.measures[choice]())

    @property
    def better(self) -> Choice:
        return max(self.turns, key=lambda choice: max(self.turns[choice]))

    @property
    def rate(self) -> float:
        """Rows per second: the best turn."""
        return max(self.turns[self.better])

    def rows(self) -> list[tuple[object, ...]]:
        return [
            (self.path, self.aggregate, seconds, store, max(turns), len(turns))
            for (seconds, store), turns in self.turns.items()
        ]


def run() -> Report:
    """2000 keys at a row per second each: rows per second of each path."""
    root = Path(tempfile.mkdtemp(prefix="datacell-bench-"))
    spark = session()
    try:
        write_files(root / "files", LENGTH)
        spark_avg, *auto = (
            Measured(f"datacell on {e}", a, {(s, ""): partial(ours, spark, root, a, e, s) for s in MICRO_BATCHES})
            for e, a in (("spark", "avg"), *product(("auto",), _AGGREGATES))
        )
        stores = product(MICRO_BATCHES, _STORES)
        own = Measured("Spark's own", "avg", {choice: partial(spark_own, spark, root, *choice) for choice in stores})
        paths = [spark_avg, *auto, own]
        in_rounds(paths)
    finally:
        shutil.rmtree(root, ignore_errors=True)
        spark.stop()
    avg, most, distinct = auto
    headline = {
        "ratio_auto": avg.rate / own.rate,
        "ratio_spark": spark_avg.rate / own.rate,
        "max_over_avg": most.rate / avg.rate,
        "distinct_over_avg": distinct.rate / avg.rate,
    }
    columns = ("path", "aggregate", "s per micro-batch", "state store", "rows/s", "turns")
    bars = {f"{p.path}, {p.aggregate}": p.rate for p in paths}
    plot = Plot.bars("rows per second, 5 minutes every second, 2000 keys", bars)
    return Report("hop", headline, columns, [row for p in paths for row in p.rows()], plot=plot)


def in_rounds(paths: Sequence[Measured]) -> None:
    """Measure every choice of every path once, then the better choice of each in rounds."""
    for path in paths:
        for choice in path.measures:
            path.measure(choice)
    for _ in range(MOST_ROUNDS):
        before = [p.rate for p in paths]
        for path in paths:
            path.measure(path.better)
        if all(p.rate < FASTER * rate for p, rate in zip(paths, before, strict=True)):
            break


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


def ours(spark: SparkSession, root: Path, aggregate: str, engine: str, seconds: int) -> float:
    """Rows per second once all is warm."""
    cell = connect(checkpoint=root / f"state {next(_NUMBERS)}", spark=spark, engine=engine)
    files = f"path = '{root / 'files'}', maxFilesPerTrigger = '{seconds // SECONDS_PER_FILE}'"
    cell.sql(f"CREATE STREAM s ({_COLUMNS}, WATERMARK FOR ts AS ts) WITH (format = 'parquet', {files})")
    text = f"SELECT k, {_AGGREGATES[aggregate]} AS a FROM s [RANGE 5 MINUTES SLIDE 1 SECOND] GROUP BY k"
    cell.query(text, name="q").on_result(id)
    started = time.perf_counter()
    cell.start()
    try:
        warm = _reached(cell.progress, WARM * KEYS, started + WARMING)
        ended = _reached(cell.progress, warm[1] + 1, warm[0] + COUNTED)
    finally:
        cell.stop()
    return (ended[1] - warm[1]) / (ended[0] - warm[0])


def _reached(progress: Callable[[], Progress], rows: int, at_least: float) -> tuple[float, int]:
    """When the first micro-batch after an instant had been taken, with at least so many rows; and how many."""
    before = progress().rows
    while True:
        taken = progress().rows
        if taken == LENGTH * KEYS or (before < taken >= rows and time.perf_counter() >= at_least):
            return time.perf_counter(), taken
        before = taken
        time.sleep(0.002)


def spark_own(spark: SparkSession, root: Path, seconds: int, store: str) -> float:
    """Rows per second of the micro-batches that began when all was warm, over a shorter prefix of the files."""
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", _STORES[store])
    frame = spark.readStream.schema(_COLUMNS).option("maxFilesPerTrigger", str(seconds // SECONDS_PER_FILE))
    source = frame.parquet(str(root / "files")).withWatermark("ts", "0 seconds")
    grouped = source.groupBy("k", f.window("ts", "5 minutes", "1 second")).agg(f.avg("v").alias("a"))
    state = root / f"own {next(_NUMBERS)}"
    query = grouped.writeStream.outputMode("append").format("noop").option("checkpointLocation", str(state)).start()
    try:
        while sum(_spent(done := [p for p in query.recentProgress if p.numInputRows])) < OWN_WARMING + COUNTED:
            time.sleep(0.1)
    finally:
        query.stop()
    warm = int(np.searchsorted(np.cumsum(_spent(done)), OWN_WARMING)) + 1
    counted = done[warm:] or done[-1:]
    return float(sum(p.numInputRows for p in counted) / sum(_spent(counted)))


def _spent(progress: Sequence[StreamingQueryProgress]) -> list[float]:
    """Seconds of each micro-batch."""
    return [p.durationMs["triggerExecution"] / 1000 for p in progress]
