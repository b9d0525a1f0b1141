"""The versions of one table that queries have pinned. A version never changes; it leaves when nobody has pinned it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

from datacell.engines.protocol import Files
from datacell.runtime.plans.memory import DriverMemory
from datacell.runtime.storage import files
from datacell.runtime.storage.parts import Manifest, manifest, require

Rows: TypeAlias = pa.Table | Files
"""In the driver, or on the cluster."""

HELD = "a table as queries see it"
_PINS, _ARROW, _PARQUET = "pins.json", ".arrow", ".parquet"


@dataclass(frozen=True, eq=False)
class Version:
    """The rows of a table at an instant; `made_of` tells one definition of it from another."""

    number: int
    rows: Rows
    at: datetime
    made_of: str
    parts: Manifest = field(default_factory=dict)
    """What executors have written of it, as it was then."""

    @property
    def bytes(self) -> int:
        return 0 if isinstance(self.rows, Files) else self.rows.nbytes


class TableVersions:
    """Of one table, in a directory; `is_alive` says of the id of a query whether there is still such a one."""

    def __init__(self, directory: Path, memory: DriverMemory, is_alive: Callable[[str], bool]) -> None:
        self._directory, self._memory = directory, memory
        self._versions: dict[int, Version] = {}
        self._pins: dict[str, int] = {}
        self._next = 0
        if (directory / _PINS).exists():
            self._recover(is_alive)

    @property
    def directory_of_next(self) -> str:
        """Where executors put a version that does not fit into the driver."""
        return str(self._path(self._next, _PARQUET))

    def of(self, query: str) -> Version | None:
        """What a query has pinned."""
        return self._versions.get(self._pins.get(query, -1))

    def pin(self, queries: Iterable[str], rows: Rows, at: datetime, made_of: str) -> None:
        """These queries see these rows from now on. Once this returns, they also do after a restart."""
        number = self._add(rows, at, made_of)
        self._pins |= dict.fromkeys(queries, number)
        self._settle()

    def forget(self, query: str) -> None:
        if self._pins.pop(query, None) is not None:
            self._settle()

    def _add(self, rows: Rows, at: datetime, made_of: str) -> int:
        """The number of a version with these rows; if nothing has changed, there is no new one."""
        number = self._next
        newest = self._versions.get(number - 1)
        if newest is not None and newest.made_of == made_of and _equal(newest.rows, rows):
            self._versions[newest.number] = replace(newest, at=at)
            self._hold(self._versions[newest.number])
            return newest.number
        if not isinstance(rows, Files):
            files.save_table(self._path(number, _ARROW), rows)
        parts = manifest(self._directory, rows.paths) if isinstance(rows, Files) else {}
        self._versions[number] = Version(number, rows, at, made_of, parts)
        self._hold(self._versions[number])
        self._next += 1
        return number

    def _hold(self, version: Version) -> None:
        self._memory.holds(version, version.bytes)

    def _settle(self) -> None:
        """Write who has pinned what; then let go of what nobody has."""
        gone = [number for number in self._versions if number not in self._pins.values()]
        left = {n: _noted(version) for n, version in self._versions.items() if n not in gone}
        saved = {"next": self._next, "pins": self._pins, "versions": left}
        files.save_json(self._directory / _PINS, saved)
        for number in gone:
            del self._versions[number]
            files.remove(self._path(number, _ARROW), directories=[self._path(number, _PARQUET)])

    def _recover(self, is_alive: Callable[[str], bool]) -> None:
        saved = files.read_json(self._directory / _PINS)
        self._next, self._pins = saved["next"], {q: n for q, n in saved["pins"].items() if is_alive(q)}
        for key, noted in saved["versions"].items():
            if int(key) in self._pins.values():
                rows, at, parts = self._rows(int(key), noted), _instant(noted["at"]), noted.get("parts", {})
                version = Version(int(key), rows, at, noted["made of"], parts)
                self._versions[version.number] = version
                self._hold(version)

    def _rows(self, number: int, noted: dict[str, Any]) -> Rows:
        if "count" not in noted:
            return files.read_table(self._path(number, _ARROW))[0]
        require(self._directory, noted.get("parts", {}), HELD)
        return Files((str(self._path(number, _PARQUET)),), noted["count"])

    def _path(self, number: int, suffix: str) -> Path:
        return self._directory / files.numbered_name(number, suffix)


def _equal(one: Rows, other: Rows) -> bool:
    """Of what executors have written nobody asks."""
    return isinstance(one, pa.Table) and isinstance(other, pa.Table) and one.equals(other)


def _noted(version: Version) -> dict[str, Any]:
    noted: dict[str, Any] = {"at": version.at.isoformat(), "made of": version.made_of}
    if isinstance(version.rows, Files):
        noted |= {"count": version.rows.count, "parts": version.parts}
    return noted


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)
