"""The scheduler: fires what is enabled, whenever rows have come, time has passed or the input has ended.

One thing happens at a time. A batch is taken, the whole net settles, then the next one is taken; a receptor may read
it meanwhile, and slices may be made of it, which changes nothing yet. So a boundary that is due is answered before any
later row is seen, a full basket holds its receptor back by itself, and how batches of different streams interleave is
the only freedom there is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Condition, RLock

import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.definitions import StreamDefinition
from datacell.algebra.query import Timing
from datacell.algebra.window import Now
from datacell.engines.protocol import Engine
from datacell.runtime.evaluation import Tables
from datacell.runtime.net.clock import Clock
from datacell.runtime.net.factory import Description, Readiness
from datacell.runtime.net.feeder import Feeder
from datacell.runtime.net.petri import Action, Kind, Net, Transition, settle
from datacell.runtime.net.running import RunningFactory
from datacell.runtime.storage.output import Output
from datacell.runtime.streams.basket import Axis
from datacell.runtime.streams.stream import Ahead, RunningStream, TimedReader

LARGEST_BASKET = 1 << 30
"""Bytes from which on a basket takes no more while a slower stream of the same query can still catch up."""

LARGEST_UNREAD = 256 << 20
"""Bytes that a basket without readers keeps, for one-time queries."""


class Scheduler:
    """The running net. Its lock guards everything in it."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.lock = RLock()
        self._settled = Condition(self.lock)
        self._settler = ThreadPoolExecutor(1, "settler")
        self._is_settling = False
        self._failure: BaseException | None = None
        self.reading: Callable[[str], bool] = lambda _: False
        """Is somebody still reading rows into the stream?"""
        self.net = Net()
        self.streams: dict[str, RunningStream] = {}
        self.factories: dict[str, RunningFactory] = {}
        self.feeders: dict[str, Feeder] = {}
        self.drained = False

    def add_stream(self, definition: StreamDefinition, directory: Path) -> RunningStream:
        with self.lock:
            stream = self.streams[definition.name] = RunningStream(definition, directory, self.clock)
            stream.readers = lambda: self._readers(definition.name)
            return stream

    def add_factory(self, description: Description, output: Output, tables: Tables, fallback: Engine) -> RunningFactory:
        with self.lock:
            transition = Transition(
                description.name, Kind.FACTORY, tuple(description.streams), (f"→{description.name}",)
            )
            net = self.net.with_transition(transition)
            baskets = {name: self.streams[name].basket for name in description.streams}
            running = RunningFactory(description, baskets, output, tables, self.readiness, fallback)
            self.net, self.factories[description.name] = net, running
            return running

    def feed(self, factory: str, stream: str) -> None:
        """Let a factory's answers flow into a stream."""
        with self.lock:
            name = f"{factory} → {stream}"
            self.net = self.net.with_transition(Transition(name, Kind.FACTORY, (f"→{factory}",), (stream,)))
            running = self.factories[factory]
            columns = running.description.query.plan.schema.names
            self.feeders[name] = Feeder(factory, running.output, columns, self.streams[stream])

    def drop_factory(self, name: str) -> None:
        with self.lock:
            self.factories.pop(name)
            gone = [n for n, feeder in self.feeders.items() if feeder.source == name]
            for transition in (name, *gone):
                self.net = self.net.without_transition(transition)
                self.feeders.pop(transition, None)

    def drop_stream(self, name: str) -> None:
        with self.lock:
            self.streams.pop(name)

    def deposit(self, stream: str, number: int, rows: pa.Table, rejected: pa.Table) -> None:
        """Take a batch from a receptor and let the net settle."""
        with self.lock:
            self._take(stream, number, rows, rejected)
            self.settle()

    def hand_over(self, stream: str, number: int, rows: pa.Table, rejected: pa.Table) -> None:
        """Take a batch; the net settles while the receptor reads the next one and slices are made of it."""
        ahead = self.streams[stream].ahead(rows)
        with self.lock:
            self._take(stream, number, rows, rejected, ahead)
            self._is_settling = True
            self._settler.submit(self._settle_beside)

    def wait(self) -> None:
        """Until the net has settled after the last batch."""
        with self.lock:
            while self._is_settling:
                self._settled.wait()

    def check(self) -> None:
        """Wait, and raise what went wrong."""
        with self.lock:
            self.wait()
            failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _take(self, stream: str, number: int, rows: pa.Table, rejected: pa.Table, ahead: Ahead | None = None) -> None:
        """A full basket lets the receptor wait."""
        self.check()
        while self._is_full(stream):
            self._settled.wait(0.1)
            self.check()
        self.drained = False
        running = self.streams[stream]
        if not running.basket.holds("receptor", number):
            running.take("receptor", number, rows, rejected, self._timed_readers(stream), ahead)

    def _settle_beside(self) -> None:
        with self.lock:
            try:
                self.settle()
            except BaseException as failure:  # raised where the next batch is taken
                self._failure = failure
            finally:
                self._is_settling = False
                self._settled.notify_all()

    def holds(self, stream: str, number: int) -> bool:
        """Was the batch taken before? Only the receptor that asks takes any, so it need not wait for the net."""
        return self.streams[stream].basket.holds("receptor", number)

    def drain(self) -> None:
        """The input has ended: close every window."""
        with self.lock:
            self.drained = True
            self._fire()

    def fire(self) -> None:
        """Fire what is enabled, and let go of nothing: other readers may still be to come."""
        with self.lock:
            self._fire()

    def settle(self) -> None:
        """Fire what is enabled, then let go of the rows that nobody needs."""
        with self.lock:
            self._fire()
            for factory in self.factories.values():
                factory.expire()
            for name in self.streams:
                self._expire(name)
            self._settled.notify_all()

    def tick(self) -> None:
        """Time passes also when no rows come: idle streams stop holding others back, arrival time goes on."""
        if any(s.idle() or s.definition.event_time is None for s in list(self.streams.values())):
            self.settle()

    def readiness(self, description: Description) -> Readiness:
        """The least watermark of the streams that are not idle, and whether all of them have ended."""
        streams = [self.streams[name] for name in description.streams]
        awake = [s for s in streams if not s.idle()] or streams
        return Readiness(min(s.watermark() for s in awake), all(self._has_ended(n) for n in description.streams))

    def _fire(self) -> None:
        actions: Mapping[str, Action] = {**self.factories, **self.feeders}
        settle(self.net, actions)

    def _has_ended(self, stream: str) -> bool:
        """No row will come: the receptors have ended, and so has every query that inserts into the stream."""
        if not self.drained:
            return False
        feeding = [f for f in self.feeders.values() if f.stream.definition.name == stream]
        return all(not f.enabled() and self._is_finished(f.source) for f in feeding)

    def _is_finished(self, factory: str) -> bool:
        running = self.factories[factory]
        return all(map(self._has_ended, running.description.streams)) and not running.enabled()

    def _is_full(self, stream: str) -> bool:
        """Is the basket full because a slower stream, which is still being read, holds the answers back?"""
        running = self.streams[stream]
        if running.basket.size() <= LARGEST_BASKET:
            return False
        beside = {s for f in self.factories.values() if stream in f.description.streams for s in f.description.streams}
        slower = [s for s in beside if s != stream and self.streams[s].watermark() < running.watermark()]
        return any(self.reading(s) and not self.streams[s].idle() for s in slower)

    def _timed_readers(self, stream: str) -> list[TimedReader] | None:
        """The windows over a stream with how far each has been answered; None if some reader takes every row.

        At every instant, a row comes too late once the instant at which it begins has been answered.
        """
        readers = self._readers(stream)
        if any(f.description.query.timing not in (Timing.BOUNDARIES, Timing.EVERY_INSTANT) for f in readers):
            return None
        return [
            (Now() if f.instants is not None else w.window, f.answered_until())  # type: ignore[misc]
            for f in readers
            for w in tree.windows(f.description.query.plan)
            if tree.stream_of(w) == stream
        ]

    def _readers(self, stream: str) -> list[RunningFactory]:
        return [f for f in list(self.factories.values()) if stream in f.description.streams]

    def _expire(self, stream: str) -> None:
        basket = self.streams[stream].basket
        readers = self._readers(stream)
        if readers:
            basket.expire([need for f in readers for need in f.oldest_needed(stream)])
            return
        while basket.size() > LARGEST_UNREAD and len(basket.batches) > 1:
            basket.expire([(Axis.NUMBER, basket.batches[1].first)])
