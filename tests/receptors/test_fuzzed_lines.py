"""A sample of what `receptors.fuzzing` does at length."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from datacell.cell import intake
from datacell.cell.cell import Cell
from receptors.fuzzing import check

pytestmark = pytest.mark.spark


def test_every_good_row_between_bad_lines_is_answered(spark: SparkSession, cell: Cell, tmp_path: Path) -> None:
    found = check(cell, tmp_path, 600, 7)
    assert min(found.values()) > 100


def test_a_line_that_the_fast_reader_cannot_pass_is_passed_in_a_large_batch(
    cell: Cell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a batch stays on the cluster, its first stage fails; that is the line's fault, and no query's."""
    monkeypatch.setattr(intake, "LITTLE", 0)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.csv").write_text(f"1,a\n{',' * 25_000}\n2,b\n")
    cell.sql(f"CREATE STREAM s (i INT, s STRING) WITH (format = 'csv', path = '{tmp_path / 'in'}')")
    query = cell.query("SELECT i, s FROM s", name="q")
    cell.run(once=True)
    assert [row for result in query.results() for row in result] == [{"i": 1, "s": "a"}, {"i": 2, "s": "b"}]
    assert query.cell.statements.factory("q").stopped is None
