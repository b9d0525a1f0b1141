"""The number of Spark's jobs: so many for a micro-batch and its answer, whatever the number of slices."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.cell import intake
from datacell.cell.cell import Cell
from datacell.placement.homes import DRIVER_MEMORY

pytestmark = pytest.mark.spark
ROWS, FILES, SECONDS = 4000, 4, 1200
SLIDES = {"few": 300, "many": 8}
"""Seconds of a slide: four slices in a micro-batch, or a hundred and fifty."""

JOBS = {("spark", 0): 14, ("spark", DRIVER_MEMORY): 9, ("auto", 0): 14, ("auto", DRIVER_MEMORY): 4}
"""For each engine and memory of the driver, the jobs of a run of four micro-batches and five firings."""

_PROBES = count()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each file is a micro-batch of twenty minutes."""
    folder = tmp_path_factory.mktemp("files")
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(FILES):
        at = [start + timedelta(seconds=SECONDS * (number + row / ROWS)) for row in range(ROWS)]
        times = pa.array(at, pa.timestamp("us", tz="UTC"))
        columns = {"ts": times, "k": pa.array([row % 2 for row in range(ROWS)], pa.int32()), "v": [1.0] * ROWS}
        pq.write_table(pa.table(columns), folder / f"{number}.parquet")
    return folder


@pytest.mark.parametrize(("engine", "memory"), JOBS)
def test_jobs_do_not_depend_on_slices(
    spark: SparkSession, tmp_path: Path, files: Path, engine: str, memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "LITTLE", -1)
    monkeypatch.setattr(intake, "HYSTERESIS", float("inf"))
    found = {}
    for name, slide in SLIDES.items():
        before = _job(spark)
        rows = _run(spark, tmp_path / name, files, engine, memory, slide)
        found[name] = _job(spark) - before - 1
        assert rows == FILES * ROWS * 2, "every row is shown twice"
    assert found == dict.fromkeys(SLIDES, JOBS[engine, memory])


MANY = (1, 2, 6)


@pytest.mark.parametrize("sharing", ["auto", "separate", "shared"])
def test_one_first_stage_serves_all_queries(
    spark: SparkSession, tmp_path: Path, files: Path, sharing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows of a micro-batch are read and checked once; what each query wants of them is one job."""
    monkeypatch.setattr(intake, "LITTLE", -1)
    monkeypatch.setattr(intake, "HYSTERESIS", float("inf"))
    found = {}
    for queries in MANY:
        before = _job(spark)
        _run_many(spark, tmp_path / str(queries), files, sharing, queries)
        found[queries] = _job(spark) - before - 1
    assert found == {queries: queries * found[1] for queries in MANY}
    assert found[1] == FILES


def _run_many(spark: SparkSession, state: Path, files: Path, sharing: str, queries: int) -> None:
    """Queries that no plan is shared by; whatever a micro-batch is read for is one stage."""
    windows = {"k": "60 SECONDS", "k % 3": "90 SECONDS"}
    cell = datacell.connect(state, spark=spark, sharing=sharing)
    try:
        _stream(cell, files)
        for number in range(queries):
            key = ("k", "k % 3")[number % 2]
            window = f"[RANGE {windows[key]} SLIDE {30 * (1 + number // 2)} SECONDS]"
            cell.query(f"SELECT {key} AS g, max(v) + {number} AS m FROM s {window} GROUP BY {key}")
        cell.run(once=True)
        (stage,) = cell.works.intake.stages.values()
        assert len(stage.wanted) == queries
    finally:
        cell.stop()


def _stream(cell: Cell, files: Path) -> None:
    cell.sql(
        "CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, WATERMARK FOR ts AS ts AHEAD AT MOST INTERVAL 1 HOUR) "
        f"WITH (format = 'parquet', path = '{files}', maxFilesPerTrigger = '1')"
    )


def _run(spark: SparkSession, state: Path, files: Path, engine: str, memory: int, slide: int) -> int:
    cell = datacell.connect(state, spark=spark, engine=engine, driver_memory=memory)
    try:
        _stream(cell, files)
        window = f"[RANGE {2 * slide} SECONDS SLIDE {slide} SECONDS]"
        query = cell.query(f"SELECT k, count(*) AS n, avg(v) AS a FROM s {window} GROUP BY k")
        cell.run(once=True)
        return sum(row["n"] for result in query.results() for row in result)
    finally:
        cell.stop()


def _job(spark: SparkSession) -> int:
    """The number of a job that is started now: jobs are numbered one after the other, whoever starts them."""
    group = f"probe {next(_PROBES)}"
    spark.sparkContext.setJobGroup(group, group)
    spark.range(1).collect()
    return max(spark.sparkContext.statusTracker().getJobIdsForGroup(group))
