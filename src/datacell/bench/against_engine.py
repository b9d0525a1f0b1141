"""A join of two streams under aggregates beside a stream engine, by window size (figure 9 of the paper).

The stream engine is Spark's own Structured Streaming, over time windows of as many rows: both streams are put into all
their windows, joined within each, aggregated by window. With 4,096 rows in the window its state does not fit into the
memory that a local session has by default, so it is measured with the smallest window only.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from datacell.bench.bed import Batch
from datacell.bench.effort import Effort
from datacell.bench.paper import Q2
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.session import session
from datacell.incremental.strategy import Strategy

HEADLINE = ("largest_reevaluation_over_increments", "reevaluation_wins_up_to")
SIZES = {
    Effort.FULL: (1_024, 4_096, 16_384, 65_536, 131_072),
    # Where either strategy wins, and one between.
    Effort.QUICK: (1_024, 16_384, 131_072),
}
_SLICES, _WINDOWS = 64, 100
_LARGEST_FOR_SPARK = 1_024
_START = 1_700_000_000_000_000


def run(effort: Effort, progress: Progress) -> Report:
    """The seconds that 100 windows of 64 slices take."""
    progress.say("starting Spark")
    spark = session()
    rows: list[tuple[object, ...]] = []
    lines: dict[str, list[tuple[float, float]]] = {}
    crossing = 0.0
    try:
        for size in SIZES[effort]:
            found = {}
            for path, measured in _paths(spark, Q2(size, size // _SLICES, 1 / size)).items():
                found[path] = measured()
                rows.append((size, path, found[path]))
                lines.setdefault(path, []).append((size, found[path]))
                progress.say(f"{size:,} rows, {path}: {found[path]:,.3g} s")
            if found["re-evaluation"] <= found["increments"]:
                crossing = size
    finally:
        spark.stop()
    headline = {
        "largest_reevaluation_over_increments": lines["re-evaluation"][-1][1] / lines["increments"][-1][1],
        "reevaluation_wins_up_to": crossing,
    }
    plot = Plot("100 windows of 64 slices", lines, "rows in the window", "seconds", log_x=True, log_y=True)
    columns = ("rows in the window", "path", "s for 100 windows")
    return Report("against-engine", headline, columns, rows, _REMARK, plot)


_REMARK = (
    "as in the paper re-evaluation is the better plan for small windows and increments for large ones; "
    "ours run on DuckDB without a source, Spark's own over Parquet files in one micro-batch after a warm-up"
)


def _paths(spark: SparkSession, query: Q2) -> dict[str, Callable[[], float]]:
    found: dict[str, Callable[[], float]] = {
        "increments": partial(_ours, query, Strategy.INCREMENTAL),
        "re-evaluation": partial(_ours, query, Strategy.REEVALUATE),
    }
    return found | ({"Spark's own": partial(_spark_own, spark, query)} if query.window <= _LARGEST_FOR_SPARK else {})


def _ours(query: Q2, strategy: Strategy) -> float:
    with query.bed(DuckDBEngine(), strategy) as bed:
        query.step(bed)
        return sum(query.step(bed) for _ in range(_WINDOWS))


def _spark_own(spark: SparkSession, query: Q2) -> float:
    root = Path(tempfile.mkdtemp(prefix="datacell-bench-"))
    try:
        for name in ("s", "r"):
            (root / name).mkdir()
            _write(root / name / "0.parquet", query.rows(query.window + _WINDOWS * query.slide))
        _joined(spark, root, query, "warm")
        started = time.perf_counter()
        _joined(spark, root, query, "measured")
        return time.perf_counter() - started
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _write(path: Path, rows: Batch) -> None:
    """A row per millisecond."""
    times = _START + np.arange(len(rows["x1"])) * 1000
    pq.write_table(pa.table({"ts": pa.array(times, pa.timestamp("us")), **rows}), path)


def _joined(spark: SparkSession, root: Path, query: Q2, state: str) -> None:
    def side(name: str, prefix: str) -> DataFrame:
        source = spark.readStream.schema("ts TIMESTAMP, x1 INT, x2 INT").parquet(str(root / name))
        window = f.window("ts", f"{query.window} milliseconds", f"{query.slide} milliseconds")
        watermarked = source.withWatermark("ts", "0 seconds").withColumn("w", window)
        return watermarked.selectExpr(f"w AS {prefix}w", f"x1 AS {prefix}1", f"x2 AS {prefix}2")

    joined = side("s", "a").join(side("r", "b"), f.expr("aw = bw AND a2 = b2"))
    answer = joined.groupBy("aw").agg(f.max("a1"), f.avg("b1"))
    writer = answer.writeStream.outputMode("append").format("noop").trigger(availableNow=True)
    writer.option("checkpointLocation", str(root / state)).start().awaitTermination()
