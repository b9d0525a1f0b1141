"""What names stand for: streams, tables, continuous queries, emitters. Names compare without regard to case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from datacell.algebra.definitions import REJECTED, EmitterDefinition, StreamDefinition
from datacell.algebra.query import Query
from datacell.algebra.schema import Field

_Thing = TypeVar("_Thing")
TableFinder = Callable[[str], "tuple[Field, ...] | None"]


def no_tables(name: str) -> tuple[Field, ...] | None:
    return None


@dataclass(frozen=True)
class Catalog:
    """Immutable; a statement's effect is a new catalog. `find_table` asks elsewhere for tables not made here."""

    streams: Mapping[str, StreamDefinition] = field(default_factory=dict)
    tables: Mapping[str, tuple[Field, ...]] = field(default_factory=dict)
    queries: Mapping[str, Query] = field(default_factory=dict)
    emitters: Mapping[str, EmitterDefinition] = field(default_factory=dict)
    feeds: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The streams that INSERT INTO reads to feed each stream."""
    find_table: TableFinder = no_tables

    def stream(self, name: str) -> StreamDefinition | None:
        return self.streams.get(name.lower())

    def query(self, name: str) -> Query | None:
        return self.queries.get(name.lower())

    def emitter(self, name: str) -> EmitterDefinition | None:
        return self.emitters.get(name.lower())

    def table(self, name: str) -> tuple[Field, ...] | None:
        """A table, the basket of a stream's late or rejected rows, or the latest answer of a query."""
        found = self.tables.get(name.lower()) or self._side_basket(name.lower())
        if found is None and (query := self.query(name)) is not None:
            return query.result.fields
        return found if found is not None else self.find_table(name)

    def is_table(self, name: str) -> bool:
        """Has the script made such a table or view, be its columns known or not?"""
        return name.lower() in self.tables

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

    def with_stream(self, stream: StreamDefinition) -> Catalog:
        return replace(self, streams={**self.streams, stream.name.lower(): stream})

    def with_query(self, name: str, query: Query) -> Catalog:
        return replace(self, queries={**self.queries, name.lower(): query})

    def with_emitter(self, emitter: EmitterDefinition) -> Catalog:
        return replace(self, emitters={**self.emitters, emitter.name.lower(): emitter})

    def with_table(self, name: str, columns: tuple[Field, ...]) -> Catalog:
        """`columns` is empty if only Spark knows them."""
        return replace(self, tables={**self.tables, name.lower(): columns})

    def with_feed(self, target: str, sources: Iterable[str]) -> Catalog:
        known = self.feeds.get(target.lower(), frozenset())
        return replace(self, feeds={**self.feeds, target.lower(): known.union(s.lower() for s in sources)})

    def without_stream(self, name: str) -> Catalog:
        """The INSERTs that read the stream or feed it end with it."""
        gone = name.lower()
        feeds = {target: sources - {gone} for target, sources in self.feeds.items() if target != gone}
        return replace(self, streams=_without(self.streams, name), feeds=feeds)

    def without_query(self, name: str) -> Catalog:
        return replace(self, queries=_without(self.queries, name))

    def without_emitter(self, name: str) -> Catalog:
        return replace(self, emitters=_without(self.emitters, name))

    def without_table(self, name: str) -> Catalog:
        return replace(self, tables=_without(self.tables, name))

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
        return stream.fields if side == "late" else REJECTED


def _without(things: Mapping[str, _Thing], name: str) -> dict[str, _Thing]:
    return {key: thing for key, thing in things.items() if key != name.lower()}
