"""Rows through receptor → filter → emitter, beside a plain readStream → filter → writeStream of the same files."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from datacell.bench.effort import Effort
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.cell.cell import connect
from datacell.engines.session import session

HEADLINE = ("ratio_csv", "ratio_parquet")
TURNS = {Effort.FULL: 4, Effort.QUICK: 1}
"""Both sides take turns, for other work on a machine comes and goes. A turn of both takes some ten seconds."""
_ROWS, _FILES = 2_000_000, 10
_BATCHES = _FILES // 2
_COLUMNS = "ts TIMESTAMP, k INT, v DOUBLE"


def run(effort: Effort, progress: Progress) -> Report:
    """Each side reads the same files, two per micro-batch, keeps a tenth of the rows and writes them."""
    root = Path(tempfile.mkdtemp(prefix="datacell-bench-"))
    progress.say("starting Spark")
    spark = session()
    rows: list[tuple[object, ...]] = []
    headline = {}
    try:
        for form in ("csv", "parquet"):
            progress.say(f"{form}: warming up")
            _write_input(root / form, form)
            _plain(spark, root, form)
            _net(spark, root, form)
            plain, (ours, firing) = _best(spark, root, form, TURNS[effort], progress)
            rows += [
                (form, "plain Spark", _ROWS / plain, plain / _BATCHES * 1000, ""),
                (form, "datacell", _ROWS / ours, ours / _BATCHES * 1000, firing * 1000),
            ]
            headline[f"ratio_{form}"] = plain / ours
    finally:
        shutil.rmtree(root, ignore_errors=True)
        spark.stop()
    columns = ("format", "path", "rows/s", "ms per micro-batch", "of it, ms per firing")
    return Report("net", headline, columns, rows, "ratio: rows/s of datacell over those of plain Spark, best turns")


def _best(
    spark: SparkSession, root: Path, form: str, turns: int, progress: Progress
) -> tuple[float, tuple[float, float]]:
    """The least seconds of plain Spark, and of the net with those of a firing."""
    plain, ours = [], []
    for number in progress.turns(turns):
        plain.append(_plain(spark, root, form))
        ours.append(_net(spark, root, form))
        rates = f"plain Spark {_ROWS / plain[-1]:,.0f} rows/s, datacell {_ROWS / ours[-1][0]:,.0f} rows/s"
        progress.say(f"{form}, turn {number + 1} of {turns}: {rates}")
    return min(plain), min(ours)


def _write_input(directory: Path, form: str) -> None:
    directory.mkdir()
    chance = np.random.default_rng(1)
    count = _ROWS // _FILES
    for number in range(_FILES):
        times = 1_700_000_000_000_000 + np.arange(number * count, (number + 1) * count) * 100
        table = pa.table(
            {
                "ts": pa.array(times, pa.timestamp("us")),
                "k": pa.array(chance.integers(0, 1000, count), pa.int32()),
                "v": chance.random(count),
            }
        )
        path = directory / f"{number:03d}.{form}"
        (pa_csv.write_csv if form == "csv" else pq.write_table)(table, path)


def _plain(spark: SparkSession, root: Path, form: str) -> float:
    out, state = root / "plain", root / "plain-state"
    frame = spark.readStream.format(form).schema(_COLUMNS).option("header", "true")
    source = frame.option("maxFilesPerTrigger", "2").load(str(root / form)).where("k < 100")
    started = time.perf_counter()
    writer = source.writeStream.format(form).option("header", "true").option("checkpointLocation", str(state))
    writer.trigger(availableNow=True).start(str(out)).awaitTermination()
    elapsed = time.perf_counter() - started
    shutil.rmtree(out)
    shutil.rmtree(state)
    return elapsed


def _net(spark: SparkSession, root: Path, form: str) -> tuple[float, float]:
    """Seconds for everything, and for one firing of the query."""
    out = root / "net"
    cell = connect(checkpoint=root / "net-state", spark=spark)
    header = "header = 'true', " if form == "csv" else ""
    options = f"format = '{form}', path = '{root / form}', {header}maxFilesPerTrigger = '2'"
    cell.sql(
        f"CREATE STREAM s ({_COLUMNS}) WITH ({options});"
        "CREATE CONTINUOUS QUERY few AS SELECT * FROM s WHERE k < 100;"
        f"CREATE EMITTER o FROM few WITH (format = '{form}', path = '{out}')"
    )
    started = time.perf_counter()
    cell.run(once=True)
    elapsed = time.perf_counter() - started
    shown = cell.sql("SHOW QUERIES")
    assert shown is not None
    (few,) = shown.to_pylist()
    firing = few["seconds in firings"] / few["firings"]
    cell.stop()
    shutil.rmtree(out)
    shutil.rmtree(root / "net-state")
    return elapsed, firing
