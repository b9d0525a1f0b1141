"""What a running net is made of: streams, factories, what feeds one from the other, and all of it as a Petri net."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from datacell.algebra.definitions import StreamDefinition
from datacell.compile import Compiled
from datacell.runtime.clock import Clock
from datacell.runtime.evaluation import Readiness
from datacell.runtime.net.backpressure import has_room
from datacell.runtime.net.factory import Factory, known_as, restart
from datacell.runtime.net.families import Family
from datacell.runtime.net.feeder import Feeder
from datacell.runtime.net.petri import Action, Net, Transition, TransitionKind
from datacell.runtime.net.reception import Reception
from datacell.runtime.net.sharing import Queries, Sharing
from datacell.runtime.net.strategies import basket_for
from datacell.runtime.plans.plans import Plans
from datacell.runtime.storage.output import Output, Taker
from datacell.runtime.streams.gate import Run
from datacell.runtime.streams.keeper import Room, unbounded
from datacell.runtime.streams.stream import RunningStream


class Members:
    """Places and transitions by name. Not thread-safe: the scheduler's lock guards it."""

    def __init__(self, clock: Clock, sharing: Sharing = Sharing.AUTO) -> None:
        self.clock, self.sharing = clock, sharing
        self.net = Net()
        self.streams: dict[str, RunningStream] = {}
        self.receptions: dict[str, Reception] = {}
        self.factories: dict[str, Factory] = {}
        self.queries = Queries()
        self.feeders: dict[str, Feeder] = {}
        self.drained = False
        """Has the input ended?"""

    def add_stream(
        self,
        definition: StreamDefinition,
        directory: Path,
        run: Run,
        is_read: Callable[[], bool] = lambda: False,
        room: Room = unbounded,
    ) -> RunningStream:
        """`run` evaluates checks of rows that are in the driver; `is_read` says whether a receptor still reads.

        `room` says whether rows that are kept for a look may be in the driver.
        """
        name = definition.name
        stream = RunningStream(definition, directory, self.clock, lambda: self.readers(name), run, is_read, room)
        self.streams[name], self.receptions[name] = stream, Reception(stream, lambda: has_room(self, name))
        self.net = self.net.with_transition(Transition(_receptor(name), TransitionKind.RECEPTOR, (), (name,)))
        return stream

    def add_factory(
        self, name: str, compiled: Compiled, output: Output, plans: Plans, remark: str, family: Family | None = None
    ) -> Factory:
        streams = compiled.streams
        transition = Transition(name, TransitionKind.FACTORY, tuple(streams), (place_of(name),))
        net = self.net.with_transition(transition)
        baskets = {s: basket_for(self.sharing, self.streams[s].basket, compiled, s) for s in streams}
        factory = Factory(name, compiled, baskets, plans, output, lambda: self.readiness(streams), remark, family)
        self.net, self.factories[name] = net, factory
        return factory

    def restart(self, name: str, plans: Plans) -> None:
        """Let a factory that is stopped, or whose answers could not flow on, try again."""
        restart(self.factories[name], plans)
        for feeder in self.feeders.values():
            feeder.failure = None if feeder.source == name else feeder.failure

    def feed(self, factory: str, stream: str) -> None:
        """Let a factory's answers flow into a stream."""
        name = f"{factory} → {stream}"
        self.net = self.net.with_transition(Transition(name, TransitionKind.FACTORY, (place_of(factory),), (stream,)))
        source = self.factories[factory]
        columns = source.compiled.optimized.plan.schema.names
        feeder = self.feeders[name] = Feeder(factory, source.output, columns, self.streams[stream])
        source.output.takers[name] = Taker(False, lambda: feeder.cursor, known_as(source))

    def add_emitter(self, name: str, source: str) -> None:
        """An emitter delivers, at its own pace, what a factory has put into its output."""
        transition = Transition(_emitter(name), TransitionKind.EMITTER, (place_of(source),))
        self.net = self.net.with_transition(transition)

    def drop_emitter(self, name: str) -> None:
        self.net = self.net.without_transition(_emitter(name))

    def drop_query(self, name: str) -> None:
        """The name goes, and with the last one that a factory answers the factory."""
        factory = self.queries.remove(name)
        if factory is not None:
            del self.factories[factory.name]
            factory.plans.close()
            for stream in factory.streams:
                self.streams[stream].basket.forget(factory.name)
            gone = [n for n, feeder in self.feeders.items() if feeder.source == factory.name]
            for transition in (factory.name, *gone):
                self.net = self.net.without_transition(transition)
                self.feeders.pop(transition, None)

    def drop_stream(self, name: str) -> None:
        self.streams.pop(name)
        self.receptions.pop(name)
        self.net = self.net.without_transition(_receptor(name))

    def actions(self) -> dict[str, Action]:
        """What the scheduler fires. Where too many answers wait there come no more, unless the input has ended."""
        return {
            **{name: f for name, f in self.factories.items() if self.drained or not f.output.is_full()},
            **self.feeders,
        }

    def readers(self, stream: str) -> list[Factory]:
        """The factories that read a stream."""
        return [f for f in list(self.factories.values()) if stream in f.streams]

    def readers_of_table(self, table: str) -> list[Factory]:
        """The factories at work that read a table; one that has stopped keeps the version that it had."""
        return [f for f in self.factories.values() if table.lower() in f.tables and f.stopped is None]

    def late_for(self, query: str) -> int:
        """Rows of which a query has missed something because they came too late."""
        named = self.queries[query]
        return missed_by(self, named.factory) - named.answered.missed

    def readiness(self, streams: list[str]) -> Readiness:
        """The least watermark of the streams that are not idle, and whether all of them have ended."""
        running = [self.streams[name] for name in streams]
        awake = [s for s in running if not s.idle()] or running
        return Readiness(min(s.watermark() for s in awake), all(map(self.has_ended, streams)))

    def has_ended(self, stream: str) -> bool:
        """No row will come: the receptors have ended, and so has every query that inserts into the stream.

        One that is stopped has not: when it is started again, its rows must not come too late.
        """
        if not self.drained:
            return False
        feeding = [f for f in self.feeders.values() if f.stream.definition.name == stream]
        return all(f.failure is None and not f.enabled() and self._is_finished(f.source) for f in feeding)

    def _is_finished(self, factory: str) -> bool:
        running = self.factories[factory]
        return running.stopped is None and all(map(self.has_ended, running.streams)) and not running.enabled()


def missed_by(net: Members, factory: Factory) -> int:
    """Rows that were late for a factory."""
    return sum(s.basket.progress.missed.get(factory.name, 0) for s in net.streams.values())


def place_of(factory: str) -> str:
    """The place that a factory puts its answers into."""
    return f"→{factory}"


def as_given(name: str, things: Iterable[str]) -> str:
    """The name in the letters in which it was given when the thing was made, if there is such a thing."""
    return next((given for given in things if given.lower() == name.lower()), name)


def _receptor(stream: str) -> str:
    return f"receptor {stream}"


def _emitter(name: str) -> str:
    return f"emitter {name}"
