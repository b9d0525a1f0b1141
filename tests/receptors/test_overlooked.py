"""No file is passed over unsaid: neither an old one, nor one that has changed, nor one in a directory below."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.errors import SourceError

pytestmark = pytest.mark.spark

LONG_AGO, FAR_AHEAD = 1_000_000_000, 4_000_000_000
"""Seconds: in 2001, and in 2096."""


def rows(spark: SparkSession, root: Path, path: str = "in", options: str = "") -> tuple[int, str]:
    """How many rows a run finds, that goes on with what was read before; and what is said of the stream."""
    cell = datacell.connect(root / "state", spark=spark)
    try:
        cell.sql(f"CREATE STREAM s (k INT) WITH (format = 'csv', path = '{path}'{options})")
        cell.run(once=True)
        shown = cell.sql("SHOW STREAMS")
        assert shown is not None
        found = shown.to_pylist()[0]
        return found["rows"], found["remark"]
    finally:
        cell.stop()


def write(path: Path, content: str, seconds: int) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    os.utime(path, (seconds, seconds))


@pytest.mark.parametrize(("first", "then"), [(1_700_000_000, LONG_AGO), (FAR_AHEAD, 1_700_000_000)])
def test_a_file_is_read_however_old_it_is(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int, then: int
) -> None:
    """Spark passes over files that are a week older than the newest one. The path is relative."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in" / "first.csv", "1\n", first)
    assert rows(spark, tmp_path) == (1, "")
    write(tmp_path / "in" / "then.csv", "2\n", then)
    assert rows(spark, tmp_path) == (2, "")


def test_a_file_that_grows_is_told_of(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    grown = tmp_path / "in" / "grö ßer.csv"
    write(grown, "1\n", 1_700_000_000)
    assert rows(spark, tmp_path) == (1, "")
    assert not caplog.messages
    write(grown, "1\n2\n", 1_700_000_001)
    assert rows(spark, tmp_path) == (1, "1 file changed after being read, such as grö ßer.csv")
    assert f"{grown} has changed since it was read, and is not read again" in caplog.text


def test_a_directory_below_is_told_of(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in" / "1.csv", "1\n", 1_700_000_000)
    write(tmp_path / "in" / "below" / "2.csv", "2\n", 1_700_000_000)
    found, remark = rows(spark, tmp_path)
    assert found == 1
    assert "nothing is read in the directory below of in" in remark
    assert "nothing is read in the directory below of in" in caplog.text


def test_all_that_is_below_is_read_if_that_is_asked_for(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in" / "1.csv", "1\n", 1_700_000_000)
    write(tmp_path / "in" / "below" / "2.csv", "2\n", 1_700_000_000)
    assert rows(spark, tmp_path, options=", recursiveFileLookup = 'true'") == (2, "")


@pytest.mark.parametrize("path", ["state", "./state/", "stat*"])
def test_a_stream_does_not_read_its_own_checkpoint(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match="stream s would read its own checkpoint"):
        rows(spark, tmp_path, path)
