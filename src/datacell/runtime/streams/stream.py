"""A stream at work: its basket, the rows set aside, and how far its time has come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from datacell.algebra.definitions import REJECTED, StreamDefinition
from datacell.algebra.schema import Schema
from datacell.algebra.window import TimeWindow, micros
from datacell.engines.arrow import arrow_schema
from datacell.incremental.boundaries import FOREVER, Positions, last_shown
from datacell.runtime.clock import Clock
from datacell.runtime.streams.basket import Axis, Basket, Batch, Need
from datacell.runtime.streams.side_output import Aside

Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]

Ahead = Sequence[tuple["Reader", Any]]
"""What readers have made of the rows, each its own."""

TimedReader = tuple[TimeWindow, int]
"""A window over the stream and the instant up to which its query has been answered."""


class Reader(Protocol):
    """Who reads the stream: it may make something of a batch before that is stored, and says what it still needs."""

    def prepare(self, stream: str, batch: Batch) -> Any: ...

    def ingest(self, stream: str, batch: Batch, prepared: Any) -> None: ...

    def oldest_needed(self, stream: str, coming: bool) -> list[Need]: ...


class RunningStream:
    """Takes batches of rows that have been checked by a receptor."""

    def __init__(self, definition: StreamDefinition, directory: Path, clock: Clock) -> None:
        self.definition, self.clock = definition, clock
        self.schema = arrow_schema(Schema(definition.fields))
        self.basket = Basket(directory / "basket", self.schema)
        self.late = Aside(directory / "late.arrow", self.schema)
        self.rejected = Aside(directory / "rejected.arrow", arrow_schema(Schema(REJECTED)))
        self.readers: Callable[[], Sequence[Reader]] = lambda: ()
        self.is_read: Callable[[], bool] = lambda: False
        """Is somebody still reading rows into it?"""
        self.enabled = True
        self.last_arrival = clock.now()

    def ahead(self, rows: pa.Table) -> Ahead:
        """What readers can make of rows before they are taken. It changes nothing, so it needs no lock.

        Nothing, if rows get their times when they are taken.
        """
        if self.definition.event_time is None:
            return ()
        coming = self.basket.numbered(rows, self._when(rows))
        return [(reader, reader.prepare(self.definition.name, coming)) for reader in self.readers()]

    def take(
        self,
        source: str,
        number: int,
        rows: pa.Table,
        rejected: pa.Table,
        readers: Sequence[TimedReader] | None,
        ahead: Ahead | None = None,
    ) -> None:
        """Take a batch. With only timed `readers`, a row that none of them will look at any more is late."""
        self.last_arrival = self.clock.now()
        batch = self.basket.last_batch + 1
        self.rejected.put(batch, rejected)
        when, count = self._when(rows), 0
        late = _late(np.atleast_1d(when), readers or ())
        if late.any():
            late = np.broadcast_to(late, len(rows))
            count = int(np.count_nonzero(late))
            self.late.put(batch, rows.filter(pa.array(late)))
            rows, when = rows.filter(pa.array(~late)), when if isinstance(when, int) else when[~late]
        taken = self.basket.numbered(rows, when)
        name, waiting = self.definition.name, self.readers()
        if len(taken.rows):
            made = () if ahead is None or count else ahead
            for reader in waiting:
                reader.ingest(name, taken, next((prepared for maker, prepared in made if maker is reader), {}))
        needs = [need for r in waiting for need in r.oldest_needed(name, coming=True)]
        needs += [] if waiting else [(Axis.NUMBER, 0)]
        self.basket.take(source, number, taken, needs, count, len(rejected))

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


def _late(times: Positions, readers: Iterable[TimedReader]) -> Mask:
    """Some boundary would have shown the row, and every such boundary has been answered."""
    shown, waited_for = np.zeros(len(times), dtype=np.bool_), np.zeros(len(times), dtype=np.bool_)
    for window, answered in readers:
        last = last_shown(window, times)
        shown |= last > times
        waited_for |= (last > times) & (last > answered)
    return shown & ~waited_for


def _passed(since: datetime, now: datetime) -> int:
    return micros(now) - micros(since)


def ordered(rows: pa.Table, keys: Sequence[str]) -> pa.Table:
    """The rows by these columns, which are then dropped; rows that tie stay in order.

    Rows come in long runs that agree on all of them, so only the runs are sorted.
    """
    present = [k for k in keys if k in rows.schema.names]
    if not present or not len(rows):
        return rows.drop_columns(present)
    marks = [rows[k].combine_chunks().dictionary_encode() for k in present]
    codes = np.array([m.indices.to_numpy() for m in marks])
    begins = np.concatenate(([0], np.flatnonzero((codes[:, 1:] != codes[:, :-1]).any(axis=0)) + 1))
    values = [m.dictionary.to_pylist() for m in marks]
    order = sorted(
        range(len(begins)), key=lambda run: [v[c] for v, c in zip(values, codes[:, begins[run]], strict=True)]
    )
    plain, lengths = rows.drop_columns(present), np.diff(np.append(begins, len(rows)))
    return pa.concat_tables([plain.slice(int(begins[run]), int(lengths[run])) for run in order])
