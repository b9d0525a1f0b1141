"""Backpressure: a stream that runs ahead waits until a slower one that is read with it has caught up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from datacell.runtime.net.factory import Factory
from datacell.runtime.streams.stream import RunningStream

LARGEST_BASKET = 1 << 30
"""Bytes from which on a basket takes no more while a slower stream of the same query can still catch up."""


class _Members(Protocol):
    streams: dict[str, RunningStream]

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
