"""Spark's log of a source is made to say what was noted when a batch was taken, or an error names what is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from datacell.errors import CheckpointError
from datacell.receptors.spark_log import Note, SparkLog

LAST = 3


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Batches 0 to 3 were planned; 0 to 2 were committed."""
    found = tmp_path / "log"
    for batch in range(LAST + 1):
        _write(found / "offsets" / str(batch), f'v1\n{{}}\n{{"logOffset":{batch}}}')
        _write(found / "sources" / "0" / str(batch), f'v1\n{{"path":"file:///in/{batch}.csv","batchId":{batch}}}')
    for batch in range(LAST):
        _write(found / "commits" / str(batch), 'v1\n{"nextBatchWatermarkMs":0}')
    _write(found / "metadata", '{"id":"1"}')
    return found


def prepared(log: Path, note: Note) -> dict[str, str]:
    """What the log says when it was made fit to go on with."""
    SparkLog(log).prepare(LAST, note)
    return {p.relative_to(log).as_posix(): p.read_text() for p in log.rglob("*") if p.is_file()}


@pytest.mark.parametrize("name", ["offsets/3", "offsets/2", "metadata"])
@pytest.mark.parametrize("content", [None, "", "v1\n{}", 'v1\n{}\n{"logOffset":1}'])
def test_plans_are_written_again(log: Path, name: str, content: str | None) -> None:
    note, before = SparkLog(log).note(LAST), (log / name).read_text()
    (log / name).unlink()
    if content is not None:
        _write(log / name, content)
    assert prepared(log, note)[name] == before


def test_the_plans_of_all_batches_may_be_gone(log: Path) -> None:
    note = SparkLog(log).note(LAST)
    for name in ("offsets", "commits"):
        shutil.rmtree(log / name)
    assert {"offsets/2", "offsets/3"} <= prepared(log, note).keys()


def test_what_was_planned_beyond_is_planned_again(log: Path) -> None:
    note = SparkLog(log).note(LAST)
    _write(log / "offsets" / "4", "v1\n")
    _write(log / "sources" / "0" / "4", "")
    assert prepared(log, note).keys() & {"offsets/4", "sources/0/4"} == set()


@pytest.mark.parametrize("content", ["", "{", "v1"])
def test_a_batch_whose_commit_is_damaged_is_repeated(log: Path, content: str) -> None:
    note = SparkLog(log).note(LAST)
    _write(log / "commits" / "2", content)
    found = prepared(log, note)
    assert "commits/2" not in found
    assert "commits/1" in found


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda path: path.unlink(), "is missing"),
        (lambda path: path.write_text(""), "it has 0 bytes"),
        (lambda path: path.write_text(path.read_text().replace("/in/", "/on/")), "its content is not what was written"),
    ],
)
@pytest.mark.parametrize("name", ["0", "3"])
def test_which_files_were_read_cannot_be_made_again(
    log: Path, name: str, damage: Callable[[Path], object], told: str
) -> None:
    note, path = SparkLog(log).note(LAST), log / "sources" / "0" / name
    damage(path)
    with pytest.raises(CheckpointError, match=rf"sources/0/{name} is .*{told}.*how far Spark has read|{told}"):
        prepared(log, note)


def test_what_spark_has_compacted_since_need_not_be_there(log: Path) -> None:
    note = SparkLog(log).note(LAST)
    _write(log / "sources" / "0" / "9.compact", "v1\n{}")
    for batch in range(LAST + 1):
        (log / "sources" / "0" / str(batch)).unlink()
    assert "sources/0/9.compact" in prepared(log, note)


def test_spark_cannot_have_come_further_than_the_stream(log: Path) -> None:
    note = SparkLog(log).note(LAST)
    _write(log / "commits" / "7", "v1\n{}")
    with pytest.raises(CheckpointError, match="it has committed batch 7, and the stream has taken no batch after 3"):
        prepared(log, note)


@pytest.mark.parametrize("taken", [0, 1])
def test_what_was_counted_as_read_and_not_taken_is_planned_again(log: Path, taken: int) -> None:
    note = SparkLog(log, most_ahead=2).note(taken)
    again = SparkLog(log, most_ahead=2)
    again.prepare(taken, note)
    expected = {str(n) for n in range(taken + 1)}
    for place in ("commits", "offsets", "sources/0"):
        assert {path.name for path in (log / place).iterdir()} == expected, place
    _write(log / "commits" / str(taken + 1), "v1\n{}")
    again.take_back(taken)
    assert {path.name for path in (log / "commits").iterdir()} == expected


def test_spark_cannot_be_further_ahead_than_batches_are_taken_behind_it(log: Path) -> None:
    note = SparkLog(log, most_ahead=1).note(0)
    with pytest.raises(CheckpointError, match="it has committed batch 2, and the stream has taken no batch after 0"):
        SparkLog(log, most_ahead=1).prepare(0, note)


def test_what_spark_has_compacted_beyond_stays(log: Path) -> None:
    """It has what was read before, too."""
    note = SparkLog(log, most_ahead=2).note(1)
    _write(log / "sources" / "0" / "9.compact", "v1\n{}")
    _write(log / "sources" / "0" / "10", "v1\n{}")
    SparkLog(log, most_ahead=2).prepare(1, note)
    assert {path.name for path in (log / "sources" / "0").iterdir()} == {"0", "1", "9.compact"}


def test_of_a_spool_the_files_that_were_read_are_deleted_and_batches_are_counted_on(log: Path, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    for batch in (3, 4):
        _write(spool / f"{batch}.csv", "1")
    note = SparkLog(log, spool).note(LAST)
    assert note == {"read": ["3.csv"]}
    again = SparkLog(log, spool)
    again.prepare(LAST, note)
    assert again.base == LAST + 1
    assert not (log / "offsets").exists()
    assert [path.name for path in spool.iterdir()] == ["4.csv"]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
