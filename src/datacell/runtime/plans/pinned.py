"""Tables beside streams: which version of a table a query sees.

Law 13: at each boundary (and instant) all of a query sees one version of each table; an answer never mixes versions.
A table is pinned when the query starts, and stays so after a restart, until REFRESH TABLE or the table's interval
replaces it, between two firings. Queries that have pinned the same version share it.

::

    tables/NAME/pins.json            the versions, and which query has pinned which
    tables/NAME/0000000001.arrow     a version whose home is the driver
    tables/NAME/0000000001.parquet/  one whose home is the cluster, as executors have written it
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from datacell.engines.protocol import Files
from datacell.errors import CheckpointError
from datacell.runtime.plans.memory import DriverMemory
from datacell.runtime.plans.table_versions import Rows, TableVersions
from datacell.runtime.storage.names import file_name

Fetch: TypeAlias = Callable[[str, str], Rows]
"""The rows of a table as they are now. What does not fit into the driver executors put into the directory."""


class PinnedTables:
    """All tables that the queries of a net read. A query is known by an id of its own; not thread-safe."""

    def __init__(
        self,
        root: Path,
        fetch: Fetch,
        now: Callable[[], datetime],
        memory: DriverMemory | None = None,
        is_alive: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """`is_alive` says of the id of a query whether there is still such a one."""
        self._root, self._fetch, self._now, self._is_alive = root, fetch, now, is_alive
        self._memory = DriverMemory() if memory is None else memory
        self._tables: dict[str, TableVersions] = {}
        self._accepted: set[str] = set()
        """Tables that were refreshed in this run: who starts later takes them as they are now."""

    def pin(self, query: str, tables: Mapping[str, str]) -> None:
        """A query starts, or goes on. Of each table it is told how it was made, in any words."""
        for name, definition in tables.items():
            one, made_of = self._table(name), _digest(definition)
            known = one.of(query)
            if known is None or (name.lower() in self._accepted and known.made_of != made_of):
                one.pin([query], self._fetch(name, one.directory_of_next), self._now(), made_of)
            elif known.made_of != made_of:
                raise CheckpointError(
                    f"the table {name} has changed since {self._root.parent} was made: it is defined in other words",
                    hint=f"go on with the old one; or write REFRESH TABLE {name} before the query that reads it, "
                    "which then sees the table as it is now; or start afresh in another directory",
                )

    def rows(self, query: str, name: str) -> Rows:
        """What a query sees of a table."""
        found = self._table(name).of(query)
        if found is None:
            raise KeyError(name)
        return found.rows

    def reader(self, query: str) -> Callable[[str], Rows]:
        return lambda name: self.rows(query, name)

    def latest(self, name: str) -> Rows:
        """A table as it is now, to be put in place later."""
        return self._fetch(name, self._table(name).directory_of_next)

    def replace(self, name: str, rows: Rows, queries: Iterable[str], definition: str) -> None:
        """From now on these queries see these rows; once this returns, also after a restart."""
        self._accepted.add(name.lower())
        if readers := list(queries):
            self._table(name).pin(readers, rows, self._now(), _digest(definition))

    def accept(self, name: str) -> None:
        """Queries that start from now on take the table as it is, also in other words than before."""
        self._accepted.add(name.lower())

    def drop(self, query: str) -> None:
        """A query is gone, and with it what only it has pinned."""
        for directory in self._root.iterdir() if self._root.is_dir() else ():
            self._tables.setdefault(directory.name, self._opened(directory))
        for one in self._tables.values():
            one.forget(query)

    def pinned_at(self, query: str, name: str) -> datetime | None:
        """When the version that a query sees was read."""
        found = self._table(name).of(query)
        return None if found is None else found.at

    def _table(self, name: str) -> TableVersions:
        directory = self._root / file_name(name)
        if directory.name not in self._tables:
            self._tables[directory.name] = self._opened(directory)
        return self._tables[directory.name]

    def _opened(self, directory: Path) -> TableVersions:
        return TableVersions(directory, self._memory, self._is_alive)


def schema_of(rows: Rows | pa.Schema) -> str:
    """The columns of a table, as a part of its definition."""
    schema = rows if isinstance(rows, pa.Schema) else None if isinstance(rows, Files) else rows.schema
    return "" if schema is None else ", ".join(f"{f.name} {f.type}" for f in schema)


def shown(at: datetime) -> str:
    """An instant as it is told to people."""
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _digest(definition: str) -> str:
    """A definition may have a password in it, which belongs into no checkpoint."""
    return sha256(definition.encode()).hexdigest()[:16]
