"""What Spark has written down of a source is held against what the stream has taken."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.errors import CheckpointError

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


@pytest.mark.parametrize("gone", ["offsets", "."])
def test_a_log_that_is_gone_is_told(spark: SparkSession, tmp_path: Path, gone: str) -> None:
    """Spark would begin with batch 0 again, which the stream has taken."""
    answered(spark, tmp_path, [1])
    shutil.rmtree(tmp_path / "streams" / "s" / "spark" / gone)
    with pytest.raises(CheckpointError, match=r"offsets is missing\. It had how far Spark has read"):
        answered(spark, tmp_path, [2])


def test_a_log_that_is_older_than_the_stream_is_told(spark: SparkSession, tmp_path: Path) -> None:
    answered(spark, tmp_path, [1])
    log = tmp_path / "streams" / "s" / "spark"
    shutil.copytree(log, tmp_path / "copy")
    answered(spark, tmp_path, [2])
    shutil.rmtree(log)
    (tmp_path / "copy").rename(log)
    with pytest.raises(CheckpointError, match="it ends with batch 0, and the stream has taken batch 1"):
        answered(spark, tmp_path, [3])
