"""What Spark has written down of a source: which batches it has planned, which it has committed, which files they have.

The law: what the stream has taken is the truth, and Spark's log has to agree with it. When a batch is taken, what Spark
goes on from is noted beside the stream's progress; when a run starts, the log is made to say just that, or an error
tells what of it is lost. What Spark had planned beyond is planned again, and so are the few batches that it had counted
as read before they were taken, if the source can be read again.

Of a spool Spark's log is worth nothing once its batches are taken: their files are deleted, and a new log begins. So it
does not grow, and a checkpoint may be moved, though Spark names files with all of their path.
"""

from __future__ import annotations

import json
import logging
import shutil
import struct
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

from datacell.runtime.storage import files
from datacell.runtime.storage.ledger import sync_path, unwritable
from datacell.runtime.storage.seal import damaged, missing

MOST_FILES, MOST_BATCHES = 2_000, 500
"""Of a spool, after which a new log begins."""

_LOG = logging.getLogger("datacell")

Note: TypeAlias = dict[str, Any]
_HELD = "how far Spark has read the stream's source"
_KEPT = 2
"""Batches whose plans are noted: the last one, which may be repeated, and the one before, where that begins."""


class SparkLog:
    """Of one source, in a directory. Batches are numbered on from `base`, where Spark counts from 0."""

    def __init__(self, directory: Path, spool: Path | None = None, most_ahead: int = 0) -> None:
        self.directory, self.spool, self.most_ahead = directory, spool, most_ahead
        self.base = 0
        self._last: Note | None = None
        """What was noted of the last batch that was taken."""
        self._read = 0
        self._synced: dict[str, tuple[tuple[int, int], tuple[int, int]]] = {}
        """Files of the log of sources that are safe, as they were then: when and how long; length and checksum."""

    def prepare(self, taken: int, note: Note | None) -> None:
        """Make the log fit to go on with after batch number `taken`."""
        self._last = note
        if self.spool is not None:
            self._delete(note or {})
            self.begin(taken)
        elif taken < 0:
            if not _is_fit_to_begin(self.directory):
                shutil.rmtree(self.directory, ignore_errors=True)  # nothing of what it planned was taken
        else:
            _agree(self.directory, taken, note, taken + self.most_ahead)

    def take_back(self, taken: int) -> None:
        """Make it fit to go on with in the same run, if Spark may have counted more as read than was taken."""
        if self.most_ahead:
            self.prepare(taken, self._last)

    def begin(self, taken: int) -> None:
        """A new log, of what comes after batch number `taken`; no file that was read before is there any more."""
        assert self.spool is not None
        files.flush(self.spool)
        shutil.rmtree(self.directory, ignore_errors=True)
        self.base, self._read = taken + 1, 0

    def note(self, number: int) -> Note:
        """What is to be known of it when batch `number` counts as taken."""
        try:
            self._last = self._noted(number)
        except FileNotFoundError:  # Spark has just put files together to a compact one
            self._last = self._noted(number)
        return self._last

    def files(self, number: int) -> list[str]:
        """The files that batch `number` has, by all of their paths, if the source is made of files."""
        try:
            return [*_files_of(self.directory, number - self.base)]
        except FileNotFoundError:  # Spark has just put files of the log together to a compact one
            return [*_files_of(self.directory, number - self.base)]

    def taken(self) -> None:
        """The batch was taken that was noted last: files of a spool whose rows it had are not needed any more."""
        note = self._last or {}
        self._delete(note)
        self._read += len(note.get("read", ()))

    def is_long(self, number: int) -> bool:
        """Is it time for a new log, before batch `number`?"""
        return self.spool is not None and (self._read > MOST_FILES or number - self.base > MOST_BATCHES)

    def _noted(self, number: int) -> Note:
        if self.spool is not None:
            return {"read": [path.rpartition("/")[2] for path in _files_of(self.directory, number - self.base)]}
        plans = [self.directory / "offsets" / str(n) for n in (number - 1, number)]
        texts = {path.name: _text(path) for path in plans if path.is_file()}
        sources = dict(self._sources(_reached(self.directory, number)))
        return {"offsets": texts, "metadata": _text(self.directory / "metadata"), "sources": sources}

    def _delete(self, note: Note) -> None:
        assert self.spool is not None or not note.get("read")
        gone = [self.spool / name for name in note.get("read", ())] if self.spool else []
        if gone:
            files.remove(*gone)

    def _sources(self, reached: float) -> Iterator[tuple[str, tuple[int, int]]]:
        """What the log of each source has, from the last time that it was compacted on; safe also after a power cut.

        What batches are planned from that come after the one that has `reached` so far may be planned again.
        """
        known, self._synced = self._synced, {}
        for directory in sorted((self.directory / "sources").glob("*")):
            for path in needed(directory):
                if _number(path.name) > reached and not _is_compact(path):
                    continue
                name, stat = f"{directory.name}/{path.name}", path.stat()
                when = stat.st_mtime_ns, stat.st_size
                if name not in known or known[name][0] != when:
                    content = path.read_bytes()
                    try:
                        sync_path(path)
                        sync_path(directory)
                    except OSError as error:
                        raise unwritable(path, error) from error
                    known[name] = when, (len(content), crc32(content))
                self._synced[name] = known[name]
                yield name, known[name][1]


def _agree(log: Path, taken: int, note: Note | None, last: int) -> None:
    """The log says what was noted, or an error says what is wrong with it. Batches up to `last` may be committed."""
    ahead = [n for n in _numbers(log / "commits") if n > taken]
    if max(ahead, default=last) > last:
        how = f"it has committed batch {max(ahead)}, and the stream has taken no batch after {taken}"
        raise damaged(log / "commits", how, _HELD)
    if note is None:
        raise missing(log / "offsets", _HELD)
    _require_sources(log, note["sources"])
    for number in _numbers(log / "offsets"):
        if number > taken or number <= taken - _KEPT:
            _unlink(log / "offsets" / str(number))
    for name, text in [
        ("metadata", note["metadata"]),
        *((f"offsets/{n}", text) for n, text in note["offsets"].items()),
    ]:
        _write_again(log / name, text)
    for number in ahead:
        _unlink(log / "commits" / str(number))
    for number in _numbers(log / "commits"):
        if not _is_whole(log / "commits" / str(number)):
            _LOG.warning(
                "%s was not what was written; Spark repeats the batch, which was taken", log / "commits" / str(number)
            )
            _unlink(log / "commits" / str(number))


def _require_sources(log: Path, noted: dict[str, list[int]]) -> None:
    """Which files were read cannot be made again: without it they would be read twice, or never."""
    for directory in (log / "sources").glob("*"):
        known = [_number(name) for name in noted if name.startswith(f"{directory.name}/")]
        for path in directory.glob("*"):
            is_beyond = path.name[0].isdigit() and _number(path.name) > max(known, default=-1)
            if is_beyond and not (_is_compact(path) and _is_whole(path)):
                _unlink(path)
    for name, (length, checksum) in noted.items():
        path = log / "sources" / name
        if not path.is_file():
            if any(_is_compact(p) and _number(p.name) > _number(name) for p in needed(path.parent)):
                continue  # Spark has compacted its log since
            raise missing(path, _HELD)
        content = path.read_bytes()
        if len(content) != length:
            raise damaged(path, f"it has {len(content)} bytes, and {length} were written", _HELD)
        if crc32(content) != checksum:
            raise damaged(path, "its content is not what was written", _HELD)
        _forget_checksum(path)


def _write_again(path: Path, text: str) -> None:
    """Spark's text in a file, where it is not."""
    if not path.is_file() or path.read_bytes() != text.encode():
        _LOG.warning(
            "%s was missing, or not what was written; it was written again, as the stream's progress has it", path
        )
        files.write(path, lambda file: file.write(text.encode()))
    _forget_checksum(path)


def _is_fit_to_begin(log: Path) -> bool:
    """May Spark go on with a log of which nothing was taken? What files a batch has is found out again."""
    plan = log / "offsets" / "0"
    if not plan.is_file() or "logOffset" in _text(plan):
        return False
    written = [log / "metadata", *_listed(log / "offsets"), *_listed(log / "sources")]
    return all(map(_is_whole, written)) and not _numbers(log / "commits")


def _listed(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file() and not path.name.startswith(".")]


def _files_of(log: Path, number: int) -> Iterator[str]:
    """The files that Spark has read as batch `number`."""
    since, until = _source_batch(log, number - 1) if number else -1, _source_batch(log, number)
    listed = [log / "sources" / "0" / str(one) for one in range(since + 1, until + 1)]
    for path in listed if all(path.is_file() for path in listed) else needed(log / "sources" / "0"):
        for line in _text(path).splitlines()[1:]:
            entry = json.loads(line)
            if since < entry["batchId"] <= until:
                yield entry["path"]


def _source_batch(log: Path, number: int) -> int:
    return int(json.loads(_text(log / "offsets" / str(number)).splitlines()[-1])["logOffset"])


def _reached(log: Path, number: int) -> float:
    """The last file of a source's log that batch `number` has files from; of other sources all there is."""
    lines = _text(log / "offsets" / str(number)).splitlines()
    reached = json.loads(lines[-1]) if lines and lines[-1].startswith("{") else {}
    return float(reached.get("logOffset", inf))


def needed(directory: Path) -> list[Path]:
    """The files of a log that Spark reads, from the last compact one on."""
    found = sorted((p for p in directory.glob("*") if p.name[:1].isdigit()), key=lambda p: _number(p.name))
    compact = [place for place, path in enumerate(found) if _is_compact(path)]
    return found[max(compact, default=0) :]


def _is_compact(path: Path) -> bool:
    """Does it have the content of all files before it?"""
    return path.name.endswith(".compact")


def _number(name: str) -> int:
    digits = name.rpartition("/")[2].partition(".")[0]
    return int(digits) if digits.isdigit() else -1


def _numbers(directory: Path) -> list[int]:
    return sorted(int(path.name) for path in directory.glob("*") if path.name.isdigit())


def _is_whole(path: Path) -> bool:
    """Is it what Hadoop's checksums beside it say? Without them a file only has to be one of Spark's."""
    beside = path.with_name(f".{path.name}.crc")
    if not path.is_file():
        return False
    content = path.read_bytes()
    if not beside.is_file():
        return path.name == "metadata" or content.startswith((b"v1\n", b"v2\n", b"v3\n"))
    sums = beside.read_bytes()
    if len(sums) < 8 or not content:
        return False
    (width,) = struct.unpack(">i", sums[4:8])
    pieces = range(0, len(content), width) if width > 0 else ()
    return sums[8:] == b"".join(struct.pack(">I", crc32(content[at : at + width])) for at in pieces)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _unlink(path: Path) -> None:
    path.unlink(missing_ok=True)
    _forget_checksum(path)


def _forget_checksum(path: Path) -> None:
    """Of a file that is right, whatever is beside it."""
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
