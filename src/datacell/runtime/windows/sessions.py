"""Sessions at work: rows wait until their session has ended; what is known of open sessions goes on with each batch.

A row is looked at when it comes and when its session has ended. After a restart sessions are found again from the rows
that are kept; those that end before the last boundary were answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.schema import Schema
from datacell.algebra.sessions import FIRST, LAST, SESSION, Rows
from datacell.algebra.versions import TIME
from datacell.engines.arrow import arrow_schema
from datacell.engines.transfers import Account
from datacell.incremental.boundaries import Boundary
from datacell.incremental.inputs import BOUNDARIES, WindowRows
from datacell.incremental.lift import SESSION_BOUNDS
from datacell.incremental.plans import Reevaluated
from datacell.runtime.evaluation import Held, PreparedBatch
from datacell.runtime.kept_rows import KeptRows
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Batch, Need, positions
from datacell.runtime.streams.first_stage import Arrived, MadeOf, Wanted


@dataclass(frozen=True)
class _Left:
    """What is left of open sessions and waiting rows once a boundary has been answered."""

    until: int
    sessions: pa.Table
    waiting: pa.Table


class SessionWindows:
    """The sessions of a query. `answered` says up to which boundary there are answers."""

    def __init__(
        self,
        described: Reevaluated,
        baskets: Mapping[str, Basket],
        plans: Plans,
        directory: Path,
        answered: Callable[[], int],
    ) -> None:
        assert described.sessions is not None
        self.described, self._answered = described.sessions, answered
        ((_, answer),) = described.answer.named()
        self._answer = plans.prepare("answer", answer)
        self._merged, self._assigned = (plans.prepare(*named) for named in self.described.named())
        schema, last = arrow_schema(Schema(self.described.kept)), baskets[self.described.stream].last_batch
        self.kept = KeptRows(schema, TIME, directory / "session", last)
        self._session_schema = arrow_schema(Schema(self.described.open))
        self._new = self._waiting = schema.empty_table()
        self._sessions = self._session_schema.empty_table()
        self._leaving: _Left | None = None
        self._has_old = False
        self._reset()

    def prepare(self, stream: str, batch: Batch) -> PreparedBatch:  # noqa: ARG002
        return {}

    def ingest(self, stream: str, batch: Batch, prepared: PreparedBatch) -> None:  # noqa: ARG002
        """The rows are kept until their sessions have ended."""
        if self.kept.forget_from(batch.number):
            self._reset()
        rows = batch.rows.append_column(TIME, pa.array(batch.times))
        in_time = batch.times >= self._answered()
        made = (rows if in_time.all() else rows.filter(pa.array(in_time))).select(self.kept.schema.names)
        made = made.cast(self.kept.schema)
        self.kept.put(batch.number, made)
        self._new = pa.concat_tables([self._new, made])

    def wanted(self, stream: str, expected: float) -> Sequence[Wanted] | None:  # noqa: ARG002
        return None

    def ingest_made(self, stream: str, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> None:
        """Nothing was wanted."""

    def due(self, watermark: int, ended: bool) -> Iterator[Boundary]:
        """The ends of sessions that the watermark has reached."""
        self._merge()
        ends = np.unique(positions(self._sessions[LAST]) + self.described.gap)
        for end in ends if ended else ends[ends <= watermark]:
            yield Boundary(int(end), ())

    def positions(self, watermark: int, ended: bool) -> Sequence[Positions]:  # noqa: ARG002
        return []

    def at_once(self) -> int:
        return FOREVER

    def answer(self, due: Sequence[Boundary]) -> pa.Table:
        ends = positions(self._sessions[LAST]) + self.described.gap
        left = np.isin(ends, [b.end for b in due])
        sessions = self._sessions.filter(pa.array(left))
        numbered = _numbered(sessions)
        bounds = [pa.array(ends[left]), pa.array(positions(sessions[FIRST])), numbered[SESSION]]
        typed = arrow_schema(Schema(SESSION_BOUNDS))
        table = pa.table([c.cast(f.type) for c, f in zip(bounds, typed, strict=True)], schema=typed)
        assigned = self._assigned({Rows.WAITING: self._waiting, Rows.ENDED: numbered})
        rows = assigned.filter(assigned[SESSION].is_valid())
        found = self._answer({BOUNDARIES: table, WindowRows(0): rows})
        stays = assigned.filter(assigned[SESSION].is_null()).select(self.kept.schema.names)
        self._leaving = _Left(due[-1].end, self._sessions.filter(pa.array(~left)), stays)
        return found

    def oldest_needed(self, stream: str, boundary: int) -> list[Need]:  # noqa: ARG002
        return []

    def expire(self, boundary: int) -> None:  # noqa: ARG002 - it is asked for where it matters
        """What was answered has been delivered."""
        self._let_go()
        if not len(self._new) and self.kept.is_worth_a_look():
            waiting = self._assigned({Rows.WAITING: self.kept.old(), Rows.ENDED: _numbered(self._sessions)})
            waiting = waiting.filter(waiting[SESSION].is_valid())
            self.kept.replace_old(waiting.select(self.kept.schema.names).cast(self.kept.schema).combine_chunks())

    def held(self) -> Held:
        rows, size = self.kept.size()
        return Held(1, rows, size)

    def transfers(self) -> list[tuple[str, Account]]:
        return []

    def _reset(self) -> None:
        """Find sessions from all rows that are kept."""
        self._new, self._waiting = self.kept.all(), self.kept.schema.empty_table()
        self._sessions = self._session_schema.empty_table()
        self._leaving = None
        self._has_old = len(self._new) > 0

    def _merge(self) -> None:
        """What has come goes into its sessions."""
        self._let_go()
        if not len(self._new):
            return
        merged = self._merged({Rows.NEW: self._new, Rows.OPEN: self._sessions})
        self._sessions = merged.select(self._session_schema.names).cast(self._session_schema)
        self._waiting = pa.concat_tables([self._waiting, self._new])
        self._new = self.kept.schema.empty_table()
        if not self._has_old:
            return
        self._has_old = False
        waits = positions(self._sessions[LAST]) + self.described.gap > self._answered()
        if waits.all():
            return
        self._sessions = self._sessions.filter(pa.array(waits))
        found = self._assigned({Rows.WAITING: self._waiting, Rows.ENDED: _numbered(self._sessions)})
        self._waiting = found.filter(found[SESSION].is_valid()).select(self.kept.schema.names)

    def _let_go(self) -> None:
        """What a firing answered leaves once that is durable; if it failed, it is answered again."""
        if self._leaving is not None and self._leaving.until <= self._answered():
            self._sessions, self._waiting = self._leaving.sessions, self._leaving.waiting
        self._leaving = None


def _numbered(sessions: pa.Table) -> pa.Table:
    return sessions.append_column(SESSION, pa.array(np.arange(len(sessions)), pa.int64()))
