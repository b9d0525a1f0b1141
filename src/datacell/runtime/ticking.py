"""coalesce and split at work."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datacell.intervals import reshape
from datacell.intervals.operators import Joined, Pieces
from datacell.intervals.validity import END, FOREVER, FROM, TO, Instants
from datacell.runtime.evaluation import Runner
from datacell.runtime.inbox import instants, reaching
from datacell.runtime.working import Given, Working


class Joining(Working):
    """Rows that have begun and may go on, and ends that have not come."""

    def __init__(self, operator: Joined, run: Runner) -> None:
        super().__init__(operator, run)
        self.joining = operator.joining
        rows = self.inboxes[0].rows
        self.begun, self.ends = rows.drop_columns([TO]), rows.drop_columns([FROM])

    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        (rows,) = new
        starts = pa.concat_tables([self.begun, rows.drop_columns([TO])])
        ends = pa.concat_tables([self.ends, rows.drop_columns([FROM])])
        past = instants(ends, TO) < now
        self.ends = ends.filter(pa.array(~past))
        if not past.any():
            self.begun = starts
            return self.schema.empty_table(), self._given(now)
        found = self.run(self.joining, {reshape.STARTS: starts, reshape.ENDS: ends.filter(pa.array(past))})
        goes_on = found[TO].is_null()
        self.begun = found.filter(goes_on).select(self.begun.schema.names)
        return found.filter(pc.invert(goes_on)), self._given(now)

    def kept(self) -> int:
        return len(self.begun) + len(self.ends)

    def _given(self, now: int) -> int:
        return min(now, int(instants(self.begun, FROM).min(initial=now)))


class Cutting(Working):
    """Rows of which pieces are to come."""

    def __init__(self, operator: Pieces, run: Runner) -> None:
        super().__init__(operator, run)
        self.cutting, self.length = operator.cutting, operator.length
        self.rows = self.inboxes[0].rows

    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        (fresh,) = new
        self.rows = pa.concat_tables([self.rows, fresh])
        known = np.concatenate([instants(self.rows, FROM), instants(self.rows, TO)])
        at = ticks(self.length, known, self.before, now)
        until = at + self.length
        if now == END and len(until):
            until[-1] = END
        first = (instants(fresh, FROM) // self.length + 1) * self.length
        inputs = {
            reshape.NEW: fresh.append_column(reshape.UNTIL, pa.array(first)),
            reshape.ROWS: self.rows,
            reshape.TICKS: pa.table({reshape.AT: pa.array(at), reshape.UNTIL: pa.array(until)}),
        }
        found = self.run(self.cutting, inputs) if len(fresh) or len(at) else self.schema.empty_table()
        self.rows = reaching(self.rows, now + 1)
        return found, now

    def kept(self) -> int:
        return len(self.rows)


def ticks(length: int | None, known: Instants, before: int, now: int) -> Instants:
    """The multiples of a length in [before, now), none before what is known, and at the end one that is after it."""
    finite = known[known < FOREVER]
    if length is None or not len(finite):
        return np.empty(0, dtype=np.int64)
    first = max(before, int(finite.min()))
    last = min(now, (int(finite.max()) // length + 1) * length + 1) if now == END else now
    return np.arange(-(-first // length) * length, last, length, dtype=np.int64)
