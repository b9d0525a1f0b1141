"""The seal of a file: its last line, with the length and a checksum of what stands before it.

The checksum is also of the file's name, so a file under the name of another is found out.
"""

from __future__ import annotations

import re
from pathlib import Path
from zlib import crc32

from datacell.errors import CheckpointError

_SEAL = re.compile(rb"\ndatacell ([0-9a-f]{16}) ([0-9a-f]{8})\n")
LENGTH = len("\ndatacell  \n") + 16 + 8

AFRESH = "put it back from a copy of the checkpoint; or start afresh in another directory, which reads the input again"


def seal(name: str, content: bytes | memoryview) -> bytes:
    """What is to be written behind the content of a file of this name."""
    return f"\ndatacell {len(content):016x} {checksum(name, content):08x}\n".encode()


def checksum(name: str, content: bytes | memoryview) -> int:
    return crc32(content, crc32(name.encode()))


def unsealed(path: Path, found: memoryview) -> memoryview:
    """The content of a file, if its seal is right."""
    if not found:
        raise damaged(path, "it is empty")
    matched = _SEAL.fullmatch(found[-LENGTH:])
    if matched is None:
        raise damaged(path, "its end is missing")
    content = found[:-LENGTH]
    if int(matched[1], 16) != len(content):
        raise damaged(path, "a part of it is missing")
    if int(matched[2], 16) != checksum(path.name, content):
        raise damaged(path, "its content is not what was written")
    return content


def damaged(path: Path, how: str, lost: str | None = None, choices: str = AFRESH) -> CheckpointError:
    """What is said of a file that is not as it was written."""
    what = lost if lost is not None else _kept_in(path)
    return CheckpointError(f"{path} is damaged: {how}. It has {what}", hint=choices)


def missing(path: Path, lost: str | None = None, choices: str = AFRESH) -> CheckpointError:
    """What is said of a file that should be there."""
    what = lost if lost is not None else _kept_in(path)
    return CheckpointError(f"{path} is missing. It had {what}", hint=choices)


def _kept_in(path: Path) -> str:
    parts = path.parts
    for place, meaning in _MEANINGS.items():
        if place in (path.name, path.suffix) or place in parts[-3:-1]:
            return meaning
    return "an answer, and where its query goes on"


_MEANINGS = {
    "cell.json": "the streams, queries and emitters that the checkpoint was made with",
    "progress.json": "how far the stream has come",
    "pins.json": "which version of a table each query sees",
    "tables": "a table as queries see it",
    "basket": "rows of the stream that queries still need",
    "slices": "what a query keeps of the stream",
    "made": "rows that a query keeps of the stream",
    "answers": "answers that no firing has yet",
    "emitters": "how far the emitter has delivered",
    "statements": "which INSERT statements were carried out",
    "late.arrow": "late rows, for a look",
    "rejected.arrow": "rejected rows, for a look",
    ".latest": "the latest answer, from which changes are told",
}
