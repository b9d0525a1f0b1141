"""Families in a cell: what people see of them, what emitters deliver, and how a run goes on from a checkpoint."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import datacell
from test_cell import source

QUERY = "SELECT k, sum(v) AS total FROM s [RANGE 2 SECONDS SLIDE 1 SECOND] WHERE v > {} AND v <= 8 GROUP BY k"
LOWS = (4, 5, 6, 6)


def created(cell: datacell.Cell, tmp_path: Path) -> None:
    cell.sql(source(tmp_path))
    for number, low in enumerate(LOWS):
        cell.query(QUERY.format(low), name=f"q{number}")
        target = tmp_path / "out" / str(number)
        cell.sql(f"CREATE EMITTER e{number} FROM q{number} WITH (format = 'csv', path = '{target}', header = 'true')")


def delivered(tmp_path: Path, number: int) -> set[tuple[str, str, str]]:
    files = sorted((tmp_path / "out" / str(number)).glob("*.csv"))
    rows = [row for file in files for row in csv.DictReader(file.read_text().splitlines())]
    return {(row["window_end"][17:19], row["k"], row["total"]) for row in rows}


def shown(cell: datacell.Cell, statement: str) -> list[dict[str, Any]]:
    found = cell.sql(statement)
    assert found is not None
    return found.to_pylist()


def test_each_member_gets_its_own_answers(spark: SparkSession, tmp_path: Path) -> None:
    cell = datacell.connect(tmp_path / "ck", spark=spark)
    created(cell, tmp_path)
    assert [row["shared"] for row in shown(cell, "SHOW QUERIES")] == [
        "",
        "family of 3: one plan, with q2, q3",
        "family of 3: one plan, with q1, q3",
        "family of 3: one plan, with q1, q2",
    ]
    cell.run(once=True)
    seven = {("03", "2", "7.0"), ("04", "2", "7.0")}
    assert delivered(tmp_path, 0) == seven | {("02", "1", "5.0"), ("03", "1", "5.0")}
    assert [delivered(tmp_path, number) for number in (1, 2, 3)] == [seven] * 3
    assert shown(cell, "SELECT * FROM q1") == []
    shares = shown(cell, "EXPLAIN ANALYZE q1")
    assert all(abs(3 * row["its share ms"] - row["observed ms"]) < 1e-9 for row in shares if row["observed ms"])
    cell.stop()


def test_a_family_goes_on_after_a_restart(spark: SparkSession, tmp_path: Path) -> None:
    cell = datacell.connect(tmp_path / "ck", spark=spark)
    created(cell, tmp_path)
    cell.run(once=True)
    cell.sql("DROP EMITTER e3; DROP CONTINUOUS QUERY q3")
    cell.stop()
    more = "ts,k,v\n2024-01-01T00:00:21Z,3,5.5\n2024-01-01T00:00:22Z,4,8\n"
    (tmp_path / "in" / "1.csv").write_text(more)
    again = datacell.connect(tmp_path / "ck", spark=spark)
    again.sql(source(tmp_path))
    for number in (2, 1, 0):
        again.query(QUERY.format(LOWS[number]), name=f"q{number}")
        target = tmp_path / "out" / str(number)
        again.sql(f"CREATE EMITTER e{number} FROM q{number} WITH (format = 'csv', path = '{target}', header = 'true')")
    again.query(QUERY.format(7), name="late")
    late = again.query(QUERY.format(7.5), name="later")
    again.run(once=True)
    eight = {("23", "4", "8.0"), ("24", "4", "8.0")}
    new = {("22", "3", "5.5"), ("23", "3", "5.5")}
    first = {("03", "2", "7.0"), ("04", "2", "7.0")}
    assert delivered(tmp_path, 1) == first | new | eight
    assert delivered(tmp_path, 2) == first | eight
    assert {(str(row["window_end"].second), str(row["k"])) for result in late.results() for row in result} == {
        ("23", "4"),
        ("24", "4"),
    }
    assert shown(again, "SHOW QUERIES")[-1]["shared"] == "family of 4: one plan, with q2, q1, late"
    again.stop()
