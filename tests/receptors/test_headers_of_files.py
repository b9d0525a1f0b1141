"""Which columns the header of a file names, where rows stay on the cluster."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import datacell

pytestmark = pytest.mark.spark
HEADER = "k,v,note"
"""Of files with rows that are all sure."""


@pytest.mark.parametrize(
    ("second", "taken", "rejected"),
    [
        (f"{HEADER}\n3,3.0,c\n", 3, 0),
        (f"{HEADER}\n3,3.0,c\n{HEADER}\n", 3, 1),
        (f"{HEADER}\n3,3.0,c\nx,3.0,c\n", 3, 1),
        (f"{HEADER}\n3,3.0,c\n\n4,4.0,\n", 4, 0),
        ('k,v,note\n3,3.0,"c, d"\n', 3, 0),
        ("3,3.0,c\n", 2, 0),
        ("3,3.0,c\n4,4.0,d\n", 2, 1),
        ("v,k,note\n3.0,3,c\n", 2, 1),
        (f"{HEADER}\n", 2, 0),
        ("", 2, 0),
    ],
)
@pytest.mark.parametrize("batches", [1, 2])
def test_a_header_is_no_row_and_nothing_else_is_a_header(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    second: str,
    taken: int,
    rejected: int,
    batches: int,
) -> None:
    monkeypatch.setattr("datacell.cell.intake.LITTLE", -1)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.csv").write_text(f"{HEADER}\n1,1.0,a\n2,2.0,b\n")
    (tmp_path / "in" / "1.csv").write_text(second)
    cell = datacell.connect(tmp_path / "state", spark=spark)
    try:
        options = f"format = 'csv', header = 'true', path = '{tmp_path / 'in'}', maxFilesPerTrigger = '{3 - batches}'"
        cell.sql(f"CREATE STREAM s (k INT, v DOUBLE, note STRING) WITH ({options})")
        cell.sql("CREATE CONTINUOUS QUERY q AS SELECT * FROM s WHERE k > 1")
        cell.sql(f"CREATE EMITTER o FROM q WITH (format = 'csv', path = '{tmp_path / 'out'}')")
        cell.run(once=True)
        progress = cell.works.scheduler.members.streams["s"].basket.progress
        assert (progress.rows, progress.rejected) == (taken, rejected)
    finally:
        cell.stop()
    parts = [part.read_text().splitlines()[1:] for part in sorted((tmp_path / "out").glob("part-*.csv"))]
    assert sum(map(len, parts)) == taken - 1
