"""Scripts that are run again with an old checkpoint: moved, copied, changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.errors import CheckpointError, DataCellError

pytestmark = pytest.mark.spark

STREAM = """CREATE STREAM s (ts TIMESTAMP, i INT CHECK (i > 0), WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
  WITH (format = 'csv', path = '{root}/in', header = 'true', maxFilesPerTrigger = '1');"""
SCRIPT = f"""{STREAM}
CREATE CONTINUOUS QUERY q AS SELECT count(*) AS n, sum(i) AS total FROM s [RANGE 4 SECONDS SLIDE 2 SECONDS];
CREATE EMITTER out FROM q WITH (format = 'csv', path = '{{root}}/out');"""
CHANGES = {
    "lateness": ("2 SECONDS)", "3 SECONDS)"),
    "constraints": ("i > 0", "i > 1"),
    "columns": ("i INT", "i BIGINT"),
    "option header": ("header = 'true'", "header = 'false'"),
    "option path": ("/in'", "/other'"),
    "text": ("RANGE 4", "RANGE 6"),
    "option format": ("(format = 'csv', path = '{root}/out')", "(format = 'json', path = '{root}/out')"),
}


def run(spark: SparkSession, state: Path, script: str, memory: int = 1 << 28) -> None:
    cell = datacell.connect(state, spark=spark, engine="auto" if memory else "spark", driver_memory=memory)
    try:
        cell.sql(script)
        cell.run(once=True)
    finally:
        cell.stop()


def write(root: Path, number: int) -> None:
    (root / "in").mkdir(exist_ok=True)
    rows = "".join(f"2026-01-01T00:00:0{second}Z,{number}\n" for second in (2 * number, 2 * number + 1))
    (root / "in" / f"{number}.csv").write_text(f"ts,i\n{rows}")


def lines(root: Path) -> list[str]:
    return sorted(line for part in (root / "out").glob("part-*") for line in part.read_text().splitlines()[1:])


def test_what_has_changed_is_noticed(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, 1)
    shutil.copytree(tmp_path / "in", tmp_path / "other")
    script = SCRIPT.format(root=tmp_path)
    run(spark, tmp_path / "state", script)
    before = lines(tmp_path)
    for changed, (old, new) in CHANGES.items():
        other = SCRIPT.replace(old, new).format(root=tmp_path)
        assert other != script
        with pytest.raises(DataCellError, match=f"has changed since the checkpoint .* was made: its {changed}"):
            run(spark, tmp_path / "state", other)
    run(spark, tmp_path / "state", script.replace("maxFilesPerTrigger = '1'", "maxFilesPerTrigger = '2'"))
    assert lines(tmp_path) == before


@pytest.mark.parametrize("memory", [1 << 28, 0], ids=["in the driver", "on the cluster"])
def test_a_checkpoint_may_be_moved_and_copied(spark: SparkSession, tmp_path: Path, memory: int) -> None:
    """With what its queries keep, wherever that is. What was read before is not read again."""
    query = "CREATE CONTINUOUS QUERY q AS SELECT count(*) AS n FROM s [LANDMARK SLIDE 2 SECONDS];"
    script = f"{STREAM} {query}".format(root=tmp_path)
    write(tmp_path, 1)
    run(spark, tmp_path / "state", script, memory)
    shutil.copytree(tmp_path / "state", tmp_path / "a copy, elsewhere")
    (tmp_path / "state").rename(tmp_path / "moved")
    write(tmp_path, 3)
    for place in ("moved", "a copy, elsewhere"):
        cell = datacell.connect(
            tmp_path / place, spark=spark, engine="auto" if memory else "spark", driver_memory=memory
        )
        try:
            cell.sql(script)
            cell.run(once=True)
            answer = cell.sql("SELECT n FROM q")
            assert answer is not None
            assert answer.to_pylist() == [{"n": 4}]
        finally:
            cell.stop()


def test_spark_and_the_stream_must_agree_on_what_was_taken(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, 1)
    script = SCRIPT.format(root=tmp_path)
    run(spark, tmp_path / "state", script)
    log = tmp_path / "state" / "streams" / "s" / "spark"
    shutil.rmtree(log / "offsets")
    write(tmp_path, 2)
    run(spark, tmp_path / "state", script)
    (log / "commits" / "9").write_text("v1\n{}")
    with pytest.raises(CheckpointError, match="it has committed batch 9, and the stream has taken no batch after 1"):
        run(spark, tmp_path / "state", script)
