"""What executors have written is held against what was noted of it."""

from __future__ import annotations

import struct
from pathlib import Path
from zlib import crc32

import pytest

from datacell.errors import CheckpointError
from datacell.runtime.storage.parts import Manifest, manifest, require


@pytest.fixture
def noted(tmp_path: Path) -> Manifest:
    """A part with Hadoop's checksums beside it, and one of the driver, without."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    content = bytes(range(256)) * 5
    (tmp_path / "a" / "part-0.parquet").write_bytes(content)
    sums = [crc32(content[at : at + 512]) for at in range(0, len(content), 512)]
    beside = b"crc\0" + struct.pack(">i", 512) + struct.pack(f">{len(sums)}I", *sums)
    (tmp_path / "a" / ".part-0.parquet.crc").write_bytes(beside)
    (tmp_path / "b" / "part-0.parquet").write_bytes(content)
    (tmp_path / "a" / "_SUCCESS").touch()
    return manifest(tmp_path, [str(tmp_path / "a"), str(tmp_path / "b")])


def test_what_is_as_it_was_passes(tmp_path: Path, noted: Manifest) -> None:
    assert noted.keys() == {"a/part-0.parquet", "b/part-0.parquet"}
    require(tmp_path, noted)


@pytest.mark.parametrize("name", ["a/part-0.parquet", "b/part-0.parquet", "a/.part-0.parquet.crc"])
@pytest.mark.parametrize("damage", ["deleted", "empty", "flipped"])
def test_what_is_not_is_named(tmp_path: Path, noted: Manifest, name: str, damage: str) -> None:
    path = tmp_path / name
    content = path.read_bytes()
    if damage == "deleted":
        path.unlink()
    else:
        path.write_bytes(b"" if damage == "empty" else content[:-3] + bytes([content[-3] ^ 1]) + content[-2:])
    with pytest.raises(CheckpointError, match=r"part-0\.parquet.* is (damaged|missing)"):
        require(tmp_path, noted)
