"""Files are read in the order of their age, and of equal ones in the order of their names."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pytest

import datacell
from datacell.receptors.file_order import FILE_ORDER, ordered

NAMES = ["a b.csv", "a!.csv", "a.csv", "b10.csv", "b2.csv", "ä.csv"]
"""In their order, which is not that of their spelling in a URL."""


def test_equal_times_go_by_names_as_they_are() -> None:
    spelled = ["a%20b.csv", "a!.csv", "a.csv", "b10.csv", "b2.csv", "%C3%A4.csv"]
    columns = {FILE_ORDER[0]: [7] * 6, FILE_ORDER[1]: spelled[::-1], FILE_ORDER[2]: [0] * 6}
    assert ordered(pa.table({"k": [5, 4, 3, 2, 1, 0], **columns}))["k"].to_pylist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.spark
@pytest.mark.parametrize(
    ("limit", "names"),
    [("", NAMES), (", maxFilesPerTrigger = '1'", ["a!.csv", "a.csv", "b10.csv", "b2.csv", "d.csv", "ä.csv"])],
)
def test_files_of_one_age_are_read_in_the_order_of_their_names(
    cell: datacell.Cell, tmp_path: Path, limit: str, names: list[str]
) -> None:
    (tmp_path / "in").mkdir()
    for number in (3, 0, 5, 1, 4, 2):
        path = tmp_path / "in" / names[number]
        path.write_text(f"{number}\n" * (1 + number % 3))
        os.utime(path, (1_700_000_000,) * 2)
    cell.sql(f"CREATE STREAM s (k INT) WITH (format = 'csv', path = '{tmp_path / 'in'}'{limit})")
    query = cell.query("SELECT k FROM s [ROWS 1 SLIDE 1]")
    cell.run(once=True)
    found = [row["k"] for result in query.results() for row in result]
    assert found == sorted(found)
    assert set(found) == set(range(6))
