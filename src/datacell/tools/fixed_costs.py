"""What Spark takes whatever the rows: a micro-batch, a task, a file. `scaling` computes with it.

Of every measure the least counts that was seen, because a busy machine only adds. Tasks and files are measured where
driver and executors share a machine, so what is found for the driver is no less than its share. ::

    python -m datacell.tools.fixed_costs
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import DataFrame, SparkSession

from datacell.engines.session import session

FEW, MANY = 10, 400
"""Tasks, or files: what the difference takes is theirs."""
TIMES = 3
BATCHES = 12


@dataclass(frozen=True)
class FixedCosts:
    """Seconds."""

    micro_batch: float
    """From one micro-batch to the next, if nothing is done with them: offsets, planning, commit."""
    task: float
    """A task of a job, to send it off and to hear of its end."""
    file_written: float
    """A file that a task writes, up to the commit of the job."""
    file_listed: float
    """A file that is looked for before a job reads it."""
    file_opened: float
    """A file that a task reads: of the core that does."""


def measured(spark: SparkSession, folder: Path) -> FixedCosts:
    few, many = (str(folder / name) for name in ("few", "many"))
    task = _each(lambda: _nothing(_range(spark, FEW)), lambda: _nothing(_range(spark, MANY)))
    written = _each(lambda: _write(_range(spark, FEW), few), lambda: _write(_range(spark, MANY), many))
    listed = _each(lambda: _read(spark, few).inputFiles(), lambda: _read(spark, many).inputFiles())
    read = _each(lambda: _nothing(_read(spark, few)), lambda: _nothing(_read(spark, many)))
    cores = spark.sparkContext.defaultParallelism
    return FixedCosts(_micro_batch(spark, folder), task, written - task, listed, (read - listed) * cores)


def _each(few: Callable[[], object], many: Callable[[], object]) -> float:
    return max(0.0, _least(many) - _least(few)) / (MANY - FEW)


def _least(work: Callable[[], object]) -> float:
    return min(_seconds(work) for _ in range(TIMES))


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _range(spark: SparkSession, parts: int) -> DataFrame:
    return spark.range(0, 100 * parts, 1, parts)


def _nothing(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def _write(frame: DataFrame, directory: str) -> None:
    frame.write.mode("overwrite").parquet(directory)


def _read(spark: SparkSession, directory: str) -> DataFrame:
    return spark.read.schema("id BIGINT").parquet(directory)


def _micro_batch(spark: SparkSession, folder: Path) -> float:
    source = folder / "source"
    spark.range(0, BATCHES, 1, BATCHES).write.parquet(str(source))
    moments: list[float] = []
    rows = spark.readStream.schema("id BIGINT").option("maxFilesPerTrigger", "1").parquet(str(source))
    writer = rows.writeStream.foreachBatch(lambda _frame, _number: moments.append(time.perf_counter()))
    writer.option("checkpointLocation", str(folder / "state")).trigger(availableNow=True).start().awaitTermination()
    return _least_gap(moments)


def _least_gap(moments: Sequence[float]) -> float:
    return min(after - before for before, after in pairwise(moments))


def main() -> None:
    spark = session()
    with TemporaryDirectory(prefix="datacell-fixed-") as folder:
        found = measured(spark, Path(folder))
    spark.stop()
    for name, seconds in asdict(found).items():
        sys.stdout.write(f"{name} = {seconds * 1000:.2f} ms\n")


if __name__ == "__main__":
    main()
