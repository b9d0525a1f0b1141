"""An aggregate per key over the last five minutes, every second: beside Spark's own window() aggregation.

Each side reads the same Parquet files through the streaming file source, with the same Spark settings, into a sink that
does nothing; each at its better of two sizes of micro-batch, Spark's own also at its better state store. What comes
before the second whole window does not count. Java compiles for minutes what is run often, so every path is measured
again until it gets no faster; Spark's own comes last, when Spark is warmest.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count, product
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.listener import StreamingQueryProgress

from datacell.bench.plot import Plot
from datacell.bench.report import Report
from datacell.cell import connect
from datacell.engines.session import session
from datacell.listing import Progress

KEYS, SECONDS_PER_FILE, LENGTH = 2000, 10, 18_000
WARM = 600
"""Seconds of stream time before what counts: the window is full, and the engine has seen all of its fragments."""
WARMING, COUNTED = 30.0, 20.0
"""Seconds of real time before what counts, and of what counts."""
OWN_WARMING = 60.0
"""Spark's own needs longer until its windows are full."""
FASTER, MOST_TURNS = 1.05, 6
"""A path is warm when a turn is not so many times as fast as the turns before; in any case after so many turns."""
MICRO_BATCHES = (10, 60)
_START, _SECOND = 1_700_000_100_000_000, 1_000_000
_COLUMNS = "ts TIMESTAMP, k INT, v DOUBLE, c INT"
_AGGREGATES = {"avg": "avg(v)", "max": "max(v)", "distinct": "count(DISTINCT c)"}
_STORES = {
    "default": "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
    "rocksdb": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
}
_NUMBERS = count()
_T = TypeVar("_T")
Row = tuple[object, ...]


def run() -> Report:
    """2000 keys at a row per second each: rows per second of each path."""
    root = Path(tempfile.mkdtemp(prefix="datacell-bench-"))
    spark = session()
    rows: list[Row] = []
    best: dict[tuple[str, str], float] = {}
    try:
        write_files(root / "files", LENGTH)
        for engine, others in (("auto", ("max", "distinct")), ("spark", ())):
            found = {s: [ours(spark, root, "avg", engine, s)] for s in MICRO_BATCHES}
            size = _better(found)
            found[size] = warm(partial(ours, spark, root, "avg", engine, size), found[size])
            rows += [_row(f"datacell on {engine}", "avg", s, "", turns) for s, turns in found.items()]
            best[engine, "avg"] = max(found[size])
            for aggregate in others:
                turns = warm(partial(ours, spark, root, aggregate, engine, size))
                rows.append(_row(f"datacell on {engine}", aggregate, size, "", turns))
                best[engine, aggregate] = max(turns)
        own = {(s, store): [spark_own(spark, root, s, store)] for store, s in product(_STORES, MICRO_BATCHES)}
        choice = _better(own)
        own[choice] = warm(partial(spark_own, spark, root, *choice), own[choice])
        rows += [_row("Spark's own", "avg", s, store, turns) for (s, store), turns in own.items()]
    finally:
        shutil.rmtree(root, ignore_errors=True)
        spark.stop()
    most = max(own[choice])
    headline = {
        "ratio_auto": best["auto", "avg"] / most,
        "ratio_spark": best["spark", "avg"] / most,
        "max_over_avg": best["auto", "max"] / best["auto", "avg"],
        "distinct_over_avg": best["auto", "distinct"] / best["auto", "avg"],
    }
    columns = ("path", "aggregate", "s per micro-batch", "state store", "rows/s", "turns")
    bars = {f"{path}, {aggregate}": rate for (path, aggregate), rate in best.items()}
    plot = Plot.bars("rows per second, 5 minutes every second, 2000 keys", {"Spark's own": most, **bars})
    return Report("hop", headline, columns, rows, plot=plot)


def warm(measure: Callable[[], float], turns: Sequence[float] = ()) -> list[float]:
    """The figures of turn after turn, until one is hardly better than those before."""
    found = [*turns] or [measure()]
    while len(found) < MOST_TURNS:
        before = max(found)
        found.append(measure())
        if found[-1] < FASTER * before:
            break
    return found


def _better(found: Mapping[_T, Sequence[float]]) -> _T:
    return max(found, key=lambda choice: max(found[choice]))


def _row(path: str, aggregate: str, seconds: int, store: str, turns: Sequence[float]) -> Row:
    return path, aggregate, seconds, store, max(turns), len(turns)


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
