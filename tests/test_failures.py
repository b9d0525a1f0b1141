"""What fails on real Spark fails alone: a query, wherever its part is run; a source, until it can be read again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.errors import EngineError
from datacell.receptors import retrying

STREAM = (
    "CREATE STREAM s (ts TIMESTAMP, k INT, v INT, WATERMARK FOR ts AS ts) "
    "WITH (format = 'csv', path = '{path}', header = 'true', maxFilesPerTrigger = '1')"
)
COUNTS = "SELECT k, count(*) AS n FROM s [RANGE 2 SECONDS SLIDE 1 SECOND] GROUP BY k"
FAILING = {
    "partial aggregates": "SELECT sum(element_at(array(v), k)) AS x FROM s [RANGE 2 SECONDS SLIDE 1 SECOND]",
    "row by row": "SELECT element_at(array(v), k) AS x FROM s",
    "every instant": "SELECT element_at(array(v), k) AS x FROM s [RANGE 2 SECONDS]",
}
"""Spark refuses the element at 0, also with ANSI mode off."""


def write_input(tmp_path: Path, *keys: int) -> str:
    directory = tmp_path / "in"
    directory.mkdir(exist_ok=True)
    for number, key in enumerate(keys):
        rows = "".join(f"2024-01-01T00:00:0{number}.{part}Z,{key},{number}\n" for part in range(3))
        file = directory / f"{number}.csv"
        file.write_text(f"ts,k,v\n{rows}")
        os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))
    return STREAM.format(path=directory)


@pytest.fixture
def on_spark(spark: SparkSession, tmp_path: Path) -> Iterator[datacell.Cell]:
    cell = datacell.connect(tmp_path / "state", spark=spark, engine="spark")
    yield cell
    cell.stop()


@pytest.mark.parametrize("text", FAILING.values(), ids=FAILING)
def test_a_query_that_fails_where_rows_are_fails_alone(on_spark: datacell.Cell, tmp_path: Path, text: str) -> None:
    on_spark.sql(write_input(tmp_path, 1, 1, 0, 1))
    counts, bad = on_spark.query(COUNTS, name="counts"), on_spark.query(text, name="bad")
    with pytest.raises(EngineError, match=r"continuous query bad has stopped: .*index.*0") as raised:
        on_spark.run(once=True)
    assert "SELECT" in str(raised.value)
    assert "calling o" not in str(raised.value)
    found = [(r["window_end"].second, r["k"], r["n"]) for result in counts.results() for r in result]
    assert sorted(found) == [(1, 1, 3), (2, 1, 6), (3, 0, 3), (3, 1, 3), (4, 0, 3), (4, 1, 3), (5, 1, 3)]
    shown = on_spark.sql("SHOW QUERIES")
    assert shown is not None
    states = {row["query"]: row["state"] for row in shown}
    assert states["counts"] == "running"
    assert states["bad"].startswith("stopped: ")
    with pytest.raises(EngineError, match="bad has stopped"):
        on_spark.sql("RESTART CONTINUOUS QUERY bad")
    with pytest.raises(EngineError, match="bad has stopped"):
        list(bad.results())
    on_spark.sql("DROP CONTINUOUS QUERY bad")


def test_a_source_that_fails_is_tried_again(
    cell: datacell.Cell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrying, "FIRST_PAUSE", 0.1)
    (tmp_path / "in").mkdir()
    broken = tmp_path / "in" / "0.parquet"
    broken.write_bytes(b"no parquet at all")
    cell.sql(f"CREATE STREAM p (x INT) WITH (format = 'parquet', path = '{tmp_path / 'in'}')")
    found = cell.query("SELECT x FROM p")
    cell.start()
    until(lambda: "p" in cell.progress().stopped)
    shown = cell.sql("SHOW STREAMS")
    assert shown is not None
    (row,) = shown
    assert row["failure"].startswith("stream p stopped: the file ")
    pq.write_table(pa.table({"x": pa.array([1, 2], pa.int32())}), tmp_path / "good.parquet")
    (tmp_path / "good.parquet").replace(broken)
    assert [r["x"] for r in next(found.results(timeout=60))] == [1, 2]
    until(lambda: not cell.progress().stopped)


def until(holds: Callable[[], object]) -> None:
    for _ in range(600):
        if holds():
            return
        sleep(0.1)
    raise AssertionError("it never does")
