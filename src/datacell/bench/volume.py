"""Many rows, few keys: an aggregate per key over five minutes, every minute, beside what Spark itself can do.

Four paths read the same Parquet files through the streaming file source, in the same session, to the end: datacell by
cost and on Spark alone; the *limit*, a bare partial aggregate of each micro-batch in `foreachBatch`, which is the least
that an answer from micro-batches on Spark takes; and Spark's own window() aggregation, into a sink that does nothing.
Each is measured at its better size of micro-batch, Spark's own also at its better state store. An answer that does not
count every row does not count.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.readwriter import DataStreamWriter

from datacell.bench.drained import drain
from datacell.bench.effort import Effort
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.bench.rounds import Choice, Measured, Turn, in_rounds
from datacell.bench.stream_files import COLUMNS, Shape, dense, write
from datacell.cell.cell import connect
from datacell.engines.session import session

HEADLINE = ("ratio_limit", "ratio_own", "ratio_limit_spark")
QUERY = "SELECT k, avg(v) AS a, count(v) AS n, max(v) AS top FROM s [RANGE 5 MINUTES SLIDE 1 MINUTE] GROUP BY k"
WINDOWS_PER_ROW = 5
AUTO, SPARK, LIMIT, OWN = "datacell, auto", "datacell, spark", "the limit", "Spark's own"


@dataclass(frozen=True)
class Bounds:
    """What is measured."""

    shape: Shape
    choices: tuple[Choice, ...]
    own: tuple[Choice, ...]
    """The likely better choice comes first; the others differ from it in one thing."""
    rounds: int


BOUNDS = {
    Effort.FULL: Bounds(
        shape=dense(30_000_000),
        choices=((120, ""), (240, "")),
        own=((240, "default"), (120, "default"), (240, "rocksdb")),
        rounds=5,
    ),
    Effort.QUICK: Bounds(shape=dense(4_000_000), choices=((120, ""),), own=((120, "default"),), rounds=2),
}
WARMING = dense(2_000_000)
"""What every path reads once before anything counts."""
_TURN = Turn(0.0, 0, 12.0)
"""A turn is a whole run, whatever it takes; this is what it is expected to take."""
_SECONDS_PER_FILE = 60
_STORES = {
    "default": "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
    "rocksdb": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
}
_NUMBERS = count()
Run = Callable[[SparkSession, Path, Shape, Choice], float]
"""Seconds of a run over the files of a shape in a directory."""


def run(effort: Effort, progress: Progress) -> Report:
    """1000 keys, two minutes of stream time per million rows: rows per second of each path."""
    bounds = BOUNDS[effort]
    with ExitStack() as stack:
        root = Path(tempfile.mkdtemp(prefix="datacell-bench-"))
        stack.callback(shutil.rmtree, root, ignore_errors=True)
        progress.say(f"writing {bounds.shape.rows:,} rows")
        write(root / "warming" / "files", WARMING)
        write(root / "counted" / "files", bounds.shape)
        progress.say("starting Spark")
        spark = session()
        stack.callback(spark.stop)
        for name, path in _PATHS.items():
            progress.say(f"warming up: {name} … {path(spark, root / 'warming', WARMING, bounds.own[0]):.1f} s")
        measured = {name: _measured(name, spark, root / "counted", bounds) for name in _PATHS}
        made = in_rounds(list(measured.values()), bounds.rounds, progress)
    return _report(measured, made, bounds.shape)


def _measured(name: str, spark: SparkSession, root: Path, bounds: Bounds) -> Measured:
    choices = bounds.own if name == OWN else bounds.choices
    measures = {choice: partial(_rate, name, spark, root, bounds.shape, choice) for choice in choices}
    return Measured(name, measures, _TURN, _TURN)


def _rate(name: str, spark: SparkSession, root: Path, shape: Shape, choice: Choice, turn: Turn) -> float:
    return shape.rows / _PATHS[name](spark, root, shape, choice)


def _report(paths: Mapping[str, Measured], made: int, shape: Shape) -> Report:
    headline = {
        "ratio_limit": paths[AUTO].rate / paths[LIMIT].rate,
        "ratio_own": paths[AUTO].rate / paths[OWN].rate,
        "ratio_limit_spark": paths[SPARK].rate / paths[LIMIT].rate,
    }
    rows = [(name, *row) for name, path in paths.items() for row in path.rows()]
    title = f"rows per second, 5 minutes every minute, {shape.keys} keys, {shape.rows:,} rows"
    plot = Plot.bars(title, {name: path.rate for name, path in paths.items()})
    columns = ("path", "s per micro-batch", "state store", "rows/s", "turns")
    remark = f"{shape.rows:,} rows; whole rounds: {made}; the best turn of each path counts"
    return Report("volume", headline, columns, rows, remark, plot)


def ours(engine: str, spark: SparkSession, root: Path, shape: Shape, choice: Choice) -> float:
    state = root / f"state {next(_NUMBERS)}"
    cell = connect(checkpoint=state, spark=spark, engine=engine)
    try:
        drained = drain(cell, root / "files", QUERY, files_per_batch(choice))
    finally:
        cell.stop()
        shutil.rmtree(state, ignore_errors=True)
    drained.check(WINDOWS_PER_ROW * shape.rows)
    return drained.seconds


def limit(spark: SparkSession, root: Path, shape: Shape, choice: Choice) -> float:
    """Each micro-batch's partial aggregates by key and minute, brought to the driver."""

    def take(batch: DataFrame, number: int) -> None:
        minute = f.expr("unix_micros(ts) div 60000000").alias("minute")
        batch.groupBy("k", minute).agg(f.sum("v"), f.count("v"), f.max("v")).toArrow()

    return _drained(_source(spark, root, choice).writeStream.foreachBatch(take), root)


def spark_own(spark: SparkSession, root: Path, shape: Shape, choice: Choice) -> float:
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", _STORES[choice[1]])
    source = _source(spark, root, choice).withWatermark("ts", "0 seconds")
    grouped = source.groupBy("k", f.window("ts", "5 minutes", "1 minute"))
    frame = grouped.agg(f.avg("v"), f.count("v"), f.max("v"))
    return _drained(frame.writeStream.outputMode("append").format("noop"), root)


def files_per_batch(choice: Choice) -> int:
    return choice[0] // _SECONDS_PER_FILE


def _source(spark: SparkSession, root: Path, choice: Choice) -> DataFrame:
    reader = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", str(files_per_batch(choice)))
    return reader.parquet(str(root / "files"))


def _drained(writer: DataStreamWriter, root: Path) -> float:
    """Seconds until all that is there has been read."""
    state = root / f"state {next(_NUMBERS)}"
    started = time.perf_counter()
    query = writer.option("checkpointLocation", str(state)).trigger(availableNow=True).start()
    query.awaitTermination()
    seconds = time.perf_counter() - started
    shutil.rmtree(state, ignore_errors=True)
    return seconds


_PATHS: dict[str, Run] = {
    AUTO: partial(ours, "auto"),
    SPARK: partial(ours, "spark"),
    LIMIT: limit,
    OWN: spark_own,
}
