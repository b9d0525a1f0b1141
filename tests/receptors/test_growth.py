"""What a checkpoint has does not grow with the number of pushes, once their rows are answered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.cell.cell import Cell
from datacell.receptors import spark_log

pytestmark = pytest.mark.spark


def test_a_checkpoint_does_not_grow_with_the_number_of_pushes(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new log of Spark's begins after so many files that the test need not push thousands."""
    monkeypatch.setattr(spark_log, "MOST_FILES", 4)
    cell = datacell.connect(tmp_path / "state", spark=spark)
    cell.sql("CREATE STREAM s (i INT); CREATE CONTINUOUS QUERY q AS SELECT i FROM s")
    cell.sql(f"CREATE EMITTER out FROM q WITH (format = 'csv', path = '{tmp_path / 'out'}')")
    sizes, logs = [], set[str]()
    cell.start()
    basket = cell.works.scheduler.members.streams["s"].basket
    for number in range(18):
        cell.push("s", [(number,)])
        _wait(cell, lambda: basket.progress.rows > number)  # noqa: B023 - called at once
        _wait(cell, lambda: not list((tmp_path / "state" / "spool" / "s").glob("[0-9]*")))
        logs.add((tmp_path / "state" / "streams" / "s" / "spark" / "metadata").read_text())
        sizes.append(len([p for p in (tmp_path / "state").rglob("*") if p.is_file()]))
    cell.stop()
    assert len(logs) >= 3
    assert max(sizes[9:]) <= max(sizes[:9]) + 2
    lines = [line for part in (tmp_path / "out").glob("part-*.csv") for line in part.read_text().splitlines()[1:]]
    assert sorted(map(int, lines)) == list(range(18))


def _wait(cell: Cell, done: Callable[[], bool]) -> None:
    for _ in range(600):
        if done():
            return
        cell.check()
        cell._stopping.wait(0.05)
    raise AssertionError("it does not come to pass")
