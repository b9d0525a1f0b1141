"""Columns that nobody names are called as in Spark, also where it cannot be asked. The coverage suite asks it."""

from __future__ import annotations

import pytest

from datacell.sql import script
from sample import defined

STREAM = "CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, st STRUCT<x: INT>, WATERMARK FOR ts AS ts);"


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("k", "k"),
        ("s.k", "k"),
        ("st.x", "x"),
        ("count(*)", "count(1)"),
        ("SUM(v)", "sum(v)"),
        ("count(DISTINCT k, v)", "count(DISTINCT k, v)"),
        ("max(k + 1) * 2", "(max((k + 1)) * 2)"),
        ("k = 1 AND v > 0.5 OR NOT k <= 3", "(((k = 1) AND (v > 0.5)) OR (NOT (k <= 3)))"),
        ("k <> 2", "(NOT (k = 2))"),
        ("-k", "(- k)"),
        ("-1", "-1"),
        ("'a b'", "a b"),
        ("k IS NOT NULL", "(k IS NOT NULL)"),
        ("CAST(k AS STRING)", "CAST(k AS STRING)"),
        ("CASE WHEN k > 1 THEN 'x' ELSE NULL END", "CASE WHEN (k > 1) THEN x ELSE NULL END"),
        ("coalesce(k, 0)", "coalesce(k, 0)"),
    ],
)
def test_a_column_is_called_as_in_spark(written: str, name: str) -> None:
    query = script.query(f"SELECT {written} FROM s [LANDMARK SLIDE 1 HOUR]", defined(STREAM))
    assert query.names[-1] == name
