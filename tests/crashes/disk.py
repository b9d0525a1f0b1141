"""A disk that breaks at a chosen moment, in this process: the file operations of a run are counted, and one of them
fails, or the process is as if it were dead from there on.

Counted are the operations by which something becomes durable or goes away: a record, sync, rename, link, delete. What
Spark writes itself is not counted; a kill may come before what it has written since our last operation.
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

_OPERATIONS = ("fsync", "pwrite", "replace", "rename", "link", "unlink", "rmdir")


class Break(Enum):
    """What happens at the chosen operation."""

    KILL = "killed before it"
    TEAR = "killed in it: of what is written, the second half is missing"
    SPARK = "killed before it, and before the last of what Spark has written"
    FAIL = "it fails for want of space"


class KilledError(Exception):
    """Whatever the process does about it, it can write nothing any more."""


class BreakingDisk:
    """Counts the operations below a directory. At the operation `at` it breaks; None never does."""

    def __init__(self, root: Path, at: int | None = None, how: Break = Break.KILL) -> None:
        self.root, self.at, self.how = str(root.resolve()), at, how
        self.log: list[str] = []
        self._is_dead = False
        self._synced: dict[str, int] = {}
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
                half = (lambda: original(target, rest[0][: len(rest[0]) // 2], *rest[1:])) if name == "pwrite" else None
                self._meet(name, path, half)
            return original(target, *rest, **options)

        return operation

    def _meet(self, name: str, path: str, half: Callable[[], object] | None) -> None:
        with self._lock:
            if self._is_dead:
                raise KilledError
            number = len(self.log)
            self.log.append(f"{name} {path.removeprefix(self.root)}")
            if number != self.at:
                self._passed(name, path)
                return
            if self.how is Break.FAIL:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
            self._is_dead = True
            if self.how is Break.TEAR and half is not None:
                half()
            elif self.how is Break.TEAR and name == "fsync" and Path(path).is_file():
                since = self._synced.get(path, 0)
                os.truncate(path, since + (Path(path).stat().st_size - since) // 2)
            raise KilledError

    def _passed(self, name: str, path: str) -> None:
        """What was synced cannot be torn any more."""
        if name == "fsync" and Path(path).is_file():
            self._synced[path] = Path(path).stat().st_size
        elif name in ("replace", "rename", "unlink"):
            self._synced.pop(path, None)


def _path(target: Any, directory: int | None) -> str:
    if isinstance(target, int):
        return str(Path(f"/proc/self/fd/{target}").readlink())
    above = Path.cwd() if directory is None else Path(f"/proc/self/fd/{directory}").readlink()
    return str(above / target)
