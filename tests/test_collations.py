"""Text with a collation is compared as Spark compares it, in streams and in tables, also inside of structs."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.errors import SqlError
from datacell.testing import Trial

STREAM = """
CREATE STREAM p (ts TIMESTAMP, k INT, c STRING COLLATE UTF8_LCASE, st STRUCT<x: STRING COLLATE UTF8_LCASE, y: INT>,
                 WATERMARK FOR ts AS ts)
"""
WINDOW = "[FIXED 1 MINUTE SLIDE 1 MINUTE]"
ROWS = [
    {"ts": "2026-01-01T00:00:01Z", "k": 1, "c": "a", "st": {"x": "q", "y": 1}},
    {"ts": "2026-01-01T00:00:02Z", "k": 2, "c": "A", "st": {"x": "Q", "y": 2}},
    {"ts": "2026-01-01T00:00:03Z", "k": 4, "c": "b", "st": None},
]


def test_streams_and_tables_are_compared_by_their_collations(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("DROP TABLE IF EXISTS named")
    cell = datacell.connect(tmp_path / "state", spark=spark)
    try:
        cell.sql(f"CREATE TABLE named (n STRING COLLATE UTF8_LCASE, v INT) USING parquet LOCATION '{tmp_path / 'n'}'")
        cell.sql("INSERT INTO named VALUES ('B', 7), ('A', 8)")
        cell.sql(STREAM)
        asked = {
            "groups": (f"SELECT sum(k) AS s FROM p {WINDOW} GROUP BY c", [3, 4], "opaque"),
            "fields": (f"SELECT sum(k) AS s FROM p {WINDOW} GROUP BY p.st.x", [3, 4], "opaque"),
            "joined": (f"SELECT v * k AS s FROM p {WINDOW} JOIN named ON named.n = p.c", [8, 16, 28], "opaque"),
            "others": (f"SELECT sum(k) AS s FROM p {WINDOW} WHERE st.y > 1", [2], "incremental"),
            "by_bytes": (f"SELECT sum(k) AS s FROM p {WINDOW} GROUP BY c COLLATE UTF8_BINARY", [1, 2, 4], "opaque"),
        }
        queries = {name: cell.query(text, name=name) for name, (text, _, _) in asked.items()}
        cell.push("p", ROWS)
        cell.sql("REFRESH TABLE named")
        cell.run(once=True)
        for name, (_, expected, _) in asked.items():
            found = [row["s"] for result in queries[name].results() for row in result.to_arrow().to_pylist()]
            assert sorted(found) == expected, name
        shown = cell.sql("SHOW QUERIES")
        assert shown is not None
        strategies = {row["query"]: row["strategy"] for row in shown.to_pylist()}
        assert strategies == {name: strategy for name, (_, _, strategy) in asked.items()}
    finally:
        cell.stop()
        spark.sql("DROP TABLE IF EXISTS named")


@pytest.mark.parametrize(
    "window", ["LATEST BY c SLIDE 1 MINUTE", "PARTITION BY c ROWS 3", "SESSION 1 MINUTE PARTITION BY c"]
)
def test_windows_do_not_tell_rows_apart_by_it(window: str) -> None:
    with pytest.raises(SqlError, match="c is string collate UTF8_LCASE, which does not tell keys apart"):
        Trial(f"{STREAM}; CREATE CONTINUOUS QUERY q AS SELECT k FROM p [{window}]")


def test_what_is_done_to_each_row_by_itself_is_not_opaque(spark: SparkSession, tmp_path: Path) -> None:
    cell = datacell.connect(tmp_path / "state", spark=spark)
    try:
        cell.sql(STREAM)
        asked = {
            "kept": (f"SELECT k, c FROM p {WINDOW} WHERE c = 'A'", [(1, "a"), (2, "A")], False),
            "made": (f"SELECT k, upper(c) AS u FROM p {WINDOW} WHERE k = 4", [(4, "B")], False),
            "told": (f"SELECT k, replace(c, 'A', 'x') AS u FROM p {WINDOW} WHERE k < 4", [(1, "x"), (2, "x")], False),
            "one": (f"SELECT count(*) AS k, max(k) AS u FROM p {WINDOW} WHERE c < 'B'", [(2, 2)], False),
            "sorted": (f"SELECT k, c FROM p {WINDOW} ORDER BY c DESC LIMIT 1", [(4, "b")], True),
        }
        queries = {name: cell.query(text, name=name) for name, (text, _, _) in asked.items()}
        cell.push("p", ROWS)
        cell.run(once=True)
        shown = cell.sql("SHOW QUERIES")
        assert shown is not None
        strategies = {row["query"]: row["strategy"] for row in shown.to_pylist()}
        for name, (_, expected, is_opaque) in asked.items():
            rows = (row for result in queries[name].results() for row in result.to_arrow().to_pylist())
            assert sorted(tuple(row.values())[-2:] for row in rows) == expected, name
            assert (strategies[name] == "opaque") is is_opaque, name
    finally:
        cell.stop()
