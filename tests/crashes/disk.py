"""The disk of a run in this process, watched: the operations by which something becomes durable or goes away.

These are a record, sync, rename, link, delete. What Spark writes itself is not counted; a kill may come before what it
has written since our last operation. A disk that breaks lets one of the operations fail.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from threading import RLock
from typing import Any

_OPERATIONS = ("fsync", "pwrite", "replace", "rename", "link", "unlink", "rmdir")


class Break(Enum):
    """What happens at the chosen operation."""

    KILL = "killed before it"
    TEAR = "killed in it: of what is written, the second half is missing"
    SPARK = "killed before it, and before the last of what Spark has written"
    FAIL = "it fails for want of space"


@dataclass(frozen=True)
class Operation:
    """What is done to a path; of what is written the place and the first half, of what is synced what already was."""

    name: str
    path: str
    place: int = 0
    half: bytes = b""

    def __str__(self) -> str:
        return f"{self.name} {self.path}"

    @property
    def can_be_torn(self) -> bool:
        return bool(self.half) or self.name == "fsync"

    def tear(self, root: Path) -> bool:
        """Do the first half of it; False if there is nothing to be halved."""
        path = root / self.path.removeprefix("/")
        if not path.is_file():
            return False
        if self.half:
            with path.open("r+b") as file:
                file.seek(self.place)
                file.write(self.half)
        elif self.name == "fsync":
            os.truncate(path, self.place + (path.stat().st_size - self.place) // 2)
        return True


class WatchedDisk:
    """Tells of each operation below a directory before it is done, one after the other."""

    def __init__(self, root: Path, before: Callable[[int], None]) -> None:
        self.root, self.before = str(root.resolve()), before
        self.log: list[Operation] = []
        self._synced: dict[str, int] = {}
        self._lock = RLock()
        self._is_looking = False

    @contextmanager
    def mounted(self) -> Iterator[None]:
        """While this lasts, all operations of the process go through here."""
        originals = {name: getattr(os, name) for name in _OPERATIONS}
        try:
            for name, original in originals.items():
                setattr(os, name, self._watched(name, original))
            yield
        finally:
            for name, original in originals.items():
                setattr(os, name, original)

    def _watched(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def operation(target: Any, *rest: Any, **options: Any) -> Any:
            path = _path(target, options.get("dir_fd"))
            if not path.startswith(f"{self.root}{os.sep}"):
                return original(target, *rest, **options)
            with self._lock:
                if not self._is_looking:
                    self._meet(name, path, rest)
                return original(target, *rest, **options)

        return operation

    def _meet(self, name: str, path: str, rest: tuple[Any, ...]) -> None:
        place, half = self._synced.get(path, 0), b""
        if name == "pwrite":
            place, half = rest[1], bytes(rest[0][: len(rest[0]) // 2])
        found = Operation(name, path.removeprefix(self.root), place, half)
        self.log.append(found)
        self._is_looking = True
        try:
            self.before(len(self.log) - 1)
        finally:
            self._is_looking = False
        if name == "fsync" and Path(path).is_file():  # what was synced cannot be torn any more
            self._synced[path] = Path(path).stat().st_size
        elif name in ("replace", "rename", "unlink"):
            self._synced.pop(path, None)


def failing_at(at: int) -> Callable[[int], None]:
    """There is no space for the operation of that number; for all others there is."""

    def fail(number: int) -> None:
        if number == at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return fail


def _path(target: Any, directory: int | None) -> str:
    if isinstance(target, int):
        return str(Path(f"/proc/self/fd/{target}").readlink())
    above = Path.cwd() if directory is None else Path(f"/proc/self/fd/{directory}").readlink()
    return str(above / target)
