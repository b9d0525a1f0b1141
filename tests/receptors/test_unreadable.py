"""A file that cannot be read stops its stream; who moves it away goes on without it, with the same checkpoint."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import datacell
from datacell.algebra import types
from datacell.algebra.definitions import StreamColumn, StreamDefinition
from datacell.cell.intake import Intake
from datacell.errors import SourceError
from datacell.receptors.behind import Take
from datacell.receptors.overlooked import Overlooked
from datacell.receptors.sources import Source

pytestmark = pytest.mark.spark

FILES, ROWS = 12, 3000


def write_files(directory: Path) -> None:
    directory.mkdir()
    for number in range(FILES):
        path = directory / f"{number:02}.csv.gz"
        path.write_bytes(gzip.compress("".join(f"{number * ROWS + row}\n" for row in range(ROWS)).encode()))
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))


def run(spark: SparkSession, root: Path, engine: str) -> None:
    cell = datacell.connect(root / "state", spark=spark, engine=engine)
    try:
        cell.sql(f"""
            CREATE STREAM s (n INT) WITH (format = 'csv', path = '{root / "in"}', maxFilesPerTrigger = '1');
            CREATE CONTINUOUS QUERY q AS SELECT n FROM s WHERE n % 1000 = 0;
            CREATE EMITTER e FROM q WITH (format = 'csv', path = '{root / "out"}', header = 'false')""")
        cell.run(once=True)
    finally:
        cell.stop()


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
@pytest.mark.parametrize("number", [0, 5, 9, 10])
def test_a_damaged_file_may_be_moved_away(spark: SparkSession, tmp_path: Path, number: int, engine: str) -> None:
    """Also where Spark has just put its list of files together, which it does with every tenth."""
    write_files(tmp_path / "in")
    damaged = tmp_path / "in" / f"{number:02}.csv.gz"
    damaged.write_bytes(damaged.read_bytes()[:2000])
    for _ in range(2):
        with pytest.raises(SourceError, match=rf"stream s stopped: the file \S+{damaged.name} cannot be read") as error:
            run(spark, tmp_path, engine)
        assert error.value.hint is not None
        assert "move it away" in error.value.hint
    damaged.rename(tmp_path / "damaged")
    run(spark, tmp_path, engine)
    expected = [n for n in range(0, FILES * ROWS, 1000) if n // ROWS != number]
    found = [line for part in (tmp_path / "out").glob("part-*") for line in part.read_text().split()]
    assert sorted(map(int, found)) == expected


def test_a_file_that_is_gone_when_its_turn_comes_stops_the_stream_once(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path / "in")
    gone, deposit = tmp_path / "in" / "05.csv.gz", Intake._deposit

    def late(self: Intake, stream: str, source: Source, number: int, frame: DataFrame) -> Take:
        if number == 5:
            gone.unlink(missing_ok=True)
        return deposit(self, stream, source, number, frame)

    monkeypatch.setattr(Intake, "_deposit", late)
    with pytest.raises(SourceError, match=rf"stream s stopped: the file \S+{gone.name} is gone"):
        run(spark, tmp_path, "duckdb")
    run(spark, tmp_path, "duckdb")
    found = [line for part in (tmp_path / "out").glob("part-*") for line in part.read_text().split()]
    assert len(found) == (FILES - 1) * ROWS // 1000


def test_a_file_that_was_gone_before_spark_looked_is_told_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Spark has it in its list, and takes it for an empty one."""
    overlooked = Overlooked(StreamDefinition("s", (StreamColumn("n", types.INT),)), tmp_path)
    (tmp_path / "there ö.csv").touch()
    overlooked.read((tmp_path / name).as_uri() for name in ("there ö.csv", "gone ö.csv"))
    assert overlooked.remark == "1 file gone before being read, such as gone ö.csv"
    assert f"stream s: {tmp_path / 'gone ö.csv'} is gone, and its rows are missing" in caplog.text
