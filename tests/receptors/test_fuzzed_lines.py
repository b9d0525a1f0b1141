"""A sample of what `receptors.fuzzing` does at length."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from datacell.cell.cell import Cell
from receptors.fuzzing import check

pytestmark = pytest.mark.spark


def test_every_good_row_between_bad_lines_is_answered(spark: SparkSession, cell: Cell, tmp_path: Path) -> None:
    found = check(cell, tmp_path, 600, 7)
    assert min(found.values()) > 100
