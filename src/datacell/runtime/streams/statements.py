"""INSERT statements: each is taken once, also if a script is carried out again from its checkpoint.

The law: in one checkpoint the n-th execution of a text is the n-th ever. So a text that was taken n times before a
restart is passed over n times after it, and then taken again. A text that has changed is another statement.

Statements are batches of one source. The k-th record of the file is the digest of the text of batch k, written before
the batch is taken: a record counts once the basket holds its batch, and one that does not is overwritten. Behind the
digest stands a checksum of it and of k.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from pathlib import Path

from datacell.runtime.storage import files
from datacell.runtime.storage.seal import checksum, damaged, missing

SOURCE = "statements"
"""The name of the source that statements are batches of."""


class Statements:
    """The statements that one stream has taken; `count` is how many these were when it was opened."""

    def __init__(self, path: Path, count: int) -> None:
        self._path = path
        self._before = Counter(_digests(path, count))

    def was_taken(self, text: str) -> bool:
        """Was this execution of the text taken before the restart? Asked once for every execution."""
        digest = _digest(text)
        if not self._before[digest]:
            return False
        self._before[digest] -= 1
        return True

    def record(self, number: int, text: str) -> None:
        """The text of a batch that is about to be taken."""
        line = _line(number, _digest(text))
        files.save_at(self._path, number * len(line), line)


def _digests(path: Path, count: int) -> list[str]:
    """Of the first statements, so many as the stream has taken."""
    if not count:
        return []
    if not path.exists():
        raise missing(path)
    found, width = path.read_bytes(), len(_line(0, _digest("")))
    lines = [found[at : at + width] for at in range(0, count * width, width)]
    digests = [line.partition(b" ")[0].decode("ascii", "replace") for line in lines]
    if any(_line(number, digest) != line for number, (digest, line) in enumerate(zip(digests, lines, strict=True))):
        raise damaged(path, "not all statements that the stream has taken are in it as they were written")
    return digests


def _line(number: int, digest: str) -> bytes:
    return f"{digest} {checksum(str(number), digest.encode()):08x}\n".encode()


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
