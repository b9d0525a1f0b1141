"""Who shares with whom: queries that ask the same of the same streams are answered by one factory.

What a factory keeps is kept once, and every firing is computed and written once; each query has its own name, life and
emitters, and reads on from the firing at which it came. A query that is created later starts from what the factory
holds: its first answer is the one that it would have given had it been there all the time. The last one to be dropped
takes the factory along.

By themselves do not share: queries over tables, because each sees the version that was there when it started; what is
inserted into a stream, because its firings are batches of that stream; and a query that has stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from datacell.algebra.normal import Normal, may_share, normal
from datacell.algebra.positions import FOREVER
from datacell.algebra.query import Query
from datacell.algebra.window import instant_text
from datacell.runtime.net.factory import Factory
from datacell.runtime.storage.answered import Answered


class Sharing(Enum):
    """What queries share: all that they can, or by one of the thesis' strategies a basket, or not even that."""

    AUTO = "auto"
    SEPARATE = "separate"
    SHARED = "shared"
    CHAINED = "chained"


@dataclass(frozen=True)
class NamedQuery:
    """A continuous query by its name: the factory that answers it, perhaps with others, and since when."""

    name: str
    factory: Factory
    life: str
    answered: Answered

    @property
    def since(self) -> int:
        """The number of the first firing that is an answer of this query."""
        return self.answered.since


class Queries(Mapping[str, NamedQuery]):
    """The continuous queries of a net by their names, and the factories that more may join, by what they answer."""

    def __init__(self) -> None:
        self._named: dict[str, NamedQuery] = {}
        self._joined: dict[Normal, Factory] = {}

    def __getitem__(self, name: str) -> NamedQuery:
        return self._named[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)

    def equal_to(self, query: Query) -> Factory | None:
        """A factory at work that answers the same, and may be joined."""
        found = self._joined.get(normal(query)) if may_share(query) else None
        return None if found is None or found.stopped is not None else found

    def add(self, query: NamedQuery) -> None:
        """A query whose factory is there."""
        self._named[query.name] = query
        query.factory.queries[query.name] = query.since
        query.factory.output.readers[query.name] = query.since

    def may_join(self, factory: Factory) -> None:
        """From now on others that ask the same may be answered by the factory, too."""
        if may_share(factory.compiled.logical):
            self._joined.setdefault(normal(factory.compiled.logical), factory)

    def remove(self, name: str) -> Factory | None:
        """A query goes; its factory, if that has no other one to answer."""
        factory = self._named.pop(name).factory
        factory.queries.pop(name)
        factory.output.readers.pop(name)
        if factory.queries:
            return None
        for key in [key for key, found in self._joined.items() if found is factory]:
            del self._joined[key]
        return factory


def answered_by(name: str, query: Query, found: Factory | None, late: int, is_free: Callable[[str], bool]) -> Answered:
    """Of a new query: by the factory that was found, from its next firing on, or by a new one, whose name is free.

    `late` is how many rows were late for that factory before.
    """
    if found is None:
        return Answered(name, next(filter(is_free, _names(name))), query.text)
    text, since = found.compiled.logical.text, found.output.next_number
    return Answered(name, found.name, text, since, _reached(found) if since else "", late)


def others(mine: NamedQuery) -> Iterator[str]:
    """Those with which a query shares its factory."""
    return (name for name in mine.factory.queries if name != mine.name)


def _names(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name} ({number})"
        number += 1


def _reached(factory: Factory) -> str:
    """Up to where the answers before were, as far as they go by time."""
    until = max((factory.answered_until(stream) for stream in factory.streams), default=-FOREVER)
    return f"after {instant_text(until)}" if until > -FOREVER else "after those before"
