"""A receptor that was killed starts where its stream is: before the first batch afresh."""

from __future__ import annotations

from pathlib import Path

import pytest

from datacell.receptors import spark_log


@pytest.mark.parametrize(
    ("files", "kept"), [([".0.abc.tmp"], False), (["0"], True), ([".1.abc.tmp", "0"], True), ([], False)]
)
def test_a_checkpoint_without_a_planned_batch_is_forgotten(tmp_path: Path, files: list[str], kept: bool) -> None:
    offsets = tmp_path / "spark" / "offsets"
    offsets.mkdir(parents=True)
    for name in files:
        (offsets / name).touch()
    spark_log.prepare(tmp_path / "spark", None, -1)
    assert (tmp_path / "spark").exists() == kept


@pytest.mark.parametrize(
    ("taken", "commits", "offsets"),
    [(-1, [], ["0"]), (0, ["0"], ["0", "1"]), (2, ["0", "1", "2"], ["0", "1", "2", "3"])],
)
def test_what_was_not_taken_is_not_counted_as_read(
    tmp_path: Path, taken: int, commits: list[str], offsets: list[str]
) -> None:
    """Spark goes on with the batch after the last one that was taken."""
    for directory, numbers in (("commits", range(3)), ("offsets", range(4)), ("sources/0", range(4))):
        (tmp_path / directory).mkdir(parents=True)
        for number in numbers:
            (tmp_path / directory / str(number)).write_text(f'v1\n{{}}\n{{"logOffset":{number}}}')
            (tmp_path / directory / f".{number}.crc").touch()
    spark_log.prepare(tmp_path, None, taken)
    for directory, left in (("commits", commits), ("offsets", offsets), ("sources/0", offsets)):
        found = sorted(path.name for path in (tmp_path / directory).iterdir())
        assert found == sorted([*left, *(f".{number}.crc" for number in left)])
