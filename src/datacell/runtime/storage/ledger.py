"""The ledger of a checkpoint: what each of its files must be. What it knows cannot be missing or another one unnoticed.

The law: a record is durable before what it tells of happens. A file is put under its name after the ledger has its
length and checksum; it is removed after the ledger has let go of it. So after a kill the ledger is at most ahead, and
what it is ahead of can be done: the file waits beside its place, or its text is in the record. Records are a chain,
each sealed together with all before it, and numbered; a file has the number of its record. A ledger that is older than
the files that it tells of is found out by their numbers.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from threading import RLock
from typing import Any
from zlib import crc32

from datacell.errors import CheckpointError
from datacell.runtime.storage.seal import damaged

NAME = "ledger"
FORMAT = 5
"""Of the layout of files in a checkpoint."""

_LEAST_TO_SHORTEN = 1 << 18
"""Bytes: a shorter ledger is not worth writing again."""

HELD = "what every other file of the checkpoint must be"


@dataclass(frozen=True)
class Entry:
    """What a file must be; `text` is what it holds, if that is little, so that it can be made again."""

    number: int
    length: int
    checksum: int
    text: str | None = None


Record = list[Any]


class Ledger:
    """Of the directory `root`. Thread-safe. Files are known by their paths from there."""

    def __init__(self, root: Path) -> None:
        self.root, self.path = root, root / NAME
        self.files: dict[str, Entry] = {}
        self.left: set[str] = set()
        """What the ledger has let go of when it was opened; a kill may have left it there."""
        self.number = 0
        self._lock = RLock()
        self._chain = self._length = self._short = 0
        self._waiting: list[Record] = []
        self._gone: dict[str, Path] = {}
        self._handle = -1

    def open(self) -> None:
        """Read what is there, and go on behind it; a record that a kill has torn never counted."""
        found = self.path.read_bytes() if self.path.exists() else b""
        for line in found.split(b"\n")[:-1]:
            chain, record = _read(line, self._chain)
            if record is None:
                raise damaged(self.path, f"its content is not what was written, from byte {self._length} on", HELD)
            self._apply(record)
            self._chain, self._length = chain, self._length + len(line) + 1
        if found and not self._length:
            raise damaged(self.path, "its end is missing", HELD)
        self._short = self._length
        try:
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            if len(found) > self._length:
                os.ftruncate(self._handle, self._length)
            if not found:
                self._append(["format", FORMAT, 0])
                sync_path(self.root)
        except OSError as error:
            raise unwritable(self.path, error) from error

    @property
    def is_open(self) -> bool:
        return self._handle >= 0

    def next(self) -> int:
        """The number of the next file."""
        with self._lock:
            self._require_open()
            self.number += 1
            return self.number

    def put(self, path: Path, entry: Entry, install: Callable[[], object]) -> None:
        """A file is about to be what the entry says; then it is installed."""
        with self._lock:
            name = self._name(path)
            self._gone.pop(name, None)
            self._append(_put(name, entry))
            install()
            self._remove_gone()
            if self._length > max(_LEAST_TO_SHORTEN, 4 * self._short):
                self._shorten()

    def remove(self, paths: Iterable[Path], directories: Iterable[Path] = ()) -> None:
        """Files go: soon, or at once if directories go with them, whose names may be used again."""
        at_once = list(directories)
        with self._lock:
            for path in paths:
                if (name := self._name(path)) in self.files:
                    self._gone[name] = path
                    self._waiting.append(["gone", name])
            if at_once:
                self.flush()
        for directory in at_once:
            rmtree(directory, ignore_errors=True)

    def below(self, directory: Path) -> list[Path]:
        """The files in a directory."""
        with self._lock:
            return [path for name in self.files if (path := self.root / name).is_relative_to(directory)]

    def flush(self) -> None:
        """What is to be removed is removed."""
        with self._lock:
            if self._waiting:
                self._append()
            self._remove_gone()

    def close(self) -> None:
        with self._lock:
            if self._handle >= 0:
                try:
                    self.flush()
                finally:
                    os.close(self._handle)
                    self._handle = -1

    def _name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def _require_open(self) -> None:
        if self._handle < 0:
            raise CheckpointError(f"the checkpoint {self.root} was closed", hint="connect to it again")

    def _append(self, *records: Record) -> None:
        """Records, after those that waited, are durable once this returns; if it fails, none of them is there."""
        self._require_open()
        every = [*self._waiting, *records]
        content, chain = _written(every, self._chain)
        try:
            _write_at(self._handle, content, self._length)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._handle, self._length)
            raise unwritable(self.path, error) from error
        self._length, self._chain, self._waiting = self._length + len(content), chain, []
        for record in every:
            self._apply(record)

    def _apply(self, record: Record) -> None:
        match record:
            case ["put", name, *entry]:
                self.files[name] = Entry(*entry)
                self.number = max(self.number, self.files[name].number)
                self.left.discard(name)
            case ["gone", name]:
                self.files.pop(name, None)
                self.left.add(name)
            case ["format", found, number]:
                if found != FORMAT:
                    raise other_format(self.root, found)
                self.number = max(self.number, number)

    def _remove_gone(self) -> None:
        for path in self._gone.values():
            with suppress(OSError):  # what stays is removed when the ledger is opened again
                path.unlink()
        self._gone.clear()

    def _shorten(self) -> None:
        """A new ledger, of what is there."""
        records = [["format", FORMAT, self.number], *(_put(name, entry) for name, entry in self.files.items())]
        content, chain = _written(records, 0)
        new = self.path.with_name(f".{NAME}.tmp")
        try:
            handle = os.open(new, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
            try:
                _write_at(handle, content, 0)
                new.replace(self.path)
            except BaseException:
                os.close(handle)
                raise
            sync_path(self.root)
        except OSError as error:
            raise unwritable(self.path, error) from error
        os.close(self._handle)
        self._handle, self._chain, self._length, self._short = handle, chain, len(content), len(content)
        self.left.clear()


def other_format(root: Path, number: object) -> CheckpointError:
    """What is said of a checkpoint of another version."""
    return CheckpointError(
        f"{root} was made by another version of this system: its layout is number {number}, "
        f"and this version knows number {FORMAT}",
        hint="go on with the version that made it, or use another directory, which reads the input again",
    )


def _put(name: str, entry: Entry) -> Record:
    return ["put", name, entry.number, entry.length, entry.checksum, entry.text]


def _written(records: Iterable[Record], chain: int) -> tuple[bytes, int]:
    """Records as lines, and the checksum of the chain after them."""
    lines = []
    for record in records:
        content = json.dumps(record).encode()
        chain = crc32(content, chain)
        lines.append(b"%08x %s\n" % (chain, content))
    return b"".join(lines), chain


def _read(line: bytes, chain: int) -> tuple[int, Record | None]:
    """A record and the checksum of the chain up to it; None if it is not what was written."""
    checksum, _, content = line.partition(b" ")
    after = crc32(content, chain)
    if checksum != b"%08x" % after:
        return chain, None
    record = json.loads(content)
    return after, record if isinstance(record, list) else None


def _write_at(handle: int, content: bytes, at: int) -> None:
    left = content
    while left:
        written = os.pwrite(handle, left, at)
        left, at = left[written:], at + written
    os.fsync(handle)


def sync_path(path: Path) -> None:
    """Make a file, or what names a directory has, safe."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def unwritable(path: Path, error: OSError) -> CheckpointError:
    hint = "free some space or fix the permissions, then run again"
    return CheckpointError(f"{path} cannot be written: {error.strerror}", hint=hint)
