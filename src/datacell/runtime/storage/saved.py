"""Saved tables: numbered files that only a restart reads.

Nobody restarts a run from a temporary directory, but a query may be started again there: its tables are kept in memory,
where whoever saved them has them anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from datacell.runtime.storage import files

_SUFFIX = ".arrow"


class SavedTables:
    """The tables of a directory, each with something noted beside it."""

    def __init__(self, directory: Path) -> None:
        self._directory, self._is_temporary = directory, files.is_temporary(directory)

    def put(self, number: int, table: pa.Table, noted: dict[str, Any]) -> None:
        """Once this returns, the table is safe."""
        if self._is_temporary:
            files.in_memory(self._directory)[number] = table, noted
        else:
            files.write_table(self._path(number), table, noted)

    def remove(self, number: int, directories: Iterable[Path] = ()) -> None:
        """A table goes, and then directories that only it names."""
        if self._is_temporary:
            files.in_memory(self._directory).pop(number, None)
        files.remove(self._path(number), directories=directories)

    def read(self) -> Iterator[tuple[int, pa.Table, dict[str, Any]]]:
        """All of them, in order."""
        if self._is_temporary:
            for number, found in sorted(files.in_memory(self._directory).items(), key=lambda one: one[0]):
                yield number, *found
            return
        for number, path in files.numbered(self._directory, _SUFFIX):
            yield number, *files.read_table(path)

    def _path(self, number: int) -> Path:
        return self._directory / files.numbered_name(number, _SUFFIX)
