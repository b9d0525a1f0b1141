"""A drained run counts every row in every window that it is in, on every engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from datacell.bench.drained import Drained, drain
from datacell.bench.stream_files import Shape, write
from datacell.bench.volume import QUERY, WINDOWS_PER_ROW
from datacell.cell.cell import connect
from datacell.errors import DataCellError


@pytest.mark.spark
@pytest.mark.parametrize(("engine", "files_per_batch"), [("auto", 2), ("spark", None)])
def test_the_answers_of_volume_count_every_row(
    tmp_path: Path, spark: SparkSession, engine: str, files_per_batch: int | None
) -> None:
    write(tmp_path / "files", Shape(rows=4_000, files=4, seconds=240, keys=10))
    cell = connect(checkpoint=tmp_path / "state", spark=spark, engine=engine)
    try:
        drained = drain(cell, tmp_path / "files", QUERY, files_per_batch)
    finally:
        cell.stop()
    drained.check(WINDOWS_PER_ROW * 4_000)


def test_a_wrong_total_is_an_error() -> None:
    with pytest.raises(DataCellError, match="count 3 rows instead of 4"):
        Drained(1.0, 3, None).check(4)
