"""The lock of a checkpoint: it belongs to one run.

The operating system holds it, so it ends with the process, however that ends. The text of the file says whose it is,
for people, and for file systems on which such locks do not reach other hosts: there a run that did not say that it has
ended may go on. A text that came here with a copy of the directory says nothing: it names the file it was written to.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from datacell.errors import CheckpointError

NAME = "lock"


@dataclass(frozen=True)
class Holder:
    """A process that has a checkpoint; `started` tells it from a later one of the same number."""

    pid: int
    host: str
    started: str
    since: str
    file: tuple[int, int]

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, since {self.since}"

    def may_be_alive(self) -> bool:
        """On another host nobody can tell."""
        if self.host != socket.gethostname():
            return True
        return self.pid != os.getpid() and self.started == started(self.pid) != ""


@contextmanager
def held(root: Path) -> Iterator[None]:
    """The checkpoint is this run's until it is left; an error at once if it is another's."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        opened = os.fdopen(os.open(root / NAME, os.O_RDWR | os.O_CREAT, 0o644), "r+b")
    except FileExistsError as error:
        raise _unusable(root, "Not a directory") from error
    except OSError as error:
        raise _unusable(root, error.strerror) from error
    with opened as file:
        _take(root, file)
        try:
            yield
        finally:
            file.truncate(0)


def started(pid: int) -> str:
    """When a process started, in whatever unit the system counts; empty if there is none or nobody knows."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _take(root: Path, file: BinaryIO) -> None:
    before = _holder(file)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _in_use(root, "another process" if before is None else str(before)) from None
    except OSError as error:
        raise _unusable(root, f"it cannot be locked: {error.strerror}") from error
    before = _holder(file)
    if before is not None and before.file == _identity(file) and before.may_be_alive():
        ended = f"if that run has ended, delete {root / NAME} and run again"
        raise _in_use(root, str(before), ended)
    _sign(file)


def _sign(file: BinaryIO) -> None:
    pid, now = os.getpid(), datetime.now(UTC).isoformat(timespec="seconds")
    me = Holder(pid, socket.gethostname(), started(pid), now, _identity(file))
    file.seek(0)
    file.truncate()
    file.write(json.dumps(asdict(me)).encode())
    file.flush()
    os.fsync(file.fileno())


def _holder(file: BinaryIO) -> Holder | None:
    """Who has written the file last and not said that it ended; None if nobody, or if that cannot be read."""
    file.seek(0)
    try:
        found = json.loads(file.read())
        return Holder(**{**found, "file": tuple(found["file"])})
    except (ValueError, TypeError, KeyError):
        return None


def _identity(file: BinaryIO) -> tuple[int, int]:
    about = os.fstat(file.fileno())
    return about.st_dev, about.st_ino


def _in_use(root: Path, by: str, choice: str = "wait for it, or stop it") -> CheckpointError:
    return CheckpointError(f"the checkpoint {root} is in use by {by}", hint=f"{choice}; or use another directory")


def _unusable(root: Path, reason: str | None) -> CheckpointError:
    return CheckpointError(
        f"the checkpoint {root} cannot be used: {reason}",
        hint="use another directory, or fix the permissions, then run again",
    )
