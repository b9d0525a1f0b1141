"""A file of the checkpoint that is not as it was written is found when it is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from datacell.errors import CheckpointError
from datacell.runtime.storage import files

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",  # noqa: ARG005
    "cut in half": lambda content: content[: len(content) // 2],
    "without its last byte": lambda content: content[:-1],
    "one bit flipped": lambda content: content[:10] + bytes([content[10] ^ 1]) + content[11:],
    "longer": lambda content: b"x" + content,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_named(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    value, table = tmp_path / "progress.json", tmp_path / "0000000001.arrow"
    files.write_json(value, {"batch": 1})
    files.write_table(table, pa.table({"x": [1, 2]}), {"first": 1})
    assert files.read_json(value) == {"batch": 1}
    assert files.read_table(table)[1] == {"first": 1}
    for path in (value, table):
        path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CheckpointError, match=r"progress\.json is damaged: .* how far the stream has come"):
        files.read_json(value)
    with pytest.raises(CheckpointError, match=r"0000000001\.arrow is damaged"):
        files.read_table(table)


def test_a_file_under_the_name_of_another_is_damaged_and_one_that_is_gone_is_missing(tmp_path: Path) -> None:
    files.write_json(tmp_path / "a.json", 1)
    (tmp_path / "a.json").rename(tmp_path / "b.json")
    with pytest.raises(CheckpointError, match="its content is not what was written"):
        files.read_json(tmp_path / "b.json")
    with pytest.raises(CheckpointError, match=r"a\.json is missing"):
        files.read_json(tmp_path / "a.json")
    with pytest.raises(CheckpointError, match=r"t\.arrow is missing"):
        files.read_table(tmp_path / "t.arrow")
