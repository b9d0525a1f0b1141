"""A stream at work: its gate, its basket, its side outputs, and how far its time has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from datacell.algebra.definitions import REJECTED, StreamDefinition
from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.schema import Schema
from datacell.algebra.window import instant_text, micros
from datacell.engines.arrow import arrow_schema
from datacell.errors import CheckpointError, DataCellError, EngineLostError
from datacell.runtime.clock import Clock
from datacell.runtime.streams import statements
from datacell.runtime.streams.ahead import jump_among, jump_in, told
from datacell.runtime.streams.basket import Aside, Basket, SharedBasket
from datacell.runtime.streams.batch import Axis, Batch, Need
from datacell.runtime.streams.conditions import too_far_ahead
from datacell.runtime.streams.first_stage import Arrived, MadeOf, Staged, Wanted
from datacell.runtime.streams.gate import Checked, Gate, Run
from datacell.runtime.streams.keeper import Keeper, Room, unbounded
from datacell.runtime.streams.late_rows import LateRows
from datacell.runtime.streams.lateness import Answering
from datacell.runtime.streams.lateness import lost as lost_of
from datacell.runtime.streams.side_output import SideOutput
from datacell.runtime.streams.statements import Statements

PreparedByReaders = Sequence[tuple["Reader", Any]]
"""What readers have made of rows before they are taken; only they know what it is."""


class Reader(Answering, Protocol):
    """Who reads the stream: it may make something of a batch before that is stored, and says what it still needs."""

    @property
    def baskets(self) -> Mapping[str, Basket]:
        """What it reads, by stream: the basket of the stream, or one of its own."""

    def prepare(self, stream: str, batch: Batch) -> Any:
        """What can be made of a batch that is about to come, without changing anything."""

    def ingest(self, stream: str, batch: Batch, prepared: Any | None) -> None:
        """A batch is about to be put into the basket; what was prepared of it, if anything was."""

    def answered_until(self, stream: str) -> int:
        """The instant up to which it has answered; before all others if it has not, or does not go by time."""

    def oldest_needed(self, stream: str, coming: bool = False) -> list[Need]:
        """What is still needed of the rows in the basket, or of a batch that is `coming`."""

    def wanted(self, stream: str, expected: float) -> Sequence[Wanted] | None:
        """What can be made of a batch of about so many rows where it is; None if its rows are needed."""

    def ingest_made(self, stream: str, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> bool:
        """A batch stays on the cluster; some of what was made of it may be for this reader, but for missed slices.

        False if this reader needs the rows after all.
        """


Readers = Callable[[], Sequence[Reader]]
_NO_POSITIONS: Positions = np.empty(0, dtype=np.int64)


class RunningStream:
    """Takes batches, each exactly once. Not thread-safe but for `prepare`: the scheduler's lock guards it.

    `run` evaluates the gate for rows that no receptor has checked; `is_read` says whether a receptor still reads,
    `room` whether rows for a look may be in the driver.
    """

    def __init__(
        self,
        definition: StreamDefinition,
        directory: Path,
        clock: Clock,
        readers: Readers,
        run: Run,
        is_read: Callable[[], bool] = lambda: False,
        room: Room = unbounded,
    ) -> None:
        self.definition, self.clock, self._run = definition, clock, run
        self._queries = readers
        self.is_read = is_read
        self.gate = Gate(definition)
        self.basket = SharedBasket(directory / "basket", self.gate.schema)
        span = definition.keep
        self.keeper = None if span is None else Keeper(definition.name, self.basket, span, room)
        self.late = SideOutput(directory / "late.arrow", arrow_schema(Schema(definition.late_fields)))
        self._lateness = LateRows(definition.name, self.late.schema)
        self.rejected = SideOutput(directory / "rejected.arrow", arrow_schema(Schema(REJECTED)))
        self._statements = Statements(directory / "statements", self.basket.next_number(statements.SOURCE))
        self.enabled = True
        self.half_taken: DataCellError | None = None
        """Why a batch was taken by some readers and is not in the basket."""
        self.last_arrival = clock.now()

    def _readers(self) -> list[Reader]:
        """Queries, and what keeps rows for a look."""
        return [*self._queries(), *([] if self.keeper is None else [self.keeper])]

    def prepare(self, rows: pa.Table) -> PreparedByReaders:
        """What readers can make of rows before they are taken. It changes nothing, so it needs no lock.

        Nothing, if rows get their times when they are taken.
        """
        if self.definition.event_time is None:
            return ()
        coming = self.basket.numbered(rows, self._when(rows))
        return [(reader, reader.prepare(self.definition.name, coming)) for reader in self._readers()]

    def take(
        self, source: str, number: int, rows: pa.Table, rejected: pa.Table, prepared: PreparedByReaders | None = None
    ) -> None:
        """Take a batch of rows that have passed the gate, and what was rejected of it."""
        self.check()
        self.last_arrival = self.clock.now()
        batch, readers, name = self.basket.last_batch + 1, self._readers(), self.definition.name
        before, jump = len(rows), jump_among(self.definition, self._when(rows), self.basket.progress.latest)
        if jump is not None and self.definition.ahead is not None:
            enters = np.asarray(self._when(rows) < jump.until)
            why, now = too_far_ahead(self.definition), self.clock.now()
            rows, rejected = self.gate.turned_away(Checked(rows, rejected), enters, why, self._run, now)
            jump = None
        self.rejected.put(batch, rejected)
        when = self._when(rows)
        late, lost = self._lateness.among(rows, when, readers)
        self.late.put(batch, late.rows)
        if lost.any() and not isinstance(when, int):
            rows, when = rows.filter(pa.array(~lost)), when[~lost]
        taken = self.basket.numbered(rows, when)
        usable = () if prepared is None or len(rows) < before else prepared
        aside = Aside(late.number, len(rejected), told(jump, self.definition), late.missed)
        with self._wholly():
            dealt = list(_dealt(name, taken, readers)) if len(rows) else []
            for reader, mine in dealt:
                reader.ingest(name, mine, next((made for maker, made in usable if maker is reader), None))
            needs = [need for r in readers for need in r.oldest_needed(name, coming=True)]
            needs += [] if readers else [(Axis.NUMBER, 0)]
            self.basket.take(source, number, taken, needs, aside)
            for reader, mine in dealt:
                reader.baskets[name].put(mine, reader.oldest_needed(name, coming=True))

    def wanted(self, expected: float) -> list[Wanted] | None:
        """What readers want of a batch of about so many rows; None if one needs its rows, or nobody is there."""
        found = [reader.wanted(self.definition.name, expected) for reader in self._readers()]
        if not found or any(wanted is None for wanted in found):
            return None
        return [one for wanted in found for one in wanted or ()]

    def take_staged(self, source: str, number: int, staged: Staged) -> bool:
        """Take a batch whose rows stay on the cluster; False if it must come again, with its rows."""
        self.check()
        self.last_arrival = self.clock.now()
        batch, readers, name = self.basket.last_batch + 1, self._readers(), self.definition.name
        self.rejected.put(batch, staged.dead_letters)
        now = None if self.definition.event_time is not None else self._arrival()
        late, lost = (self._lateness.nobody, 0) if now is not None else self._lateness.of(staged, readers)
        self.late.put(batch, late.rows)
        latest = staged.latest if now is None or not staged.count else now
        arrived = Arrived(batch, self.basket.progress.rows + 1 + staged.count - lost, now, latest)
        slices = staged.slices() if staged.count and now is None else _NO_POSITIONS
        jump = jump_in(staged, self.definition, self.basket.progress.latest) if now is None else None
        aside = Aside(late.number, staged.rejected, told(jump, self.definition), late.missed)
        with self._wholly():
            for reader in readers if staged.count else ():
                if not reader.ingest_made(name, arrived, staged.made, slices[lost_of(name, slices, [reader])]):
                    return False
            self.basket.pass_by(source, number, staged.count - lost, latest, aside)
        return True

    def check(self) -> None:
        """Raise why a batch was taken by half: none that follows may be taken then, or it would be skipped."""
        if self.half_taken is not None:
            raise self.half_taken

    def insert(self, source: str, number: int, rows: pa.Table) -> None:
        """Let rows that are in the driver pass the gate, and take them."""
        self.take(source, number, *self.gate.check(rows, self._run, self.clock.now()))

    def execute(self, text: str, rows: Callable[[], pa.Table]) -> None:
        """Carry out an INSERT statement: its rows are durable once this returns."""
        if self._statements.was_taken(text):
            return
        found, number = rows(), self.basket.next_number(statements.SOURCE)
        self._statements.record(number, text)
        self.insert(statements.SOURCE, number, found)

    def watermark(self) -> int:
        """No row before this instant is expected any more."""
        if self.definition.event_time is None:
            self.basket.look_ahead(self._arrival())
        latest = self.basket.progress.latest
        return latest if latest == -FOREVER else latest - self.definition.lateness

    @property
    def remark(self) -> str:
        """What is unusual about it."""
        jump, gone = self.basket.progress.jump, self.basket.let_go
        found = [] if jump is None else [f"time leapt from {instant_text(jump.since)} to {instant_text(jump.until)}"]
        if gone:
            found.append(f"no query reads it: only the newest rows are kept, {gone} were let go")
        if self.keeper is not None and self.keeper.short is not None:
            found.append(f"rows up to {instant_text(self.keeper.short)} were to be kept, and left for want of memory")
        return "; ".join(found)

    def idle(self) -> bool:
        """Has nothing come for longer than the stream's idle timeout?"""
        timeout = self.definition.idle_timeout
        return timeout is not None and _passed(self.last_arrival, self.clock.now()) > timeout

    @contextmanager
    def _wholly(self) -> Iterator[None]:
        """A batch is taken by readers and basket, or nothing goes on in memory: what is saved is as it was."""
        try:
            yield
        except (CheckpointError, EngineLostError) as error:
            self.half_taken = error
            raise
        except BaseException as error:
            problem = f"stream {self.definition.name} could not take a batch: {error or type(error).__name__}"
            self.half_taken = CheckpointError(problem, hint="run again: with the same checkpoint it goes on there")
            raise self.half_taken from error

    def _when(self, rows: pa.Table) -> Positions | int:
        """The time of each row, or of all of them if it is now."""
        if self.definition.event_time is None:
            return self._arrival()
        column = rows[self.definition.event_time].cast(pa.int64())
        return np.asarray(column.to_numpy(), dtype=np.int64)

    def _arrival(self) -> int:
        """The time of what arrives now. It never goes back, whatever the clock does and also after a restart."""
        answered = (reader.answered_until(self.definition.name) for reader in self._readers())
        return max(micros(self.clock.now()), self.basket.progress.latest, *answered, -FOREVER)


def _dealt(stream: str, batch: Batch, readers: Sequence[Reader]) -> Iterator[tuple[Reader, Batch]]:
    """Every reader with what it gets of a batch: all of it, or what those before it have left."""
    left = batch
    for reader in readers:
        mine, left = reader.baskets[stream].deal(left)
        yield reader, mine


def _passed(since: datetime, now: datetime) -> int:
    return micros(now) - micros(since)
