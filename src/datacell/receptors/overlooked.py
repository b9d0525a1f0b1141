"""Files whose rows nobody reads, though somebody may expect it: they are told of.

Spark reads a file once, as it is when it first sees it: what is added later is not read. A file that is gone when its
turn comes it takes for an empty one. Of a directory it reads the files, and what is in directories of it only if
`recursiveFileLookup` says so.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from datacell.algebra.definitions import StreamDefinition
from datacell.errors import counted
from datacell.receptors.spark_log import needed

_EVERY = 10.0
"""Seconds between two looks."""

_LARGEST_LOG = 4 << 20
"""Bytes of Spark's list of files, beyond which files are not looked at again."""


class Overlooked:
    """Looks at the files that a stream has read, as Spark's log in a directory lists them."""

    def __init__(self, stream: StreamDefinition, log: Path) -> None:
        self._stream, self._log = stream, log / "sources" / "0"
        self._times: dict[str, int] = {}
        self._parsed: set[str] = set()
        self._changed: dict[str, int] = {}
        self._gone: set[str] = set()
        self._below = _below({name.lower(): value for name, value in stream.options})
        self._next = 0.0
        if self._below:
            _warn(stream, self._below)

    @property
    def remark(self) -> str:
        """What is not read at present."""
        changed = _such(self._changed, "changed after being read")
        return "; ".join(filter(None, (_such(self._gone, "gone before being read"), changed, self._below)))

    def read(self, files: Iterable[str]) -> None:
        """These were read just now; what is not there any more was not there then, or only for a part of it."""
        local = (unquote(urlsplit(file).path) for file in files if file.startswith("file:"))
        for path in (path for path in local if not Path(path).exists()):
            self._gone.add(path)
            _warn(self._stream, f"{path} is gone, and its rows are missing, unless it went while it was read")

    def look(self, at_once: bool = False) -> None:
        """Tell of files that have changed since they were read, each time that they do."""
        if time.monotonic() < self._next and not at_once:
            return
        self._next = time.monotonic() + _EVERY
        for path, read in self._files():
            now = _modified(path)
            if now is not None and now != read and self._changed.get(path) != now:
                self._changed[path] = now
                what = f"{path} has changed since it was read, and is not read again"
                _warn(self._stream, f"{what}: put rows into new files, and files there as a whole (mv)")

    def _files(self) -> Iterator[tuple[str, int]]:
        """The files that were read, and of when they were then, in milliseconds."""
        for path in needed(self._log):
            with suppress(OSError):  # Spark may have deleted it meanwhile
                if path.name not in self._parsed and path.stat().st_size <= _LARGEST_LOG:
                    entries = map(json.loads, path.read_text(encoding="utf-8").splitlines()[1:])
                    local = [(urlsplit(e["path"]), e["timestamp"]) for e in entries if e["path"].startswith("file:")]
                    self._times |= {unquote(found.path): read for found, read in local}
                    self._parsed.add(path.name)
        yield from self._times.items()


def _such(paths: Iterable[str], how: str) -> str:
    """How many files, with an example."""
    names = sorted(Path(path).name for path in paths)
    return f"{counted(len(names), 'file')} {how}, such as {names[0]}" if names else ""


def _below(options: Mapping[str, str]) -> str:
    """Directories in a stream's directory, in which nothing is read."""
    directory = Path(options.get("path", "").removeprefix("file://"))
    if options.get("recursivefilelookup", "false").lower() == "true" or not options.get("path"):
        return ""
    try:
        found = sorted(
            p.name for p in directory.iterdir() if p.is_dir() and p.name[0] not in "._" and "=" not in p.name
        )
    except OSError:
        return ""
    what = f"nothing is read in the directory {found[0]} of {directory}" if found else ""
    return f"{what}, without recursiveFileLookup = 'true'" if what else ""


def _modified(path: str) -> int | None:
    try:
        return Path(path).stat().st_mtime_ns // 1_000_000
    except OSError:
        return None  # it is gone, or is not of this machine


def _warn(stream: StreamDefinition, what: str) -> None:
    logging.getLogger("datacell").warning("stream %s: %s", stream.name, what)
