"""Rows in: the receptors of a cell, and what they bring into its baskets."""

from __future__ import annotations

from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from datacell.algebra.definitions import StreamDefinition
from datacell.errors import SqlError
from datacell.receptors.file_order import ordered
from datacell.receptors.receptor import Receptor
from datacell.receptors.sources import Source, from_frame, open_source
from datacell.receptors.spool import Spool, is_spooled, spool_source
from datacell.runtime.net.scheduler import Scheduler
from datacell.runtime.storage.checkpoint import Checkpoint


class Intake:
    """Opens the sources of streams and deposits their micro-batches."""

    def __init__(self, spark: SparkSession, scheduler: Scheduler, checkpoint: Checkpoint) -> None:
        self.spark, self.scheduler, self.checkpoint = spark, scheduler, checkpoint
        self.receptors: dict[str, Receptor] = {}
        self.frames: dict[str, DataFrame] = {}
        self._spools: dict[str, Spool] = {}

    def add(self, definition: StreamDefinition) -> None:
        """A new stream; one without a source of its own gets a spool."""
        if definition.name not in self.frames and is_spooled(definition):
            self._spools[definition.name] = Spool(definition, self.checkpoint.spool(definition.name))

    def push(self, stream: str, rows: Any) -> int:
        if stream not in self._spools:
            raise SqlError(f"stream {stream} has a source of its own", hint="push to a stream without WITH (…)")
        return self._spools[stream].push(rows)

    def start(self, name: str, once: bool) -> None:
        """Start reading a stream, if there is something to read and it is enabled."""
        stream = self.scheduler.members.streams[name]
        source = self._open(stream.definition) if stream.enabled else None
        if source is None:
            return
        directory = self.checkpoint.stream(name) / "spark"
        receptor = Receptor(stream.definition, source, directory, partial(self._deposit, name, source))
        self.receptors[name] = receptor
        receptor.start(once)

    def stop(self, name: str) -> None:
        receptor = self.receptors.pop(name, None)
        if receptor is not None:
            receptor.stop()

    def drop(self, name: str) -> None:
        """The stream is gone, and with it what it was read from."""
        self.stop(name)
        self.frames.pop(name, None)
        self._spools.pop(name, None)

    def stop_all(self) -> None:
        for name in list(self.receptors):
            self.stop(name)
        self.scheduler.wait()

    def wait(self) -> None:
        """Until every receptor has read all that is there, and the net has come to rest."""
        for receptor in list(self.receptors.values()):
            receptor.wait()
        self.scheduler.check()

    def is_reading(self, stream: str) -> bool:
        """Does a receptor still read the stream?"""
        receptor = self.receptors.get(stream)
        return receptor is not None and receptor.active

    def check(self) -> None:
        """Raise what made a receptor or the net stop."""
        for receptor in list(self.receptors.values()):
            if not receptor.active:
                receptor.wait(1)
        self.scheduler.check()

    def _open(self, definition: StreamDefinition) -> Source | None:
        if definition.name in self.frames:
            return from_frame(self.frames[definition.name], definition)
        if definition.name in self._spools:
            return spool_source(self.spark, definition, self._spools[definition.name])
        return open_source(self.spark, definition) if definition.options else None

    def _deposit(self, stream: str, source: Source, number: int, frame: DataFrame) -> None:
        """One Spark job brings the checked rows of a micro-batch, while the net answers the one before."""
        running = self.scheduler.members.streams[stream]
        if self.scheduler.holds(stream, number):
            self.scheduler.run()
            return
        batch = ordered(source.vet(frame.toArrow()))
        self.scheduler.hand_over(stream, number, *running.gate.divide(batch, running.clock.now()))
