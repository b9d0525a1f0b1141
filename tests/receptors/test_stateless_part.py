"""At every instant: what needs no state is made on the executors, and only rows that pass come to the driver."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.cell import intake

pytestmark = pytest.mark.spark
ROWS, KEYS = 6000, 50
EVENT_TIME = "WATERMARK FOR ts AS ts - INTERVAL 1 SECOND"
STREAM = (
    "CREATE STREAM s (ts TIMESTAMP, k INT, v INT, note STRING{time}) "
    "WITH (format = 'csv', path = '{path}', header = 'true', maxFilesPerTrigger = '1')"
)
TABLE = (
    "CREATE OR REPLACE VIEW few TBLPROPERTIES ('datacell.refresh' = 'never') "
    "AS SELECT * FROM VALUES (7, 'seven'), (9, 'nine'), (9, 'IX') AS few(k, name)"
)
PASSING = {
    "SELECT k, v, note FROM s [RANGE 2 SECONDS] WHERE k = 7": ROWS // KEYS,
    "SELECT k, count(*) AS n, sum(v) AS t FROM s [RANGE 2 SECONDS] WHERE k < 2 GROUP BY k": 2 * ROWS // KEYS,
    "SELECT few.name, v FROM s [FIXED 3 SECONDS] JOIN few ON s.k = few.k": 3 * ROWS // KEYS,
    "SELECT DISTINCT v % 3 AS m FROM s [RANGE 1 SECOND] WHERE k = 7": ROWS // KEYS,
    "SELECT a.v, b.v AS w FROM s [NOW] a JOIN s [RANGE 1 SECOND] b ON a.v = b.v + 50 WHERE a.k = 3 AND b.k = 3": (
        2 * ROWS // KEYS
    ),
    "SELECT count(*) AS n FROM s [RANGE 2 SECONDS] WHERE k = 7": ROWS // KEYS + ROWS // 10,
}
"""Queries, and how many rows come to the driver; if nothing is grouped, also the instants at which there are any."""

WAYS = [("spark", 1 << 28), ("auto", 0), ("auto", 1 << 28)]


@dataclass(frozen=True)
class Seen:
    answers: list[tuple[Any, ...]]
    stream: dict[str, Any]


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Micro-batches are taken for large ones."""
    monkeypatch.setattr(intake, "LITTLE", -1)
    monkeypatch.setattr(intake, "HYSTERESIS", float("inf"))


@pytest.fixture(autouse=True, scope="module")
def no_view_is_left(spark: SparkSession) -> Iterator[None]:
    yield
    spark.sql("DROP VIEW IF EXISTS few")


@pytest.mark.parametrize("text", PASSING)
def test_only_rows_that_pass_come_to_the_driver(spark: SparkSession, tmp_path: Path, text: str) -> None:
    lines = _lines()
    parts = [lines[:2500], lines[2500:2600], lines[2600:]]
    expected = _run(spark, tmp_path, text, parts, "duckdb", 1 << 28)
    assert expected.answers
    assert expected.stream["to driver"] == ROWS
    for engine, memory in WAYS:
        seen = _run(spark, tmp_path, text, parts, engine, memory)
        assert seen.answers == expected.answers
        assert seen.stream["to driver"] == PASSING[text], (engine, memory)
        assert (seen.stream["rows"], seen.stream["in basket"]) == (ROWS, 0)


def test_where_there_is_nothing_to_leave_out_rows_are_transferred(spark: SparkSession, tmp_path: Path) -> None:
    text = "SELECT ts, k, v, note FROM s [RANGE 2 SECONDS]"
    seen = _run(spark, tmp_path, text, [_lines()[:300]], "spark", 0)
    assert seen.stream["to driver"] == len(seen.answers) == 300


@pytest.mark.parametrize("text", [*PASSING][:2])
def test_after_a_restart_the_answer_goes_on(spark: SparkSession, tmp_path: Path, text: str) -> None:
    """The first cell stops while rows are valid that the second has to show; rejected and late rows are counted."""
    lines = _lines()
    parts = [lines[:2000], [*lines[2000:3500], "x,7,1,when"], [*lines[3500:], lines[7]]]
    expected = _run(spark, tmp_path, text, parts, "duckdb", 1 << 28)
    seen = _run(spark, tmp_path, text, parts, "spark", 0, restarts=True)
    assert seen.answers == expected.answers
    assert [seen.stream[name] for name in ("rows", "late", "rejected")] == [ROWS, 1, 1]
    assert seen.stream["in basket"] == 0


def test_rows_whose_time_is_their_arrival_begin_when_their_batch_comes(spark: SparkSession, tmp_path: Path) -> None:
    text = "SELECT v FROM s [RANGE 2 SECONDS] WHERE k = 7"
    parts = [_lines()[:1000], _lines()[1000:1500]]
    seen = _run(spark, tmp_path, text, parts, "spark", 0, time="")
    assert seen.stream["to driver"] == len(seen.answers) == 1500 // KEYS
    begin = [begins for begins, _, _ in seen.answers]
    assert sorted(map(begin.count, set(begin))) == [500 // KEYS, 1000 // KEYS]


def _run(
    spark: SparkSession,
    root: Path,
    text: str,
    parts: Sequence[Sequence[str]],
    engine: str,
    memory: int,
    restarts: bool = False,
    time: str = f", {EVENT_TIME}",
) -> Seen:
    """Each part is a file, so a micro-batch; if it restarts, a cell of its own reads the last."""
    number = len(list(root.iterdir()))
    source, state = root / f"in {number}", root / f"state {number}"
    source.mkdir()
    if restarts:
        _write(source, parts[:-1])
        cell, _ = _cell(spark, source, state, text, engine, memory, time)
        cell.start()
        basket, until = cell.works.scheduler.members.streams["s"].basket, monotonic() + 120
        try:
            while basket.last_batch < len(parts) - 2:
                cell.check()
                assert monotonic() < until
                sleep(0.02)
            cell.works.scheduler.wait()
            assert memory or not cell.works.memory.has_room_for("anybody", 0), "what was made is on the account"
        finally:
            cell.stop()
    _write(source, parts)
    cell, query = _cell(spark, source, state, text, engine, memory, time)
    try:
        cell.run(once=True)
        shown = cell.sql("SHOW STREAMS")
        assert shown is not None
        answers = sorted(tuple(map(str, row.values())) for result in query.results() for row in result)
        return Seen(answers, next(iter(shown)))
    finally:
        cell.stop()


def _cell(
    spark: SparkSession, source: Path, state: Path, text: str, engine: str, memory: int, time: str
) -> tuple[datacell.Cell, datacell.RunningQuery]:
    cell = datacell.connect(state, spark=spark, engine=engine, driver_memory=memory)
    cell.sql(TABLE)
    cell.sql(STREAM.format(path=source, time=time))
    return cell, cell.query(text, name="q")


def _write(source: Path, parts: Sequence[Sequence[str]]) -> None:
    for age, part in enumerate(parts):
        path = source / f"{age}.csv"
        if not path.exists():
            path.write_text("".join(f"{line}\n" for line in ["ts,k,v,note", *part]))
            os.utime(path, (1_700_000_000 + age,) * 2)


def _lines() -> list[str]:
    """Ten rows come at every instant, a hundredth of a second apart."""
    return [f"1970-01-01T00:00:{n // 10 / 100:05.2f}Z,{n % KEYS},{n},note {n}" for n in range(ROWS)]
