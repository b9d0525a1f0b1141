"""Whose a directory of part files is. A marker in it names the checkpoint, the emitter and the query's life.

What somebody else has left there is neither mixed with nor removed, unless the emitter's options say so. While an
emitter has the directory, it is locked: nobody takes it away. A part has the number of its firing plus `first`, which
the marker keeps, so what is appended has a name of its own, and has it again after a restart.

Known is what the owner has delivered, and at most one part more, whose delivery was not written down before a crash.
Parts with later numbers are a stranger's, or the checkpoint is older than its output: nobody knows them.
"""

from __future__ import annotations

import fcntl
import os
import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from datacell.errors import CheckpointError, EmitterError
from datacell.runtime.storage import files

MARKER = ".datacell.json"

_NOBODYS: dict[str, Any] = {"owner": {}, "home": "", "first": 0}
_OWN = re.compile(r"part-(\d{10,})(-\d+)?\.[a-z]+")
_CHOICES = (
    "give another path, or add overwrite = 'true' to remove the part files that are there, "
    "or append = 'true' to write after them"
)


class Existing(Enum):
    """What is done with part files that others have left."""

    REFUSED = "refused"
    OVERWRITTEN = "overwritten"
    KEPT = "kept"


@dataclass(frozen=True)
class Owner:
    """An emitter of a query's life, in a checkpoint that is known by its id, wherever it is moved."""

    checkpoint: str
    emitter: str
    query: str
    life: str


@dataclass
class Claim:
    """A directory that is ours until it is released. Parts are numbered from `first` on."""

    directory: Path
    first: int = 0
    lock: int | None = None

    def release(self) -> None:
        if self.lock is not None:
            os.close(self.lock)
        self.lock = None


def claim(directory: Path, owner: Owner, home: str | None, cursor: int, existing: Existing) -> Claim:
    """Make a directory the owner's, who has delivered the firings below `cursor`, or refuse.

    `home` is where the owner's checkpoint is, if it is to be resumed.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock = _locked(directory, owner)
        try:
            return Claim(directory, _settled(directory, owner, home, cursor, existing), lock)
        except BaseException:
            os.close(lock)
            raise
    except (CheckpointError, OSError) as error:
        reason = error.message if isinstance(error, CheckpointError) else error.strerror
        message = f"emitter {owner.emitter} cannot write to {directory}: {reason}"
        raise EmitterError(message, hint="fix the permissions, or give another path") from error


def _locked(directory: Path, owner: Owner) -> int:
    """A lock that goes with the process; a file system that has no locks is used without."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        message = f"emitter {owner.emitter} cannot write to {directory}: another run is writing there"
        raise EmitterError(message, hint="give another path, or stop the other run first") from None
    except OSError:
        pass
    return handle


def _settled(directory: Path, owner: Owner, home: str | None, cursor: int, existing: Existing) -> int:
    """The number of the first part, once the directory is the owner's.

    Of a run that has left no parts and cannot be resumed nothing is lost.
    """
    saved = _marker(directory)
    parts = [path for path in sorted(directory.glob("part-[0-9]*")) if path.is_file()]
    if saved is not None and saved["home"] is None and not parts:
        saved = None
    is_own = saved is not None and saved["owner"] == asdict(owner)
    first = int(saved["first"]) if is_own and saved is not None else 0
    strange = [path for path in parts if not is_own or _own_number(path) > first + cursor]
    reason = None if is_own else _other(saved, owner)
    if reason is None and strange:
        reason = f"it holds part files that nobody knows, such as {strange[0].name}"
    if reason is not None:
        _require_choice(directory, owner, reason, existing)
        if existing is Existing.KEPT:
            first = _after(parts, first + cursor if is_own else None) - cursor
        else:
            _remove(strange)
    files.write_json(directory / MARKER, {"owner": asdict(owner), "home": home, "first": first})
    return first


def _marker(directory: Path) -> dict[str, Any] | None:
    """What the marker says, if there is one; one that says nothing to us is nobody's."""
    path = directory / MARKER
    if not path.exists():
        return None
    try:
        saved = files.read_json(path)
    except CheckpointError:
        return _NOBODYS
    return saved if isinstance(saved, dict) and saved.keys() == _NOBODYS.keys() else _NOBODYS


def _other(saved: dict[str, Any] | None, owner: Owner) -> str | None:
    """Whom a directory that is not ours belongs to."""
    if saved is None:
        return None
    theirs = saved["owner"]
    if not theirs:
        return f"its {MARKER} cannot be read, so nobody knows whose it is"
    if theirs["checkpoint"] == owner.checkpoint:
        same = theirs["emitter"] == owner.emitter
        which = f"an earlier query {theirs['query']}" if same else f"query {theirs['query']}"
        return f"it belongs to emitter {theirs['emitter']} of {which}"
    if saved["home"] is None:
        return f"it belongs to emitter {theirs['emitter']} of a run without a checkpoint"
    return f"it belongs to emitter {theirs['emitter']} of another checkpoint, {saved['home']}"


def _require_choice(directory: Path, owner: Owner, reason: str, existing: Existing) -> None:
    if existing is Existing.REFUSED:
        raise EmitterError(f"emitter {owner.emitter} cannot write to {directory}: {reason}", hint=_CHOICES)


def _own_number(path: Path) -> int:
    """The number of a part that an emitter may have written; before all, if it has another name than those."""
    found = _OWN.fullmatch(path.name)
    return -1 if found is None else int(found[1])


def _after(parts: list[Path], unsure: int | None) -> int:
    """The number after all parts. The one that may have been delivered is written again, so it goes."""
    if unsure is not None:
        _remove([path for path in parts if _own_number(path) == unsure])
    return max(map(_own_number, parts), default=-1) + 1


def _remove(parts: list[Path]) -> None:
    for path in parts:
        with suppress(FileNotFoundError):
            path.unlink()
