"""A stream at work: its gate, its basket, its side outputs, and how far its time has come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from datacell.algebra.definitions import REJECTED, StreamDefinition
from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.schema import Schema
from datacell.algebra.window import Fixed, Landmark, Now, Range, TimeWindow, micros
from datacell.engines.arrow import arrow_schema
from datacell.incremental.boundaries import last_shown
from datacell.runtime.clock import Clock
from datacell.runtime.streams import statements
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Axis, Batch, Mask, Need
from datacell.runtime.streams.first_stage import Arrived, MadeOf, Staged, Wanted
from datacell.runtime.streams.gate import Gate, Run
from datacell.runtime.streams.side_output import SideOutput
from datacell.runtime.streams.statements import Statements

PreparedByReaders = Sequence[tuple["Reader", Any]]
"""What readers have made of rows before they are taken; only they know what it is."""

AnsweredWindow = tuple[TimeWindow, int]
"""A window over the stream and the instant up to which its query has been answered."""


class Reader(Protocol):
    """Who reads the stream: it may make something of a batch before that is stored, and says what it still needs."""

    def prepare(self, stream: str, batch: Batch) -> Any:
        """What can be made of a batch that is about to come, without changing anything."""

    def ingest(self, stream: str, batch: Batch, prepared: Any | None) -> None:
        """A batch is about to be put into the basket; what was prepared of it, if anything was."""

    def answered_windows(self, stream: str) -> Sequence[AnsweredWindow] | None:
        """The windows over the stream with how far each was answered; None if no row can come too late."""

    def oldest_needed(self, stream: str, coming: bool = False) -> list[Need]:
        """What is still needed of the rows in the basket, or of a batch that is `coming`."""

    def wanted(self, stream: str, expected: float) -> Sequence[Wanted] | None:
        """What can be made of a batch of about so many rows where it is; None if its rows are needed."""

    def ingest_made(self, stream: str, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> None:
        """A batch stays on the cluster; some of what was made of it may be for this reader, but for missed slices."""


Readers = Callable[[], Sequence[Reader]]
_NO_POSITIONS: Positions = np.empty(0, dtype=np.int64)


class RunningStream:
    """Takes batches, each exactly once. Not thread-safe but for `prepare`: the scheduler's lock guards it.

    `run` evaluates the gate for rows that no receptor has checked; `is_read` says whether a receptor still reads.
    """

    def __init__(
        self,
        definition: StreamDefinition,
        directory: Path,
        clock: Clock,
        readers: Readers,
        run: Run,
        is_read: Callable[[], bool] = lambda: False,
    ) -> None:
        self.definition, self.clock, self._readers, self._run = definition, clock, readers, run
        self.is_read = is_read
        self.gate = Gate(definition)
        self.basket = Basket(directory / "basket", self.gate.schema)
        self.late = SideOutput(directory / "late.arrow", self.gate.schema)
        self.rejected = SideOutput(directory / "rejected.arrow", arrow_schema(Schema(REJECTED)))
        self._statements = Statements(directory / "statements", self.basket.next_number(statements.SOURCE))
        self.enabled = True
        self.last_arrival = clock.now()

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
        self.last_arrival = self.clock.now()
        batch, readers, name = self.basket.last_batch + 1, self._readers(), self.definition.name
        self.rejected.put(batch, rejected)
        when = self._when(rows)
        late = np.broadcast_to(self._late(np.atleast_1d(when), readers), len(rows))
        count = int(np.count_nonzero(late))
        self.late.put(batch, rows.filter(pa.array(late)) if count else rows[:0])
        if count:
            rows, when = rows.filter(pa.array(~late)), when if isinstance(when, int) else when[~late]
        taken = self.basket.numbered(rows, when)
        usable = () if prepared is None or count else prepared
        for reader in readers if len(rows) else ():
            reader.ingest(name, taken, next((made for maker, made in usable if maker is reader), None))
        needs = [need for r in readers for need in r.oldest_needed(name, coming=True)]
        needs += [] if readers else [(Axis.NUMBER, 0)]
        self.basket.take(source, number, taken, needs, count, len(rejected))

    def wanted(self, expected: float) -> list[Wanted] | None:
        """What readers want of a batch of about so many rows; None if one needs its rows, or nobody is there."""
        found = [reader.wanted(self.definition.name, expected) for reader in self._readers()]
        if not found or any(wanted is None for wanted in found):
            return None
        return [one for wanted in found for one in wanted or ()]

    def take_staged(self, source: str, number: int, staged: Staged) -> None:
        """Take a batch whose rows stay on the cluster."""
        self.last_arrival = self.clock.now()
        batch, readers, name = self.basket.last_batch + 1, self._readers(), self.definition.name
        self.rejected.put(batch, staged.dead_letters)
        now = None if self.definition.event_time is not None else micros(self.clock.now())
        late, late_rows = (0, self.gate.schema.empty_table()) if now is not None else self._late_of(staged, readers)
        self.late.put(batch, late_rows)
        latest = staged.latest if now is None or not staged.count else now
        arrived = Arrived(batch, self.basket.progress.rows + 1 + staged.count - late, now, latest)
        for reader in readers if staged.count else ():
            gone = self._missed(staged, reader) if now is None else _NO_POSITIONS
            reader.ingest_made(name, arrived, staged.made, gone)
        self.basket.pass_by(source, number, staged.count - late, latest, late, staged.rejected)

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
            self.basket.look_ahead(micros(self.clock.now()))
        latest = self.basket.progress.latest
        return latest if latest == -FOREVER else latest - self.definition.lateness

    def idle(self) -> bool:
        """Has nothing come for longer than the stream's idle timeout?"""
        timeout = self.definition.idle_timeout
        return timeout is not None and _passed(self.last_arrival, self.clock.now()) > timeout

    def _when(self, rows: pa.Table) -> Positions | int:
        """The time of each row, or of all of them if it is now."""
        if self.definition.event_time is None:
            return micros(self.clock.now())
        column = rows[self.definition.event_time].cast(pa.int64())
        return np.asarray(column.to_numpy(), dtype=np.int64)

    def _late_of(self, staged: Staged, readers: Sequence[Reader]) -> tuple[int, pa.Table]:
        """How many rows are late, and some of them. Only if there may be any do jobs look for them."""
        answered = [w for r in readers for w in r.answered_windows(self.definition.name) or ()]
        until = max((until for _, until in answered), default=-FOREVER)
        none = 0, self.gate.schema.empty_table()
        earliest = np.array([staged.earliest])
        if staged.is_empty or staged.earliest >= until or not readers:
            return none
        if not self._late(earliest, readers)[0] and all(_has_no_gaps(window) for window, _ in answered):
            return none
        times, counts = staged.times(until)
        late = self._late(times, readers)
        if not late.any():
            return none
        rows, at = staged.rows_before(int(times[late].max()) + 1)
        return int(counts[late].sum()), rows.filter(pa.array(self._late(at, readers)))

    def _missed(self, staged: Staged, reader: Reader) -> Positions:
        """The slices of a batch, and the times of its rows, that come too late for a reader."""
        found = [made.occupied for _, made in staged.made]
        slices = np.unique(np.concatenate([_NO_POSITIONS, *found]))
        return slices[self._late(slices, [reader])]

    def _late(self, times: Positions, readers: Sequence[Reader]) -> Mask:
        """A row is late if some boundary would have shown it, and every such boundary has been answered."""
        shown, waited_for = np.zeros(len(times), dtype=np.bool_), np.zeros(len(times), dtype=np.bool_)
        for reader in readers:
            answered = reader.answered_windows(self.definition.name)
            if answered is None:
                return np.zeros(len(times), dtype=np.bool_)
            for window, until in answered:
                last = last_shown(window, times)
                shown |= last > times
                waited_for |= (last > times) & (last > until)
        return shown & ~waited_for


def _has_no_gaps(window: TimeWindow) -> bool:
    """Does some boundary show every row, and the later of two rows no earlier than the other?"""
    match window:
        case Now(slide=slide):
            return slide is None
        case Fixed(size=size, slide=slide) | Landmark(reset=int(size), slide=slide):
            return slide is None or size % slide == 0
        case Range(size=size, slide=slide):
            return slide is None or size >= slide
    return True


def _passed(since: datetime, now: datetime) -> int:
    return micros(now) - micros(since)
