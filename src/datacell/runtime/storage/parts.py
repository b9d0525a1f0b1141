"""Files that executors have written, held against what was noted when they were: names, lengths and checksums.

Where Hadoop writes a file it writes its checksums beside it, for each piece of some hundred bytes. These are noted, so
what executors write need not pass through the driver; when a checkpoint is opened the pieces are held against them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias
from zlib import crc32

from datacell.runtime.storage import files
from datacell.runtime.storage.seal import damaged, missing

Manifest: TypeAlias = dict[str, tuple[int, int]]
"""Of each file the length, and a checksum: of its checksums, if there are such, or of its content."""

_MAGIC = b"crc\0"
_LOST = "rows that a query keeps, as executors wrote them"


def manifest(root: Path, directories: Iterable[str]) -> Manifest:
    """What there is, by paths from the root; of a temporary directory nobody asks."""
    found = {}
    for directory in map(Path, directories):
        if files.is_temporary(directory):
            return {}
        for part in sorted(directory.glob("part-*")):
            found[part.relative_to(root).as_posix()] = (part.stat().st_size, crc32(_evidence(part)))
    return found


def require(root: Path, noted: Mapping[str, tuple[int, int]], held: str = _LOST) -> None:
    """An error that names the file that is not as it was written, and says what it has."""
    for name, (length, checksum) in noted.items():
        path, beside = root / name, _beside(root / name)
        if not path.is_file():
            raise missing(path, held)
        if path.stat().st_size != length:
            raise damaged(path, f"it has {path.stat().st_size} bytes, and {length} were written", held)
        if crc32(_evidence(path)) != checksum:
            which = beside if beside.is_file() else path
            raise damaged(which, "its content is not what was written", held)
        if beside.is_file() and not _is_as_told(path, beside):
            raise damaged(path, "its content is not what was written", held)


def _evidence(part: Path) -> bytes:
    beside = _beside(part)
    return beside.read_bytes() if beside.is_file() else part.read_bytes()


def _beside(part: Path) -> Path:
    return part.with_name(f".{part.name}.crc")


def _is_as_told(path: Path, beside: Path) -> bool:
    told = beside.read_bytes()
    if not told.startswith(_MAGIC) or len(told) < 8:
        return True  # of another kind: Spark looks at it
    (width,) = struct.unpack(">i", told[4:8])
    sums = [one for (one,) in struct.iter_unpack(">I", told[8:])]
    content = memoryview(path.read_bytes())
    return sums == [crc32(content[at : at + width]) for at in range(0, len(content), width)]
