"""Partial deletes: which rows of a stream a query may take for itself, and that no two queries take the same.

What a query wants of a stream are the rows in the region of the filters that stand directly over it, where the
optimizer has put whatever may stand there: filters over windows that count rows, or that go by other rows, stay above,
and then the query wants every row. So does an aggregate without keys at every instant: it is answered from the first
row on, whether that passes or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from sqlglot import exp

from datacell.algebra import region, scalar, tree
from datacell.algebra.plan import Aggregate, Filter, Plan, Stream
from datacell.algebra.query import Timing
from datacell.algebra.region import Region
from datacell.compile import Compiled
from datacell.errors import SqlError
from datacell.runtime.net.factory import Factory, known_as
from datacell.runtime.streams.own_basket import ChainedBasket

NO_FILTER = "no condition on its rows"
_Read: TypeAlias = tuple[Stream, tuple[exp.Expr, ...]]
"""Where a stream is read, and the conditions of the filters directly above."""


def wanted_of(compiled: Compiled, stream: str) -> Region:
    """The rows of a stream that a query may want."""
    return region.join(_region(leaf, conditions) for leaf, conditions in _reads(compiled, stream))


def predicate_of(compiled: Compiled, stream: str) -> str:
    """The same as people read it."""
    found = (scalar.show(scalar.conjoin(list(c))) if c else NO_FILTER for _, c in _reads(compiled, stream))
    return " or ".join(dict.fromkeys(found))


def require_disjoint(name: str, compiled: Compiled, others: Iterable[Factory]) -> None:
    """An error if some other query in a chain could want a row that this one takes."""
    wanted = {stream: wanted_of(compiled, stream) for stream in compiled.streams}
    for other in others:
        for stream, basket in other.baskets.items():
            taken = basket.region if isinstance(basket, ChainedBasket) else region.EVERYTHING
            if stream in wanted and not region.is_disjoint(wanted[stream], taken):
                raise _overlap(name, compiled, other, stream)


def _overlap(name: str, compiled: Compiled, other: Factory, stream: str) -> SqlError:
    there, place = known_as(other), other.compiled.logical.place
    where = "" if place is None else f" ({place.file}, line {place.line})"
    return SqlError(
        f"{name} cannot be chained with {there}{where}: both may want the same rows of {stream}:"
        f" {predicate_of(compiled, stream)}, and {predicate_of(other.compiled, stream)}",
        place=compiled.logical.place,
        hint="chained queries need ranges of constants that exclude each other, below windows that do not count rows;"
        " or --sharing shared",
    )


def _reads(compiled: Compiled, stream: str) -> Iterator[_Read]:
    query = compiled.optimized
    for leaf, conditions in _leaves(query.plan, stream):
        yield leaf, () if query.timing is Timing.EVERY_INSTANT and _counts_nothing(query.plan) else conditions


def _counts_nothing(plan: Plan) -> bool:
    """Is there an answer also where there are no rows?"""
    return any(isinstance(node, Aggregate) and not node.keys for node in tree.descendants(plan))


def _leaves(plan: Plan, stream: str) -> Iterator[_Read]:
    conditions, below = [], plan
    while isinstance(below, Filter):
        conditions.append(below.predicate)
        below = below.child
    if isinstance(below, Stream):
        if below.name == stream:
            yield below, tuple(conditions)
        return
    for child in below.children:
        yield from _leaves(child, stream)


def _region(leaf: Stream, conditions: Iterable[exp.Expr]) -> Region:
    """In the columns of the stream itself."""
    named = dict(zip(leaf.schema.names, (f.name for f in leaf.columns), strict=True))
    found = region.EVERYTHING
    for condition in conditions:
        found = region.meet(found, region.region(condition, leaf.schema))
    return tuple({named[name]: values for name, values in box.items()} for box in found)
