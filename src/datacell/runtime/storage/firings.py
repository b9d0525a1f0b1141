"""The files of an output's firings: one for each, which names what executors have written for it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

from datacell.engines.protocol import Csv, Files
from datacell.runtime.storage import files
from datacell.runtime.storage.parts import manifest, require
from datacell.runtime.storage.seal import missing

_SUFFIX = ".arrow"
_FILES = "files′"

Answer: TypeAlias = pa.Table | Files
"""Rows in the driver, or on the cluster."""


@dataclass(frozen=True)
class Bound:
    """How many firings, and bytes of them, are kept for those who only read along."""

    firings: int = 1_000
    bytes: int = 64 << 20
    undelivered: int = 1 << 30
    """Bytes of firings that wait for those who must have them, from which on a query takes no more rows."""


class StoredFirings:
    """By number. Not thread-safe: the output's lock guards it."""

    def __init__(self, directory: Path, schema: pa.Schema) -> None:
        self.directory, self.schema = directory, schema
        self._paths = dict(files.numbered(directory, _SUFFIX))
        self._sizes: dict[int, int] = {}
        self.bytes = 0
        self._beside: dict[int, tuple[str, ...]] = {}
        """The files that a firing's file names."""
        self._require_all()
        for number in self._paths:
            self._weigh(number)

    @property
    def numbers(self) -> list[int]:
        """In order."""
        return sorted(self._paths)

    def write(self, number: int, content: Answer, state: dict[str, Any]) -> Path:
        """Its file; `note` tells when it counts as being there."""
        path = self.directory / files.numbered_name(number, _SUFFIX)
        if isinstance(content, Files):
            csv = None if content.csv is None else asdict(content.csv)
            there = {_FILES: self._names(content), "count": content.count, "csv": csv}
            there["parts"] = manifest(self.directory, content.paths)
            files.write_table(path, self.schema.empty_table(), {**state, **there})
        else:
            files.write_table(path, content, state)
        return path

    def note(self, number: int, path: Path, content: Answer) -> None:
        """The firing is there."""
        self._paths[number] = path
        self._beside[number] = tuple(self._names(content)) if isinstance(content, Files) else ()
        self._weigh(number)

    def read(self, number: int) -> tuple[Answer, dict[str, Any]]:
        rows, state = files.read_table(self._paths[number])
        if _FILES not in state:
            return rows, state
        paths = (str(self.directory / name) for name in state.pop(_FILES))
        csv = state.pop("csv")
        state.pop("parts", None)
        return Files(tuple(paths), state.pop("count"), None if csv is None else Csv(**csv)), state

    def remove(self, number: int) -> None:
        """A firing's file, and what it names; the file first, so that it never names what is not there."""
        path = self._paths.pop(number)
        names = self._beside.pop(number)
        files.remove(path, directories=[self.directory / name for name in names])
        self.bytes -= self._sizes.pop(number, 0)

    def first_within(self, bound: Bound, below: int) -> int:
        """The first firing that stays within the bound, of those below a number; the others do not count."""
        first, size = below, 0
        for number in [n for n in reversed(self.numbers) if n < below][: bound.firings]:
            size += self._sizes[number]
            if size > bound.bytes:
                break
            first = number
        return first

    def bytes_from(self, number: int) -> int:
        """Of the firings from this number on."""
        return sum(size for one, size in self._sizes.items() if one >= number)

    def _weigh(self, number: int) -> None:
        beside = [self.directory / name for name in self._beside.get(number, ())]
        inside = [path for one in beside for path in one.rglob("*") if path.is_file()]
        self.bytes -= self._sizes.get(number, 0)
        self._sizes[number] = sum(path.stat().st_size for path in (self._paths[number], *inside))
        self.bytes += self._sizes[number]

    def _names(self, content: Files) -> list[str]:
        return [str(Path(path).relative_to(self.directory)) for path in content.paths]

    def _require_all(self) -> None:
        """Firings leave in order, so there is no gap between those that are there; and what they name is there."""
        for number in range(min(self._paths, default=0), max(self._paths, default=0)):
            if number not in self._paths:
                raise missing(self.directory / files.numbered_name(number, _SUFFIX))
        for number, path in self._paths.items():
            state = files.read_table(path)[1]
            require(self.directory, state.get("parts", {}))
            self._beside[number] = tuple(state.get(_FILES, ()))


def remove_directories(paths: Iterable[Path]) -> None:
    for path in paths:
        shutil.rmtree(path, ignore_errors=True)
