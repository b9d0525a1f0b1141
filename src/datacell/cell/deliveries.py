"""Rows out: the emitters of a cell, each with its delivery, and what they all have got."""

from __future__ import annotations

from pathlib import Path

from datacell.emitters import ownership
from datacell.emitters.delivery import Delivery, saved_cursor
from datacell.emitters.ownership import Claim, Existing, Owner
from datacell.emitters.protocol import Emitter
from datacell.runtime.net.factory import Factory
from datacell.runtime.net.scheduler import Scheduler
from datacell.runtime.storage.checkpoint import Checkpoint
from datacell.runtime.storage.output import Output


class Deliveries:
    """Starts and stops deliveries; a firing is forgotten once everybody has got it."""

    def __init__(self, scheduler: Scheduler, checkpoint: Checkpoint) -> None:
        self.scheduler, self.checkpoint = scheduler, checkpoint
        self.running: dict[str, Delivery] = {}

    def claim(self, directory: Path, name: str, source: Factory, existing: Existing) -> Claim:
        """A directory for an emitter, or an error if it is not to be had."""
        checkpoint = self.checkpoint
        checkpoint.require_same("emitter", name, source.name.lower())
        owner = Owner(checkpoint.id, name.lower(), source.name, source.output.life)
        cursor = saved_cursor(checkpoint.emitter(name), name, source.output)
        return ownership.claim(directory, owner, checkpoint.home, cursor, existing)

    def start(self, name: str, source: Factory, emitter: Emitter) -> None:
        """Deliver what a factory answers."""
        output = source.output
        with self.checkpoint.admitted("emitter", name, source.name.lower()):
            delivery = Delivery(name, output, emitter, self.checkpoint.emitter(name), lambda: self._forget(output))
        with self.scheduler.exclusively() as net:
            net.add_emitter(name, source.name)
        self.running[name], output.takers[name] = delivery, emitter.takes_files
        delivery.start()

    def stop(self, name: str) -> None:
        delivery = self.running.pop(name)
        delivery.output.takers.pop(name, None)
        delivery.stop()
        with self.scheduler.exclusively() as net:
            net.drop_emitter(name)

    def stop_all(self) -> None:
        for delivery in self.running.values():
            delivery.stop()
        self.running.clear()

    def finish(self) -> None:
        """Wait until every emitter has delivered everything; then nothing more will come."""
        for delivery in self.running.values():
            delivery.finish()
        for factory in self.scheduler.members.factories.values():
            factory.output.close()

    def of(self, output: Output) -> list[Delivery]:
        """Who delivers an output."""
        return [delivery for delivery in self.running.values() if delivery.output is output]

    def _forget(self, output: Output) -> None:
        """Let go of what every emitter and every stream fed from here has got."""
        cursors = [delivery.cursor for delivery in self.of(output)]
        cursors += [feeder.cursor for feeder in self.scheduler.members.feeders.values() if feeder.output is output]
        output.forget(min(cursors, default=0))
