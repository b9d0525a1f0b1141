"""What is made on the executors: of no more columns than are read, and beside it nothing gets lost."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.cell import intake
from datacell.receptors.behind import Take
from datacell.receptors.receptor import Reading, Receptor

pytestmark = pytest.mark.spark
CSV = (
    "CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE CHECK (v >= 0), note STRING, "
    "WATERMARK FOR ts AS ts - INTERVAL 1 SECOND) "
    "WITH (format = 'csv', path = '{path}', header = 'true', maxFilesPerTrigger = '1')"
)
NARROW = Reading(frozenset({"ts", "k", "v"}), is_ordered=False)
COUNTS = "SELECT k, count(*) AS n FROM s [RANGE 4 SECONDS SLIDE 2 SECONDS] GROUP BY k"
LATE = [
    [COUNTS],
    ["SELECT k, max(v) AS top FROM s [RANGE 20 SECONDS SLIDE 10 SECONDS] GROUP BY k", COUNTS],
    ["SELECT count(*) AS n FROM s [RANGE 2 SECONDS SLIDE 5 SECONDS]"],
    ["SELECT k, note FROM s [FIXED 7 SECONDS SLIDE 3 SECONDS] WHERE v > 1"],
    [COUNTS, "SELECT k, note FROM s WHERE v > 3"],
    ["SELECT k, note FROM s [RANGE 5 SECONDS] WHERE v > 3"],
    ["SELECT k, count(*) AS n, sum(v) AS t FROM s [RANGE 5 SECONDS] WHERE v > 1 GROUP BY k", COUNTS],
    ["SELECT count(*) AS n, max(v) AS t FROM s [FIXED 6 SECONDS] WHERE v > 4"],
    [
        "SELECT a.k, b.note FROM s [RANGE 4 SECONDS] a JOIN s [RANGE 9 SECONDS] b ON a.k = b.k AND a.v < b.v "
        "WHERE a.v < 5"
    ],
]
WAYS = [("spark", 0), ("spark", 1 << 20), ("auto", 1 << 20)]


@dataclass(frozen=True)
class Seen:
    """What a run gave, and how its micro-batches were read."""

    answers: list[list[tuple[Any, ...]]]
    late: list[tuple[Any, ...]]
    rejected: list[tuple[Any, ...]]
    counted: tuple[int, int, int]
    readings: list[Reading]


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[Reading]:
    """How every micro-batch was read, tried ones too. Small ones are taken for large ones."""
    monkeypatch.setattr(intake, "LITTLE", -1)
    monkeypatch.setattr(intake, "HYSTERESIS", float("inf"))
    found: list[Reading] = []
    original = Receptor._take

    def take(self: Receptor, frame: Any, number: int) -> Take:
        found.append(self.reading)
        return original(self, frame, number)

    monkeypatch.setattr(Receptor, "_take", take)
    return found


def test_a_column_that_no_query_reads_is_not_read(
    cell: datacell.Cell, tmp_path: Path, readings: list[Reading], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in").mkdir()
    times = pa.array([0, 5_000_000], pa.timestamp("us", tz="UTC"))
    columns = {"ts": times, "k": pa.array([1, 2], pa.int32()), "v": [1.0, 2.0], "note": ["a", "b"]}
    pq.write_table(pa.table(columns), tmp_path / "in" / "0.parquet")
    cell.sql(CSV.format(path=tmp_path / "in").replace("'csv'", "'parquet'").replace("header = 'true', ", ""))
    cell.query(COUNTS)
    cell.start()
    stream = cell.works.scheduler.members.streams["s"]
    until = time.monotonic() + 60
    while stream.basket.progress.rows < 2 and time.monotonic() < until:
        cell.check()
        time.sleep(0.02)
    query = cell.works.intake.receptors["s"]._query
    assert query is not None
    capsys.readouterr()
    query.explain()
    (scan,) = [part for part in capsys.readouterr().out.split("\n") if "ReadSchema" in part]
    assert scan.split("ReadSchema: ")[1].strip() == "struct<ts:timestamp,k:int,v:double>", "v has a CHECK"
    assert readings == [NARROW]


@pytest.mark.parametrize(("engine", "memory"), WAYS)
def test_rejected_rows_have_their_whole_text(
    spark: SparkSession, tmp_path: Path, readings: list[Reading], engine: str, memory: int
) -> None:
    batches = [["1,1,5,fine", "2,2,7,fine"], ["3,1,-9,why not", "4,1,1,fine", "x,1,1,when"], ["9,2,2,fine"]]
    seen = _run(spark, tmp_path, [COUNTS], batches, engine, memory, readings)
    transferred = _run(spark, tmp_path, [COUNTS], batches, "duckdb", memory, readings)
    assert len(seen.rejected) == 2
    assert any("why not" in text for _, text in seen.rejected)
    assert (seen.rejected, seen.answers, seen.counted) == (
        transferred.rejected,
        transferred.answers,
        transferred.counted,
    )
    assert seen.readings[:2] == [NARROW, NARROW]
    assert [reading for reading in seen.readings if reading != NARROW] == [Reading()] * 2, "the second and all after it"


@pytest.mark.parametrize("queries", LATE, ids=range(len(LATE)))
def test_late_rows_are_found_as_where_all_rows_are_transferred(
    spark: SparkSession, tmp_path: Path, readings: list[Reading], queries: list[str]
) -> None:
    batches = [
        ["1,1,5,a", "2.5,2,7,b", "3,1,1,c"],
        ["12,1,4,d", "11.5,2,2,e", "2,1,9,too late for some"],
        ["25,1,1,f", "3.5,1,4,late", "6,2,5,late or not seen", "9,2,5,g", "14,1,8,h", "19.9,3,3,i"],
        ["40,2,2,j", "39.5,2,2,k", "24.5,1,4,l", "1,1,1,m"],
    ]
    expected = _run(spark, tmp_path, queries, batches, "duckdb", 1 << 20, readings)
    assert expected.late or len(queries) > 1
    alone = [_run(spark, tmp_path, [text], batches, "duckdb", 1 << 20, readings).answers[0] for text in queries]
    for engine, memory in (("spark", 0), ("auto", 1 << 20)):
        seen = _run(spark, tmp_path, queries, batches, engine, memory, readings)
        assert not seen.readings[0].is_ordered, "it was staged"
        assert (seen.late, seen.counted) == (expected.late, expected.counted)
        assert seen.answers == alone, "a row that is late for one query only changes no answer of that query"


@pytest.mark.parametrize(("engine", "memory"), WAYS)
def test_a_row_too_far_ahead_is_rejected_on_the_executors(
    spark: SparkSession, tmp_path: Path, readings: list[Reading], engine: str, memory: int
) -> None:
    batches = [
        ["1,1,5,a", "2.5,2,7,b", "9998-01-01T00:00:00Z,1,1,wrong"],
        ["12,1,4,d", "9998-01-01T00:00:01Z,1,1,wrong", "1970-01-01T00:31:13Z,1,1,wrong too"],
        ["25,1,1,f", "1970-01-01T00:30:25Z,1,1,at the bound", "1970-01-01T01:00:00Z,1,1,in reach of it"],
    ]
    queries = [COUNTS, "SELECT count(*) AS n FROM s [LANDMARK SLIDE 1 HOUR RESET EVERY 2 HOURS]"]
    bounded = CSV.replace("1 SECOND)", "1 SECOND AHEAD AT MOST INTERVAL 30 MINUTES)")
    seen = _run(spark, tmp_path, queries, batches, engine, memory, readings, bounded)
    transferred = _run(spark, tmp_path, queries, batches, "duckdb", memory, readings, bounded)
    assert seen.readings[-1] == Reading()
    assert not seen.late
    assert seen.counted == (6, 0, 3)
    assert {reason for reason, _ in seen.rejected} == {
        "ts, its event time, is more than 30 minutes ahead of all others"
    }
    assert all("wrong" in text for _, text in seen.rejected)
    assert [n for _, n in seen.answers[1]] == ["5", "6"]
    assert (seen.rejected, seen.answers, seen.counted) == (
        transferred.rejected,
        transferred.answers,
        transferred.counted,
    )


@pytest.mark.parametrize("query", [COUNTS, "SELECT k, note FROM s WHERE v > 1"])
def test_a_leap_on_the_executors_is_told(
    spark: SparkSession,
    tmp_path: Path,
    readings: list[Reading],
    caplog: pytest.LogCaptureFixture,
    query: str,
) -> None:
    batches = [["1,1,5,a", "2.5,2,7,b"], ["3,1,5,c", "9998-01-01T00:00:00Z,1,1,wrong"], ["4,1,5,d"]]
    with caplog.at_level(logging.WARNING, "datacell"):
        _run(spark, tmp_path, [query], batches, "spark", 0, readings)
    (told,) = caplog.messages
    assert "from 1970-01-01 00:00:03+00:00 to 9998-01-01 00:00:00+00:00" in told


def _run(
    spark: SparkSession,
    root: Path,
    queries: list[str],
    batches: list[list[str]],
    engine: str,
    memory: int,
    readings: list[Reading],
    script: str = CSV,
) -> Seen:
    """Each batch is a file of its own; a row's time is in seconds."""
    number = len(list(root.iterdir()))
    source = root / f"in {number}"
    source.mkdir()
    for age, batch in enumerate(batches):
        path = source / f"{age}.csv"
        path.write_text("".join(f"{line}\n" for line in ["ts,k,v,note", *map(_line, batch)]))
        os.utime(path, (1_700_000_000 + age,) * 2)
    readings.clear()
    cell = datacell.connect(root / f"state {number}", spark=spark, engine=engine, driver_memory=memory)
    try:
        cell.sql(script.format(path=source))
        running = [cell.query(text) for text in queries]
        cell.run(once=True)
        progress = cell.works.scheduler.members.streams["s"].basket.progress
        return Seen(
            [sorted(_values(row) for result in query.results() for row in result) for query in running],
            _asked(cell, "SELECT ts, k, v, note FROM s__late"),
            _asked(cell, "SELECT reason, row FROM s__rejected"),
            (progress.rows, progress.late, progress.rejected),
            list(readings),
        )
    finally:
        cell.stop()


def _line(row: str) -> str:
    seconds, rest = row.split(",", 1)
    try:
        return f"1970-01-01T00:00:{float(seconds):04.1f}Z,{rest}"
    except ValueError:
        return row


def _asked(cell: datacell.Cell, text: str) -> list[tuple[Any, ...]]:
    answer = cell.sql(text)
    assert answer is not None
    return sorted(_values(row) for row in answer)


def _values(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(map(str, row.values()))
