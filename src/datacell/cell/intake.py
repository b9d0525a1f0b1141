"""Rows in: the receptors of a cell, and what they bring into its baskets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from math import inf
from threading import Lock
from typing import Any

from pyspark.sql import DataFrame

from datacell.algebra.definitions import StreamDefinition
from datacell.cell.blame import blame
from datacell.engines.reasons import SPARK_ERRORS
from datacell.engines.spark import SparkEngine
from datacell.engines.transfers import to_driver
from datacell.errors import DataCellError, EngineError, EngineLostError, SqlError, counted
from datacell.receptors.behind import Take
from datacell.receptors.file_order import ordered
from datacell.receptors.first_stage import FirstStage, columns_of
from datacell.receptors.overlooked import Overlooked
from datacell.receptors.receptor import ReadDifferentlyError, Reading, ReadWholeError, Receptor
from datacell.receptors.sources import Source, from_frame, open_source, reads_files
from datacell.receptors.spool import Spool, is_spooled, spool_source
from datacell.runtime.net.reception import SOURCE, OfferedStaged
from datacell.runtime.net.scheduler import Scheduler
from datacell.runtime.storage.checkpoint import Checkpoint
from datacell.runtime.streams.first_stage import Wanted
from datacell.runtime.streams.stream import RunningStream

LITTLE = 1 << 20
"""Bytes: as long as no more waits at the start, the first batch is taken for a small one."""

HYSTERESIS = 4
"""A stream whose batches stay on the cluster must become so many times smaller before they no longer do."""


class Intake:
    """Opens the sources of streams and deposits their micro-batches."""

    def __init__(self, engine: SparkEngine, scheduler: Scheduler, checkpoint: Checkpoint) -> None:
        self.engine, self.spark, self.scheduler, self.checkpoint = engine, engine.session, scheduler, checkpoint
        self.receptors: dict[str, Receptor] = {}
        self.frames: dict[str, DataFrame] = {}
        self._spools: dict[str, Spool] = {}
        self._expected: dict[str, float] = {}
        """Rows that the next micro-batch of a stream is expected to have."""
        self.stages: dict[str, FirstStage] = {}
        """Of the streams whose last micro-batch stayed on the cluster, or whose first one is expected to."""
        self._preparing = Lock()
        self.overlooked: dict[str, Overlooked] = {}
        """Of the streams that read files."""
        self._whole: set[str] = set()
        """Streams of which all columns are read, because some rows are kept as they came."""

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
        if reads_files(stream.definition):
            self.overlooked[name] = Overlooked(stream.definition, directory)
        size = source.size()
        self._expected[name] = 0.0 if size is not None and size <= LITTLE else inf
        wanted = stream.wanted(self._expected[name])
        reading = Reading() if wanted is None else _reading(stream, source, wanted, name in self._whole)
        stream.basket.noting[SOURCE] = receptor.log.note
        receptor.start(once, stream.basket.next_number(SOURCE) - 1, reading, stream.basket.notes.get(SOURCE))
        if wanted is not None:
            self._prepared(stream, wanted)  # while Spark plans the first micro-batch

    def stop(self, name: str) -> None:
        receptor = self.receptors.pop(name, None)
        if receptor is not None:
            receptor.stop()

    def drop(self, name: str) -> None:
        """The stream is gone, and with it what it was read from."""
        self.stop(name)
        self.overlooked.pop(name, None)
        self.frames.pop(name, None)
        self._spools.pop(name, None)

    def stop_all(self) -> None:
        with ExitStack() as all_of_them:
            all_of_them.callback(self.scheduler.wait)
            for name in list(self.receptors):
                all_of_them.callback(self.stop, name)

    def wait(self) -> None:
        """Until every receptor has read all that is there, and the net has come to rest."""
        for receptor in list(self.receptors.values()):
            receptor.wait()
        self.scheduler.check()
        for overlooked in list(self.overlooked.values()):
            overlooked.look(at_once=True)

    def is_reading(self, stream: str) -> bool:
        """Does a receptor still read the stream?"""
        receptor = self.receptors.get(stream)
        return receptor is not None and receptor.active

    def revive(self) -> None:
        """Let receptors read on that have to do so in another way, or again; `check` raises what cannot go on."""
        for receptor in list(self.receptors.values()):
            with suppress(DataCellError, *SPARK_ERRORS):
                receptor.revive()
        for overlooked in list(self.overlooked.values()):
            overlooked.look()

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

    def _deposit(self, stream: str, source: Source, number: int, frame: DataFrame) -> Take:
        """What readers want is made of a micro-batch where it is, or its rows are transferred; then it can be taken.

        Meanwhile the one before is taken, and the net answers it.
        """
        running = self.scheduler.members.streams[stream]
        if self.scheduler.holds(stream, number):
            return self.scheduler.run
        wanted = running.wanted(self._expected[stream] * (HYSTERESIS if stream in self.stages else 1))
        with _noting(self._whole, stream):
            if wanted is None or not _is_as_expected(self.receptors[stream], number):
                take = self._transferred(running, source, number, frame)
            else:
                take = self._staged(running, source, wanted, number, frame)
        if stream in self.overlooked:
            self.overlooked[stream].read(self.receptors[stream].log.files(number))

        def taken() -> None:
            with _noting(self._whole, stream):
                before = running.basket.progress.rows
                take()
                self._expected[stream] = float(running.basket.progress.rows - before)

        return taken

    def _transferred(self, stream: RunningStream, source: Source, number: int, frame: DataFrame) -> Take:
        name = stream.definition.name
        self.stages.pop(name, None)
        if self.receptors[name].reading != Reading():
            raise ReadDifferentlyError(Reading())
        self.receptors[name].behind.catch_up(number)  # of what comes to the driver there is one batch at a time
        batch = ordered(source.vet(to_driver(frame, stream.basket.account)))
        return partial(self.scheduler.hand_over, name, number, *stream.gate.divide(batch, stream.clock.now()))

    def _staged(
        self,
        stream: RunningStream,
        source: Source,
        wanted: list[Wanted],
        number: int,
        frame: DataFrame,
    ) -> Take:
        name, receptor = stream.definition.name, self.receptors[stream.definition.name]
        best, now = _reading(stream, source, wanted, name in self._whole), receptor.reading
        if not now.has(columns_of(wanted)) or (now.is_ordered and not best.is_ordered and name not in self._whole):
            raise ReadDifferentlyError(best)
        stage = self._prepared(stream, wanted)
        if stream.definition.ahead is not None:
            receptor.behind.catch_up(number)  # how far time has come decides what may enter
        try:
            staged = stage.run(frame, number, stream.clock.now(), stream.basket.progress.latest)
        except EngineLostError:
            raise
        except EngineError as error:
            blame(stream, self.scheduler, self.engine, number, frame, error)
            raise ReadDifferentlyError(Reading()) from error

        def take() -> None:
            if not self.scheduler.offer(name, OfferedStaged(number, staged)):
                raise ReadDifferentlyError(Reading())

        return take

    def _prepared(self, stream: RunningStream, wanted: list[Wanted]) -> FirstStage:
        """What makes just this, as long as it is wanted."""
        name = stream.definition.name
        with self._preparing:
            stage = self.stages.get(name)
            if stage is None or [*stage.wanted] != wanted:
                stage = self.stages[name] = FirstStage(stream.gate, wanted, self.engine, stream.basket.account)
        return stage


@contextmanager
def _noting(whole: set[str], stream: str) -> Iterator[None]:
    """Note that a stream must be read whole."""
    try:
        yield
    except ReadWholeError:
        whole.add(stream)
        raise


def _is_as_expected(receptor: Receptor, number: int) -> bool:
    """Have the files of a batch the header that the stream's have?"""
    looks = receptor.source.as_expected
    return looks is None or looks(receptor.log.files(number))


def _reading(stream: RunningStream, source: Source, wanted: list[Wanted], is_whole: bool) -> Reading:
    """No column is read that nobody wants; but if rows were rejected, all, because their text is kept."""
    if source.plain is None or is_whole:
        return Reading()
    return Reading(columns_of(wanted) | stream.gate.columns, is_ordered=False)


def failing(intake: Intake) -> dict[str, str]:
    """The streams whose source fails at present, or cannot take what is sent, with why."""
    return {name: why for name, r in list(intake.receptors.items()) if (why := r.failure) is not None}


def remarks(intake: Intake) -> dict[str, str]:
    """What a stream's source does not read, or has refused, by stream."""
    found = {name: overlooked.remark for name, overlooked in list(intake.overlooked.items())}
    for name, receptor in list(intake.receptors.items()):
        if receptor.source.listener is not None and (senders := receptor.source.listener.refused):
            found[name] = f"{counted(senders, 'sender')} hung up on, because a limit was reached"
    return found
