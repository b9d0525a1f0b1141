"""Rows out: the emitters of a cell, each with its delivery, and what they all have got."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from datacell.cell.made_of import MadeOf
from datacell.emitters import ownership
from datacell.emitters.couriers import Couriers
from datacell.emitters.delivery import Delivery, saved_cursor
from datacell.emitters.ownership import Claim, Existing, Owner
from datacell.emitters.paths import check_outside
from datacell.emitters.protocol import Emitter
from datacell.runtime.net.scheduler import Scheduler
from datacell.runtime.net.sharing import NamedQuery
from datacell.runtime.storage.checkpoint import Checkpoint
from datacell.runtime.storage.output import Output, Taker, Takes

_LOG = logging.getLogger("datacell")


class Deliveries:
    """Starts and stops deliveries; a firing is forgotten once everybody has got it."""

    def __init__(self, scheduler: Scheduler, checkpoint: Checkpoint) -> None:
        self.scheduler, self.checkpoint = scheduler, checkpoint
        self.running: dict[str, Delivery] = {}
        self._couriers, self._told = Couriers(), set[str]()

    def claim(self, directory: Path, name: str, source: NamedQuery, existing: Existing, made_of: MadeOf) -> Claim:
        """A directory for an emitter, or an error if it is not to be had."""
        checkpoint = self.checkpoint
        check_outside(name, directory, checkpoint.root)
        checkpoint.require_same("emitter", name, made_of)
        owner = Owner(checkpoint.id, name.lower(), source.name, source.life)
        cursor = saved_cursor(checkpoint.emitter(name), name, source.factory.output, source.since)
        return ownership.claim(directory, owner, checkpoint.home, cursor, existing)

    def start(self, name: str, source: NamedQuery, emitter: Emitter, made_of: MadeOf) -> None:
        """Deliver what a query answers."""
        output = source.factory.output
        with self.scheduler.exclusively() as net:  # nothing is let go between the look at the cursor and the taking
            with self.checkpoint.admitted("emitter", name, made_of):
                saved = self.checkpoint.emitter(name)
                delivery = Delivery(name, output, emitter, saved, self._couriers, source.since, source.its)
            net.add_emitter(name, source.factory.name)
            self.running[name] = delivery
            output.takers[name.lower()] = Taker(
                emitter.takes_files if source.answered.member is None else False,
                lambda: delivery.cursor,
                source.name,
                delivery.trouble,
            )
            output.standing.moved(None, delivery.cursor)
        delivery.start()

    def expect(self, output: Output, queries: Iterable[str], answers_whole: Takes) -> None:
        """Keep what emitters of an earlier run have not delivered, until they are created again."""
        for query in queries:
            for name in self.checkpoint.emitters_of(query):
                cursor = saved_cursor(self.checkpoint.emitter(name), name, output)
                missing = f"it was not created again: CREATE EMITTER {name} …, or DROP CONTINUOUS QUERY {query}"
                output.takers[name] = Taker(answers_whole, partial(int, cursor), query, partial(str, missing))

    def stop(self, name: str) -> None:
        delivery = self.running.pop(name)
        delivery.stop()
        delivery.output.takers.pop(name.lower(), None)
        delivery.output.standing.moved(delivery.cursor, None)
        delivery.output.trim()
        with self.scheduler.exclusively() as net:
            net.drop_emitter(name)

    def stop_all(self) -> None:
        """Each is stopped, also if another one cannot be: a lock that is left would keep the next run out."""
        with ExitStack() as all_of_them:
            for delivery in self.running.values():
                all_of_them.callback(delivery.stop)
        self.running.clear()

    def finish(self) -> None:
        """Wait until every emitter has delivered everything; then nothing more will come."""
        for delivery in list(self.running.values()):
            delivery.finish()
        for factory in list(self.scheduler.members.factories.values()):
            factory.output.close()

    def of(self, query: NamedQuery) -> list[str]:
        """The emitters that deliver the answers of a query."""
        takers = query.factory.output.takers
        return [
            name for name in list(self.running) if (taker := takers.get(name.lower())) and taker.query == query.name
        ]

    def troubles(self) -> dict[str, str]:
        """The emitters that do not get on, with why."""
        found = {name: delivery.trouble() for name, delivery in list(self.running.items())}
        return {name: why for name, why in found.items() if why is not None}

    def tell(self) -> None:
        """Log which emitters have begun to wait long for their clients; those that fail say so by themselves."""
        waiting = {name for name, delivery in list(self.running.items()) if delivery.state == "waiting"}
        for name in waiting - self._told:
            delivery = self.running[name]
            _LOG.warning("emitter %s waits, and so do %d firings: %s", name, delivery.pending, delivery.trouble())
        self._told = waiting
