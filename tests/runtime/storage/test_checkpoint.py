"""Checkpoints: what fits to them, and what is said when they cannot be used."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from datacell.errors import CheckpointError
from datacell.runtime.storage import files
from datacell.runtime.storage.checkpoint import Checkpoint


def test_a_checkpoint_refuses_a_query_that_has_changed(tmp_path: Path) -> None:
    for name in ("hot", "HOT"):
        with closing(Checkpoint(tmp_path)) as checkpoint, checkpoint.admitted("query", name, {"text": "SELECT 1"}):
            pass
    with (
        closing(Checkpoint(tmp_path)) as checkpoint,
        pytest.raises(CheckpointError, match=r"hot has changed .*: its text"),
    ):
        checkpoint.admitted("query", "hot", {"text": "SELECT 2"}).__enter__()


def test_a_directory_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CheckpointError, match="cannot be written"):
        files.write_json(tmp_path / "file" / "below", 1)


@pytest.mark.parametrize("path", ["file", "file/below"])
def test_a_checkpoint_in_the_place_of_a_file_says_so(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CheckpointError, match="cannot be used: Not a directory"):
        Checkpoint(tmp_path / path)


def test_a_checkpoint_of_which_only_a_damaged_file_is_there_says_so(tmp_path: Path) -> None:
    (tmp_path / "cell.json").write_text("{")
    with pytest.raises(CheckpointError, match="ledger is missing"):
        Checkpoint(tmp_path)
