"""The thesis' strategies: what a factory reads of a stream, and how people are told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from datacell.compile import Compiled
from datacell.runtime.net.chain import predicate_of, require_disjoint, wanted_of
from datacell.runtime.net.factory import Factory, known_as
from datacell.runtime.net.sharing import Sharing
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.own_basket import ChainedBasket, SeparateBasket

SHOWN = 3
"""Names of others that are told."""


def basket_for(sharing: Sharing, basket: Basket, compiled: Compiled, stream: str) -> Basket:
    """The basket of the stream, or one of its own."""
    match sharing:
        case Sharing.SEPARATE:
            return SeparateBasket(basket, compiled.columns_read(stream))
        case Sharing.CHAINED:
            return ChainedBasket(basket, wanted_of(compiled, stream))
    return basket


def require_room(sharing: Sharing, name: str, compiled: Compiled, others: Iterable[Factory]) -> None:
    """An error if a new factory could not be where the others are: in a chain each has rows of its own."""
    if sharing is Sharing.CHAINED:
        require_disjoint(name, compiled, others)


def told(sharing: Sharing, factory: Factory, factories: Iterable[Factory]) -> str:
    """What a factory shares of its streams; nothing if equal queries are one, for then that is told."""
    if sharing is Sharing.AUTO:
        return ""
    return "; ".join(_told(sharing, factory, [f for f in factories if f is not factory]))


def _told(sharing: Sharing, factory: Factory, others: Sequence[Factory]) -> Iterator[str]:
    for stream in factory.streams:
        beside = [known_as(other) for other in others if stream in other.streams]
        match sharing:
            case Sharing.SEPARATE:
                yield f"own basket: a copy of {', '.join(factory.baskets[stream].schema.names)} of {stream}"
            case Sharing.CHAINED:
                takes = f"takes {predicate_of(factory.compiled, stream)} of {stream}"
                yield f"{takes}, chained with {_names(beside)}" if beside else takes
            case _ if beside:
                yield f"basket of {stream} shared with {_names(beside)}"


def _names(names: Sequence[str]) -> str:
    shown = list(islice(names, SHOWN if len(names) > SHOWN + 1 else None))
    left = len(names) - len(shown)
    return ", ".join([*shown, *([f"{left:,} others"] if left else [])])
