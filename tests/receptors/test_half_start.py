"""A receptor that was killed before its first batch starts afresh."""

from __future__ import annotations

from pathlib import Path

import pytest

from datacell.receptors.spark_log import SparkLog


@pytest.mark.parametrize(
    ("files", "kept"), [([".0.abc.tmp"], False), (["0"], True), ([".1.abc.tmp", "0"], True), ([], False)]
)
def test_a_checkpoint_without_a_planned_batch_is_forgotten(tmp_path: Path, files: list[str], kept: bool) -> None:
    offsets = tmp_path / "spark" / "offsets"
    offsets.mkdir(parents=True)
    for name in files:
        (offsets / name).write_text('v1\n{}\n{"kafka": 1}')
    (tmp_path / "spark" / "metadata").write_text("{}")
    SparkLog(tmp_path / "spark").prepare(-1, None)
    assert (tmp_path / "spark").exists() == kept
