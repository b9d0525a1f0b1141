"""A checkpoint must be the same directory for the driver and for executors. `tests/cluster` tries it on a cluster."""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest
from pyspark.sql import DataFrame, DataFrameReader, SparkSession

from datacell.errors import CheckpointError
from datacell.runtime.storage import files, reach


@pytest.fixture
def clustered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The session of the tests is taken for one on a cluster."""
    monkeypatch.setattr(reach, "is_local", lambda _: False)


@pytest.fixture
def vanishing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver lists the files, and they are gone when a task opens them: so it is where the directory is another."""
    text = DataFrameReader.text

    def listed_then_gone(reader: DataFrameReader, path: str) -> DataFrame:
        frame = text(reader, path)
        shutil.rmtree(url2pathname(urlparse(path).path))
        return frame

    monkeypatch.setattr(DataFrameReader, "text", listed_then_gone)


def test_a_local_session_has_nothing_to_try(spark: SparkSession, tmp_path: Path) -> None:
    reach.check(spark, tmp_path / "not there")
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("clustered")
def test_a_directory_that_both_see_is_left_as_it_was(spark: SparkSession, tmp_path: Path) -> None:
    reach.check(spark, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("clustered", "vanishing")
def test_a_directory_that_executors_see_empty_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(
        CheckpointError, match=r"the checkpoint .* executors: 0 of \d+ files came back\nhint: on a cluster"
    ):
        reach.check(spark, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("clustered", "vanishing")
def test_a_temporary_directory_is_called_one(spark: SparkSession) -> None:
    with (
        files.temporary_directory() as root,
        pytest.raises(CheckpointError, match=r"the temporary directory .*\n.*--checkpoint DIR"),
    ):
        reach.check(spark, root)


@pytest.mark.usefixtures("clustered")
def test_a_directory_that_executors_may_not_write_is_refused_with_the_reason(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file stands where the copies should go."""
    write = files.write

    def blocked(path: Path, fill: object) -> None:
        write(path, fill)  # type: ignore[arg-type]
        (path.parent.parent / "copies").touch()

    monkeypatch.setattr(files, "write", blocked)
    with pytest.raises(CheckpointError, match=r"the checkpoint .* is not the same for the driver .*copies"):
        reach.check(spark, tmp_path)
