"""The seal of a file: its last line, with its number, the length and a checksum of what stands before it.

The checksum is also of the file's name, so a file under the name of another is found out. In a checkpoint a file has
the number of its record in the ledger, elsewhere 0.
"""

from __future__ import annotations

import re
from pathlib import Path
from zlib import crc32

from datacell.errors import CheckpointError

_SEAL = re.compile(rb"\ndatacell (?:([0-9a-f]{16}) )?([0-9a-f]{16}) ([0-9a-f]{8})\n")
_BEGINS = b"\ndatacell "
_LONGEST = len(_BEGINS) + 16 + 1 + 16 + 1 + 8 + 1

AFRESH = "put it back from a copy of the checkpoint; or start afresh in another directory, which reads the input again"
SENT_AGAIN = "put it back from a copy of the checkpoint; or start afresh in another directory, and send its rows again"


def seal(name: str, content: bytes | memoryview, number: int = 0) -> bytes:
    """What is to be written behind the content of a file of this name."""
    return b"%s%016x %016x %08x\n" % (_BEGINS, number, len(content), checksum(name, content, number))


def checksum(name: str, content: bytes | memoryview, number: int = 0) -> int:
    return crc32(content, crc32(name.encode(), crc32(b"%d" % number) if number else 0))


def number_of(path: Path) -> int:
    """The number that a file has; 0 if it has none, or is not whole."""
    try:
        content = path.read_bytes()
        unsealed(path, memoryview(content))
    except (OSError, CheckpointError):
        return 0
    found = _SEAL.search(content, max(0, len(content) - _LONGEST))
    return int(found[1], 16) if found is not None and found[1] else 0


def unsealed(path: Path, found: memoryview) -> memoryview:
    """The content of a file, if its seal is right."""
    if not found:
        raise damaged(path, "it is empty")
    end = bytes(found[-_LONGEST:])
    matched = _SEAL.fullmatch(end, max(0, end.rfind(_BEGINS)))
    if matched is None:
        raise damaged(path, "its end is missing")
    content = found[: len(found) - len(matched[0])]
    if int(matched[2], 16) != len(content):
        raise damaged(path, "a part of it is missing")
    if int(matched[3], 16) != checksum(path.name, content, int(matched[1] or b"0", 16)):
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
    "cell.json": "what the checkpoint is known by",
    "definitions": "a stream, query or emitter that the checkpoint was made with",
    "progress.json": "how far the stream has come",
    "pins.json": "which version of a table each query sees",
    "tables": "a table as queries see it",
    "basket": "rows of the stream that queries still need",
    "slices": "what a query keeps of the stream",
    "made": "rows that a query keeps of the stream",
    "answers": "answers that no firing has yet",
    "asked": "by what a query is answered",
    "emitters": "how far the emitter has delivered",
    "statements": "which INSERT statements were carried out",
    "late.arrow": "late rows, for a look",
    "rejected.arrow": "rejected rows, for a look",
    ".latest": "the latest answer, from which changes are told",
}
