"""What answers a new query: a factory that asks the same, a family that it joins or founds, or a factory of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from datacell.algebra.members import family
from datacell.algebra.positions import FOREVER
from datacell.algebra.query import Query
from datacell.algebra.template import template
from datacell.algebra.window import instant_text
from datacell.compile import Compiled
from datacell.errors import DataCellError
from datacell.runtime.net.factory import Factory
from datacell.runtime.net.families import Family
from datacell.runtime.net.members import Members, missed_by
from datacell.runtime.storage.answered import Answered, AskedQueries


def answers(net: Members, asked: AskedQueries, name: str, query: Query, may_share: bool) -> Answered:
    """What answers a query: as is written down, if it goes on; else what may be shared, or a new factory."""
    known = asked.of(name)
    if known is not None:
        return known

    def is_free(free: str) -> bool:
        return free not in net.factories and not asked.by(free)

    if may_share:
        there = net.queries.equal_to(query)
        if there is not None:
            return _joined(net, name, there)
        found = template(query)
        if found is not None and (there := net.queries.family_of(found[0])) is not None:
            assert there.family is not None
            number = there.family.number(found[1])
            return replace(_joined(net, name, there), member=number, constants=found[1])
        if found is not None and net.queries.founds(found[0]):
            founded = next(filter(is_free, _names(f"family of {name}")))
            return Answered(name, founded, query.text, member=0, constants=found[1])
    return Answered(name, next(filter(is_free, _names(name))), query.text)


@dataclass(frozen=True)
class Described:
    """A factory that is to be: what it runs, and whom it answers first."""

    answered: Answered
    compiled: Compiled
    family: Family | None = None


def described(
    net: Members,
    asked: AskedQueries,
    query: Query,
    answered: Answered,
    compiles: Callable[[Query], Compiled],
    directory: Callable[[str], Path],
) -> Described:
    """A new factory, for the query that it is made from. A family that cannot be compiled is not founded.

    `directory` is where what a factory keeps is, by its name.
    """
    found = None if answered.member is None else template(query)
    if found is None:
        return Described(answered, compiles(query))
    try:
        one, axes = family(query, found[0])
        made = compiles(one)
    except DataCellError:
        if asked.of(answered.query) is not None:
            raise
        net.queries.keep_apart(found[0])
        return Described(answers(net, asked, answered.query, query, may_share=True), compiles(query))
    return Described(
        answered, made, Family(found[0], axes, directory(answered.factory), asked.records(answered.factory))
    )


def _joined(net: Members, name: str, factory: Factory) -> Answered:
    """From its next firing on; rows that were late before were not late for this query."""
    text, since = factory.compiled.logical.text, factory.output.next_number
    return Answered(name, factory.name, text, since, _reached(factory) if since else "", missed_by(net, factory))


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
