"""By what each query is answered: a factory may answer several that ask the same.

::

    asked/NAME.json     the factory of a query, the text it was made from, and since when the query reads its answers;
                        of a query in a family also its number and its constants

A record is written before anything of the query is, and goes last. It stands for the query whatever a later run asks
for: who shares with whom is decided once.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from datacell.runtime.storage import files
from datacell.runtime.storage.names import file_name


@dataclass(frozen=True)
class Answered:
    """By the factory of that name, which was made from a text; since the firing of that number.

    `after` says since when in words, if there were answers before; `missed` counts the late rows before. In a family
    `member` is the number by which answers are told apart, and `given` the greatest that was ever given, as far as this
    record knows.
    """

    query: str
    factory: str
    text: str
    since: int = 0
    after: str = ""
    missed: int = 0
    member: int | None = None
    constants: tuple[str, ...] = ()
    given: int = -1


class AskedQueries:
    """The records of all queries that there are."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        found = [_record(files.read_json(path)) for path in sorted(directory.glob("*.json"))]
        self._records = {record.query.lower(): record for record in found}
        self._by_factory: dict[str, dict[str, None]] = {}
        for record in found:
            self._of(record.factory)[record.query] = None

    def of(self, query: str) -> Answered | None:
        return self._records.get(query.lower())

    def put(self, record: Answered) -> None:
        """Once this returns, it is so also after a restart."""
        files.save_json(self._path(record.query), asdict(record))
        self._records[record.query.lower()] = record
        self._of(record.factory)[record.query] = None

    def forget(self, query: str) -> None:
        """The query is gone."""
        record = self._records.get(query.lower())
        if record is not None:
            self._keep_number(record)
            del self._records[query.lower()]
            del self._of(record.factory)[record.query]
            files.remove_all(self._path(query))

    def by(self, factory: str) -> list[str]:
        """The queries that a factory answers, also such as have not been created again in this run."""
        return list(self._of(factory))

    def records(self, factory: str) -> list[Answered]:
        """The same with all that is known of them."""
        return [self._records[query.lower()] for query in self.by(factory)]

    def _keep_number(self, gone: Answered) -> None:
        """No number of a member is given again: another record knows of the greatest one."""
        if gone.member is None:
            return
        others = [record for record in self.records(gone.factory) if record is not gone]
        greatest = max(gone.member, gone.given)
        if others and all(max(record.member or 0, record.given) < greatest for record in others):
            self.put(replace(others[0], given=greatest))

    def _of(self, factory: str) -> dict[str, None]:
        return self._by_factory.setdefault(factory.lower(), {})

    def _path(self, query: str) -> Path:
        return self._directory / f"{file_name(query)}.json"


def _record(found: dict[str, Any]) -> Answered:
    return Answered(**{**found, "constants": tuple(found.get("constants", ()))})
