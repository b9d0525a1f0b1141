"""coalesce and split at work."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datacell.algebra.plan import Coalescing
from datacell.intervals import reshape
from datacell.intervals.operators import Joined, Pieces
from datacell.intervals.validity import END, FOREVER, FROM, TO
from datacell.runtime.evaluation import Runner
from datacell.runtime.instants.buffer import instants, reaching
from datacell.runtime.instants.coalescing import Regulation
from datacell.runtime.instants.cut_points import Turns, multiples
from datacell.runtime.instants.operator import Given, Working


class Joining(Working):
    """Rows that have begun and may go on, and ends that have not come; of the section that is open."""

    def __init__(self, operator: Joined, run: Runner, turns: Turns) -> None:
        super().__init__(operator, run, turns)
        self.joining = operator.joining
        self.regulation = Regulation() if operator.when is Coalescing.WHILE_WORTH_IT else None
        rows = self.inboxes[0].rows
        self.begun, self.ends = rows.drop_columns([TO]), rows.drop_columns([FROM])

    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        (rows,) = new
        given = [self.schema.empty_table()]
        for section in self.turns.sections(self.before, now):
            part = _beginning(rows, section.since, section.until)
            if section.joins:
                part = self._joined(part, END if section.until < now else now)
            given.append(part.select(self.schema.names))
        found = pa.concat_tables(given)
        if self.regulation is not None and now < FOREVER:
            self._regulate(self.regulation, rows, len(found), now)
        return found, self._given(now)

    def kept(self) -> int:
        return len(self.begun) + len(self.ends)

    def open_rows(self) -> int | None:
        return None if self.regulation is None else len(self.begun)

    def remark(self) -> str:
        return "" if self.regulation is None else self.regulation.remark(self.turns.last.joins)

    def _joined(self, rows: pa.Table, now: int) -> pa.Table:
        """The rows that nothing that begins from this instant on can continue."""
        starts = pa.concat_tables([self.begun, rows.drop_columns([TO])])
        ends = pa.concat_tables([self.ends, rows.drop_columns([FROM])])
        past = instants(ends, TO) < now
        self.ends = ends.filter(pa.array(~past))
        if not past.any():
            self.begun = starts
            return self.schema.empty_table()
        found = self._coalesced(starts, ends.filter(pa.array(past)))
        goes_on = found[TO].is_null()
        self.begun = found.filter(goes_on).select(self.begun.schema.names)
        return found.filter(pc.invert(goes_on))

    def _coalesced(self, starts: pa.Table, ends: pa.Table) -> pa.Table:
        return self.run(self.joining, {reshape.STARTS: starts, reshape.ENDS: ends})

    def _given(self, now: int) -> int:
        return min(now, int(instants(self.begun, FROM).min(initial=now)))

    def _regulate(self, regulation: Regulation, rows: pa.Table, given: int, now: int) -> None:
        """Turn where what was seen says so."""
        if self.turns.last.joins:
            regulation.joined(rows, given)
            if regulation.is_over(len(self.begun)):
                self.turns.turn(now, regulation.goes_on(len(self.begun)))
            return
        sample = regulation.passed(rows)
        if sample is not None:
            made = len(self._coalesced(sample.drop_columns([TO]), sample.drop_columns([FROM])))
            if regulation.is_worth_it(len(sample), made, now):
                self.turns.turn(now, True)


class Cutting(Working):
    """Rows of which pieces are to come."""

    def __init__(self, operator: Pieces, run: Runner, turns: Turns) -> None:
        super().__init__(operator, run, turns)
        self.cutting, self.length = operator.cutting, operator.length
        self.rows = self.inboxes[0].rows

    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        (fresh,) = new
        self.rows = pa.concat_tables([self.rows, fresh])
        known = np.concatenate([instants(self.rows, FROM), instants(self.rows, TO)])
        at = multiples(self.length, known, self.before, now)
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


def _beginning(rows: pa.Table, since: int, until: int) -> pa.Table:
    begins = instants(rows, FROM)
    inside = (begins >= since) & (begins < until)
    return rows if inside.all() else rows.filter(pa.array(inside))
