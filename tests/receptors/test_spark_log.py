"""What Spark has written down of a source is held against what the stream has taken."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import datacell

pytestmark = pytest.mark.spark


def answered(spark: SparkSession, state: Path, values: list[int]) -> list[int]:
    cell = datacell.connect(state, spark=spark)
    try:
        cell.sql("CREATE STREAM s (i INT); CREATE CONTINUOUS QUERY q AS SELECT i FROM s")
        for value in values:
            cell.push("s", [(value,)])
        cell.run(once=True)
        answer = cell.sql("SELECT i FROM q")
        assert answer is not None
        return [row["i"] for row in answer.to_pylist()]
    finally:
        cell.stop()


@pytest.mark.parametrize("place", ["a new, other place", "näher (50%) & so+on", "一 it's x"])
def test_a_checkpoint_may_be_moved_with_rows_that_wait(spark: SparkSession, tmp_path: Path, place: str) -> None:
    """What was read before it moved is not read again."""
    state, moved = tmp_path / "state", tmp_path / place
    answered(spark, state, [1])
    cell = datacell.connect(state, spark=spark)
    cell.sql("CREATE STREAM s (i INT)")
    cell.push("s", [(2,)])
    cell.stop()
    state.rename(moved)
    assert answered(spark, moved, [3]) == [2, 3]


@pytest.mark.parametrize("gone", ["offsets", ".", "commits", "sources"])
def test_of_a_spool_no_log_is_needed(spark: SparkSession, tmp_path: Path, gone: str) -> None:
    """What was read of it is known from the stream's own progress."""
    answered(spark, tmp_path, [1])
    shutil.rmtree(tmp_path / "streams" / "s" / "spark" / gone)
    assert answered(spark, tmp_path, [2]) == [2]
