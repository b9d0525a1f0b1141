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

from datacell.bench.report import Report
from datacell.cell.cell import connect
from datacell.engines.session import session

_ROWS, _FILES = 2_000_000, 10
_COLUMNS = "ts TIMESTAMP, k INT, v DOUBLE"


def run() -> Report:
    """Each side reads the same files, two per micro-batch, keeps a tenth of the rows and writes them."""
    root = Path(tempfile.mkdtemp(prefix="datacell-bench-"))
    spark = session()
    rows, headline = [], {}
    try:
        for form in ("csv", "parquet"):
            _write_input(root / form, form)
            _plain(spark, root, form)
            _net(spark, root, form)
            plain, (ours, firing) = _plain(spark, root, form), _net(spark, root, form)
            batches = _FILES // 2
            rows += [
                (form, "plain Spark", _ROWS / plain, plain / batches * 1000, ""),
                (form, "datacell", _ROWS / ours, ours / batches * 1000, firing * 1000),
            ]
            headline[f"ratio_{form}"] = plain / ours
    finally:
        shutil.rmtree(root, ignore_errors=True)
        spark.stop()
    columns = ("format", "path", "rows/s", "ms per micro-batch", "of it, ms per firing")
    return Report("net", headline, columns, rows, "ratio: rows/s of datacell over those of plain Spark")


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
    options = f"format = '{form}', path = '{root / form}', header = 'true', maxFilesPerTrigger = '2'"
    cell.sql(
        f"CREATE STREAM s ({_COLUMNS}) WITH ({options});"
        "CREATE CONTINUOUS QUERY few AS SELECT * FROM s WHERE k < 100;"
        f"CREATE EMITTER o FROM few WITH (format = '{form}', path = '{out}')"
    )
    started = time.perf_counter()
    cell.run(once=True)
    elapsed = time.perf_counter() - started
    running = cell.scheduler.factories["few"]
    firing = running.seconds / running.output.next_number
    cell.stop()
    shutil.rmtree(out)
    shutil.rmtree(root / "net-state")
    return elapsed, firing
