"""What names stand for: streams, tables, continuous queries, emitters. Names compare without regard to case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from datacell.algebra.analysis import Analyze, FindFunction, no_analysis, no_function
from datacell.algebra.definitions import REJECTED, EmitterDefinition, StreamDefinition, TableDefinition
from datacell.algebra.query import Query
from datacell.algebra.schema import Field
from datacell.sql.said import Said

Meaning = TypeVar("Meaning")
TableFinder = Callable[[str], "tuple[Field, ...] | None"]


def no_tables(name: str) -> tuple[Field, ...] | None:
    return None


def no_definition(name: str) -> TableDefinition:
    return TableDefinition()


class ByName(Mapping[str, Meaning]):
    """What each name stands for. Immutable, as the catalog is."""

    def __init__(self, meanings: Mapping[str, Meaning] | None = None) -> None:
        self._meanings = {name.lower(): meaning for name, meaning in (meanings or {}).items()}

    def __getitem__(self, name: str) -> Meaning:
        return self._meanings[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._meanings)

    def __len__(self) -> int:
        return len(self._meanings)

    def having(self, name: str, meaning: Meaning) -> ByName[Meaning]:
        return ByName({**self._meanings, name.lower(): meaning})

    def without(self, name: str) -> ByName[Meaning]:
        return ByName({key: meaning for key, meaning in self._meanings.items() if key != name.lower()})


@dataclass(frozen=True)
class Catalog:
    """Immutable; a statement's effect is a new catalog. `find_table` asks elsewhere for tables not made here."""

    streams: ByName[StreamDefinition] = field(default_factory=ByName)
    tables: ByName[tuple[Field, ...]] = field(default_factory=ByName)
    queries: ByName[Query] = field(default_factory=ByName)
    emitters: ByName[EmitterDefinition] = field(default_factory=ByName)
    feeds: ByName[frozenset[str]] = field(default_factory=ByName)
    """The streams that INSERT INTO reads to feed each stream."""
    find_table: TableFinder = no_tables
    definitions: ByName[TableDefinition] = field(default_factory=ByName)
    find_definition: Callable[[str], TableDefinition] = no_definition
    analyze: Analyze = no_analysis
    """Asks a database what a text means; None if there is nobody to ask, `AnalysisError` if it means nothing."""
    find_function: FindFunction = no_function
    """Asks it for functions that the user has made."""
    said: Said = field(default_factory=Said, compare=False, repr=False)
    """What it has said of texts."""

    def stream(self, name: str) -> StreamDefinition | None:
        return self.streams.get(name)

    def query(self, name: str) -> Query | None:
        return self.queries.get(name)

    def emitter(self, name: str) -> EmitterDefinition | None:
        return self.emitters.get(name)

    def table(self, name: str) -> tuple[Field, ...] | None:
        """A table, the basket of a stream's late or rejected rows, or the latest answer of a query."""
        found = self.tables.get(name) or self._side_basket(name.lower())
        if found is None and (query := self.query(name)) is not None:
            return query.result.fields
        return found if found is not None else self.find_table(name)

    def definition(self, name: str) -> TableDefinition:
        """What is said of a table beside its columns."""
        return self.definitions.get(name) or self.find_definition(name)

    def is_table(self, name: str) -> bool:
        """Has the script made such a table or view, be its columns known or not?"""
        return name in self.tables

    def is_derived(self, name: str) -> bool:
        """Is this the answer of a query, or a basket that a stream keeps beside its own?"""
        return self.query(name) is not None or self._side_basket(name.lower()) is not None

    def names(self) -> list[str]:
        return [*(s.name for s in self.streams.values()), *self.tables, *self.queries]

    def kind(self, name: str) -> str | None:
        """What a name is taken by."""
        if self.stream(name) is not None:
            return "stream"
        if self.query(name) is not None:
            return "continuous query"
        return "table" if self.table(name) is not None else None

    def with_feed(self, target: str, sources: Iterable[str]) -> Catalog:
        known = self.feeds.get(target, frozenset())
        return replace(self, feeds=self.feeds.having(target, known.union(s.lower() for s in sources)))

    def without_stream(self, name: str) -> Catalog:
        """The INSERTs that read the stream or feed it end with it."""
        feeds = ByName({target: sources - {name.lower()} for target, sources in self.feeds.without(name).items()})
        return replace(self, streams=self.streams.without(name), feeds=feeds)

    def fed_by(self, name: str) -> frozenset[str]:
        """The stream itself and all whose rows come to it by way of INSERT INTO, however far."""
        found, new = frozenset[str](), frozenset({name.lower()})
        while new - found:
            found |= new
            new = frozenset[str]().union(*(self.feeds.get(stream, frozenset()) for stream in found))
        return found

    def _side_basket(self, name: str) -> tuple[Field, ...] | None:
        base, _, side = name.rpartition("__")
        stream = self.stream(base) if base else None
        if stream is None or side not in ("late", "rejected"):
            return None
        return stream.late_fields if side == "late" else REJECTED
