"""Backpressure: a stream waits until a slower one that is read with it has caught up.

It also waits while too many of the answers that its rows lead to are not delivered: they are never let go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from datacell.errors import EmitterError
from datacell.runtime.net.factory import Factory
from datacell.runtime.net.feeder import Feeder
from datacell.runtime.streams.stream import RunningStream

LARGEST_BASKET = 1 << 30
"""Bytes from which on a basket takes no more while a slower stream of the same query can still catch up."""


class _Members(Protocol):
    streams: dict[str, RunningStream]
    feeders: dict[str, Feeder]

    def readers(self, stream: str) -> list[Factory]: ...


def has_room(net: _Members, stream: str) -> bool:
    """Is the basket small, with what readers made of it, or does nobody who is still read hold its answers back?"""
    streams: Mapping[str, RunningStream] = net.streams
    running = streams[stream]
    readers = [factory for factory in net.readers(stream) if factory.stopped is None]
    held = [held for factory in readers if (held := factory.evaluation.held()) is not None]
    own = (b for factory in readers if (b := factory.baskets[stream]) is not running.basket)
    if running.basket.size() + sum(b.size() for b in own) + sum(one.bytes for one in held) <= LARGEST_BASKET:
        return True
    beside = {s for factory in readers for s in factory.streams}
    slower = [s for s in beside if s != stream and streams[s].watermark() < running.watermark()]
    return not any(streams[s].is_read() and not streams[s].idle() for s in slower)


def full(net: _Members, stream: str) -> Factory | None:
    """A factory to which rows of the stream come, also by way of others, and whose answers nobody takes."""
    return next((factory for factory in _downstream(net, [stream]) if factory.output.is_full()), None)


def undelivered(factory: Factory) -> EmitterError:
    """What is said where nobody waits any longer."""
    output = factory.output
    name, taker = min(output.takers.items(), key=lambda one: one[1].cursor())
    why = taker.trouble() or "it takes too long"
    return EmitterError(
        f"emitter {name} cannot deliver, and {output.undelivered() >> 20:,} MB of answers wait for it: {why}",
        hint="fix it and run again with the same checkpoint: nothing is lost",
    )


def _downstream(net: _Members, streams: Iterable[str]) -> Iterator[Factory]:
    """All that rows of these streams lead to. They never run in a circle."""
    for stream in streams:
        for factory in net.readers(stream):
            yield factory
            fed = (feeder for feeder in net.feeders.values() if feeder.source == factory.name)
            yield from _downstream(net, [feeder.stream.definition.name for feeder in fed])
