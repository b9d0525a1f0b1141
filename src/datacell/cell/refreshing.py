"""REFRESH TABLE, and tables that are refreshed by themselves: queries see a newer version from the next boundary on."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from threading import Lock

from datacell.algebra.types import uncollated
from datacell.cell.works import Works
from datacell.errors import DataCellError, SqlError
from datacell.runtime.net.factory import Factory
from datacell.runtime.net.refresh import replace_table
from datacell.runtime.plans.pinned import shown
from datacell.sql.catalog import Catalog

_LOG = logging.getLogger("datacell")


class Refreshing:
    """Of the tables that the queries of a cell read."""

    def __init__(self, works: Works) -> None:
        self._works, self._tried = works, dict[str, datetime]()
        self._intervals: dict[str, int | None] = {}
        """What tables say of themselves is asked of Spark once."""
        self._lock = Lock()

    def refresh(self, name: str, catalog: Catalog) -> None:
        """Spark looks at the table again, and what queries have pinned is replaced."""
        with self._lock:
            self._refresh(name, catalog)

    def _refresh(self, name: str, catalog: Catalog) -> None:
        works, definition = self._works, catalog.definition(name)
        readers = works.scheduler.members.readers_of_table(name)
        if readers and definition.is_fixed:
            raise SqlError(
                f"{name} is never refreshed, as it says itself, and {readers[0].name} reads it",
                hint="create it without 'datacell.refresh' = 'never', and the query again",
            )
        works.tables.refresh(name)
        if not readers:
            works.pinned.accept(name)
            return
        self._require_columns(name, readers)
        rows, made_of = works.pinned.latest(name), self.made_of(name, catalog)

        def replaced(reading: Sequence[Factory]) -> None:
            works.pinned.replace(name, rows, [reader.output.life for reader in reading], made_of)

        replace_table(works.scheduler, name, replaced)

    def refresh_due(self, catalog: Catalog) -> None:
        """Refresh the tables whose interval has passed; one that cannot be read is tried again after another."""
        now = self._works.scheduler.members.clock.now()
        for name in {t for f in list(self._works.scheduler.members.factories.values()) for t in f.tables}:
            if name not in self._intervals:
                self._intervals[name] = catalog.definition(name).interval
            interval = self._intervals[name]
            if interval is not None and now - self._since(name) >= timedelta(microseconds=interval):
                self._tried[name] = now
                try:
                    self.refresh(name, catalog)
                except DataCellError as error:
                    _LOG.warning("the table %s stays as it was: %s", name, error.message)

    def made_of(self, name: str, catalog: Catalog) -> str:
        """The definition of a table: the statement that made it, as far as it is known, and its columns."""
        self._intervals.pop(name.lower(), None)
        fields = self._works.tables.find(name) or ()
        return f"{catalog.definition(name).text}\n{', '.join(map(str, fields))}"

    def versions(self) -> dict[str, str]:
        """For each query the tables that it reads, and when the versions that it sees were read."""
        found = {}
        for query, named in list(self._works.scheduler.members.queries.items()):
            factory = named.factory
            read = {t: self._works.pinned.pinned_at(factory.output.life, t) for t in factory.tables}
            found[query] = ", ".join(f"{table} as of {shown(at)}" for table, at in read.items() if at is not None)
        return found

    def _since(self, name: str) -> datetime:
        """When the oldest version was read that a query sees, or the table was last tried."""
        readers = self._works.scheduler.members.readers_of_table(name)
        pinned = [self._works.pinned.pinned_at(reader.output.life, name) for reader in readers]
        oldest = min((at for at in pinned if at is not None), default=self._works.scheduler.members.clock.now())
        return max(oldest, self._tried.get(name, oldest))

    def _require_columns(self, name: str, readers: Sequence[Factory]) -> None:
        """A query was made for certain columns; others may come and go."""
        there = {field.name: uncollated(field.type) for field in self._works.tables.find(name) or ()}
        for reader in readers:
            for field in reader.compiled.columns_of(name):
                if there.get(field.name) != field.type:
                    raise SqlError(
                        f"{name} has no column {field} any more, and {reader.name} reads it",
                        hint=f"DROP CONTINUOUS QUERY {reader.name}, and create it again",
                    )
