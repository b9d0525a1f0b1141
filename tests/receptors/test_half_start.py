"""A receptor that was killed before its first batch starts afresh."""

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
