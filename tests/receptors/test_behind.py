"""A batch of files is taken while Spark plans the next: what goes wrong with it is noticed, and nothing is lost."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.algebra import types
from datacell.algebra.definitions import StreamColumn, StreamDefinition
from datacell.errors import DataCellError, EngineError
from datacell.receptors.behind import AT_ONCE, Behind, Take
from datacell.receptors.receptor import Receptor
from datacell.receptors.sources import open_source

pytestmark = pytest.mark.spark
LONGEST = 60.0


def write(folder: Path, number: int) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / f"{number}.csv"
    path.with_suffix(".tmp").write_text(f"i\n{number}\n")
    os.utime(path.with_suffix(".tmp"), (1_700_000_000 + number, 1_700_000_000 + number))
    path.with_suffix(".tmp").rename(path)


def opened(spark: SparkSession, root: Path) -> datacell.Cell:
    cell = datacell.connect(root / "state", spark=spark)
    path = f"path = '{root / 'in'}', pathGlobFilter = '*.csv', maxFilesPerTrigger = '1'"
    cell.sql(f"CREATE STREAM s (i INT) WITH (format = 'csv', header = 'true', {path})")
    cell.sql("CREATE CONTINUOUS QUERY q AS SELECT i FROM s")
    cell.sql(f"CREATE EMITTER o FROM q WITH (format = 'csv', path = '{root / 'out'}')")
    return cell


def delivered(root: Path) -> list[int]:
    parts = sorted((root / "out").glob("part-*.csv"))
    return [int(line) for part in parts for line in part.read_text().splitlines()[1:]]


class Failing:
    """Taking batches goes wrong at one number, so many times."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, number: int, times: int) -> None:
        self.left = times
        take = Receptor._take

        def failing(this: Receptor, frame: Any, at: int) -> Take:
            if at == number and self.left:
                self.left -= 1
                raise EngineError("it does not work")
            return take(this, frame, at)

        monkeypatch.setattr(Receptor, "_take", failing)


def test_batches_are_taken_in_order_and_none_after_one_that_was_not(spark: SparkSession) -> None:
    behind, frame, taken, may_go_on = Behind("some"), spark.range(1), list[int](), Event()

    def make(frame: Any, number: int) -> Take:
        def take() -> None:
            if number == 2:
                raise EngineError("it does not work")
            taken.append(number)

        if number == 0:
            may_go_on.wait(LONGEST)
        return take

    for number in range(AT_ONCE):
        behind.begin(make, frame, number)
    assert not taken
    may_go_on.set()
    behind.begin(make, frame, 2)
    with suppress(EngineError):  # it may be known by now
        behind.begin(make, frame, 3)
    with pytest.raises(EngineError):
        behind.finish()
    assert isinstance(behind.forget(), EngineError)
    assert taken == [0, 1]
    behind.begin(make, frame, 3)
    behind.finish()
    behind.close()
    assert taken == [0, 1, 3]


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_batch_that_was_not_taken_is_read_by_the_next_run(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    for file in range(4):
        write(tmp_path / "in", file)
    Failing(monkeypatch, number, times=1)
    cell = opened(spark, tmp_path)
    with pytest.raises(DataCellError, match="it does not work"):
        cell.run(once=True)
    cell.stop()
    cell = opened(spark, tmp_path)
    cell.run(once=True)
    cell.stop()
    assert delivered(tmp_path) == [0, 1, 2, 3]


def test_the_last_batch_that_came_is_tried_again(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No other batch comes that would show what went wrong."""
    monkeypatch.setattr("datacell.receptors.retrying.FIRST_PAUSE", 0.1)
    write(tmp_path / "in", 0)
    failing = Failing(monkeypatch, 0, times=1)
    cell = opened(spark, tmp_path)
    cell.start()
    started = time.monotonic()
    while delivered(tmp_path) != [0] and time.monotonic() < started + LONGEST:
        time.sleep(0.05)
    cell.stop()
    assert not failing.left
    assert delivered(tmp_path) == [0]


def test_spark_plans_the_next_batch_while_one_is_taken(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not where the source forgets what Spark has read."""
    planned = Event()
    take = Receptor._take

    def waiting(this: Receptor, frame: Any, at: int) -> Take:
        offsets = this.checkpoint / "offsets"
        while at == 0 and not (offsets / "1").exists() and time.monotonic() < started + LONGEST:
            time.sleep(0.01)
        planned.set() if at == 0 and (offsets / "1").exists() else None
        return take(this, frame, at)

    monkeypatch.setattr(Receptor, "_take", waiting)
    write(tmp_path / "in", 0)
    write(tmp_path / "in", 1)
    started = time.monotonic()
    cell = opened(spark, tmp_path)
    cell.run(once=True)
    cell.stop()
    assert planned.is_set()
    assert delivered(tmp_path) == [0, 1]


@pytest.mark.parametrize(
    ("options", "stays"),
    [
        ({"format": "csv"}, True),
        ({"format": "parquet", "cleanSource": "delete"}, False),
        ({"format": "csv", "cleansource": "archive"}, False),
        ({"format": "rate"}, False),
    ],
)
def test_what_may_go_once_it_was_read_is_taken_first(
    spark: SparkSession, tmp_path: Path, options: dict[str, str], stays: bool
) -> None:
    columns = (StreamColumn("timestamp", types.TIMESTAMP), StreamColumn("value", types.BIGINT))
    path = {} if options["format"] == "rate" else {"path": str(tmp_path)}
    source = open_source(spark, StreamDefinition("s", columns, options=(*options.items(), *path.items())))
    assert source.can_be_read_again == stays
