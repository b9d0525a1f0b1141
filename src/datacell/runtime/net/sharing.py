"""Who shares with whom: queries that ask the same of the same streams are answered by one factory, and so are those
that differ in constants alone (`families`).

What a factory keeps is kept once, and every firing is computed and written once; each query has its own name, life and
emitters, and reads on from the firing at which it came. A query that is created later starts from what the factory
holds: its first answer is the one that it would have given had it been there all the time. The last one to be dropped
takes the factory along.

By themselves do not share: queries over tables, because each sees the version that was there when it started; what is
inserted into a stream, because its firings are batches of that stream; and a query that has stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

import pyarrow as pa

from datacell.algebra.normal import Normal, may_share, normal
from datacell.algebra.query import Query
from datacell.algebra.template import Template, template
from datacell.runtime.net.factory import Factory
from datacell.runtime.storage.answered import Answered
from datacell.runtime.storage.output import Firing


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

    def its(self, firing: Firing) -> Firing:
        """What of a firing of the factory is this query's."""
        family, member = self.factory.family, self.answered.member
        return firing if family is None or member is None else family.by_member.firing(firing, member)

    @property
    def result_names(self) -> tuple[str, ...]:
        """Of the columns of its answers."""
        family = self.factory.family
        return self.factory.compiled.logical.result_names if family is None else family.template.result_names

    def latest(self) -> pa.Table:
        """Its latest answer."""
        family, member, found = self.factory.family, self.answered.member, self.factory.latest()
        return found if family is None or member is None else family.by_member.rows(found, member)


class Queries(Mapping[str, NamedQuery]):
    """The continuous queries of a net by their names, and the factories that more may join, by what they answer."""

    def __init__(self) -> None:
        self._named: dict[str, NamedQuery] = {}
        self._joined: dict[Normal, Factory] = {}
        self._families: dict[Normal, Factory] = {}
        """By templates."""
        self._alone: Counter[Normal] = Counter()
        """How many queries of a template came before there was a family."""
        self._apart: set[Normal] = set()
        """Templates of which no family is made."""

    def __getitem__(self, name: str) -> NamedQuery:
        return self._named[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)

    def equal_to(self, query: Query) -> Factory | None:
        """A factory at work that answers the same, and may be joined."""
        return _at_work(self._joined.get(normal(query)) if may_share(query) else None)

    def family_of(self, found: Template) -> Factory | None:
        """A family at work that a query of this template may join."""
        return _at_work(self._families.get(found.key))

    def sharing_with(self, query: Query) -> Factory | None:
        """What would answer a query beside others."""
        equal, found = self.equal_to(query), template(query)
        return equal if equal is not None or found is None else self.family_of(found[0])

    def founds(self, found: Template) -> bool:
        """Are there enough queries of this template, which has no family, for one?"""
        return self._alone[found.key] >= found.alone_before and found.key not in self._apart

    def keep_apart(self, found: Template) -> None:
        """There will be no family of this template."""
        self._apart.add(found.key)

    def add(self, query: NamedQuery) -> None:
        """A query whose factory is there."""
        self._named[query.name] = query
        if query.factory.family is not None and query.name not in query.factory.family:
            query.factory.family.add(query.answered)
        query.factory.queries[query.name] = query.since
        query.factory.output.readers[query.name] = query.since

    def may_join(self, factory: Factory) -> None:
        """From now on others that ask the same, or the same but for constants, may be answered by the factory, too."""
        if factory.family is not None:
            self._families[factory.family.template.key] = factory
        elif may_share(factory.compiled.logical):
            self._joined.setdefault(normal(factory.compiled.logical), factory)
            if (found := template(factory.compiled.logical)) is not None:
                self._alone[found[0].key] += 1

    def remove(self, name: str) -> Factory | None:
        """A query goes; its factory, if that has no other one to answer."""
        gone = self._named.pop(name)
        factory = gone.factory
        if factory.family is not None:
            factory.family.remove(gone.answered)
        factory.queries.pop(name)
        factory.output.readers.pop(name)
        if factory.queries:
            return None
        for key in [key for key, found in self._joined.items() if found is factory]:
            del self._joined[key]
        for template_key in [key for key, found in self._families.items() if found is factory]:
            del self._families[template_key]
        return factory


def others(mine: NamedQuery) -> Iterator[str]:
    """Those with which a query shares its factory."""
    return (name for name in mine.factory.queries if name != mine.name)


def _at_work(factory: Factory | None) -> Factory | None:
    return None if factory is None or factory.stopped is not None else factory
