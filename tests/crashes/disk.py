"""A disk that breaks at a chosen moment, in this process: the file operations of a run are counted, and one of them
fails, or the process is as if it were dead from there on.

Counted are the operations by which something becomes durable or goes away: sync, rename, link, delete. What Spark
writes itself is not: where its log stands beside ours is decided by where we break off.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from threading import Lock
from typing import Any

_OPERATIONS = ("fsync", "replace", "rename", "link", "unlink", "rmdir")


class Break(Enum):
    """What happens at the chosen operation."""

    KILL = "killed before it"
    TEAR = "killed in it: of a file that is synced, the second half is missing"
    FAIL = "it fails for want of space"


class KilledError(Exception):
    """Whatever the process does about it, it can write nothing any more."""


class BreakingDisk:
    """Counts the operations below a directory. At the operation `at` it breaks; None never does."""

    def __init__(self, root: Path, at: int | None = None, how: Break = Break.KILL) -> None:
        self.root, self.at, self.how = str(root.resolve()), at, how
        self.log: list[str] = []
        self._is_dead = False
        self._lock = Lock()

    @contextmanager
    def mounted(self) -> Iterator[BreakingDisk]:
        """While this lasts, all operations of the process go through here."""
        originals = {name: getattr(os, name) for name in _OPERATIONS}
        try:
            for name, original in originals.items():
                setattr(os, name, self._watched(name, original))
            yield self
        finally:
            for name, original in originals.items():
                setattr(os, name, original)

    def _watched(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def operation(target: Any, *rest: Any, **options: Any) -> Any:
            path = _path(target, options.get("dir_fd"))
            if path.startswith(self.root):
                self._meet(name, path)
            return original(target, *rest, **options)

        return operation

    def _meet(self, name: str, path: str) -> None:
        with self._lock:
            if self._is_dead:
                raise KilledError
            number = len(self.log)
            self.log.append(f"{name} {path.removeprefix(self.root)}")
            if number != self.at:
                return
            if self.how is Break.FAIL:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
            self._is_dead = True
            if self.how is Break.TEAR and name == "fsync" and Path(path).is_file():
                os.truncate(path, Path(path).stat().st_size // 2)
            raise KilledError


def _path(target: Any, directory: int | None) -> str:
    if isinstance(target, int):
        return str(Path(f"/proc/self/fd/{target}").readlink())
    above = Path.cwd() if directory is None else Path(f"/proc/self/fd/{directory}").readlink()
    return str(above / target)
