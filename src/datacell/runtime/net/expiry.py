"""Expiry: rows and state leave when nobody needs them any more."""

from __future__ import annotations

from datacell.runtime.net.factory import known_as
from datacell.runtime.net.members import Members
from datacell.runtime.net.stopped import MOST_KEPT, lost
from datacell.runtime.streams.batch import Axis

LARGEST_UNREAD = 256 << 20
"""Bytes that a basket without readers keeps, for one-time queries."""


def expire(net: Members) -> None:
    """Evaluations let go first: what they still need decides what baskets keep."""
    for factory in net.factories.values():
        factory.expire()
        held = max(map(factory.baskets.__getitem__, factory.streams), key=lambda basket: basket.size())
        if factory.stopped is not None and not factory.stopped.is_lost and held.size() > MOST_KEPT:
            factory.stopped = lost(factory.stopped, known_as(factory), factory.output.directory)
    for stream in net.streams:
        _expire_basket(net, stream)


def _expire_basket(net: Members, stream: str) -> None:
    basket, readers, keeper = net.streams[stream].basket, net.readers(stream), net.streams[stream].keeper
    if readers or keeper is not None:
        needs = [] if keeper is None else keeper.oldest_needed(stream)
        for factory in readers:
            own = factory.oldest_needed(stream)
            if factory.baskets[stream] is not basket:
                factory.baskets[stream].expire(own)
            needs += own
        basket.expire(needs)
        return
    while basket.size() > LARGEST_UNREAD and len(basket.batches) > 1:
        basket.let_go += len(basket.batches[0].rows)
        basket.expire([(Axis.NUMBER, basket.batches[1].first)])
