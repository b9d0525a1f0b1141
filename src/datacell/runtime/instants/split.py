"""Rows in pieces at every instant: the rows of which pieces are to come."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from datacell.algebra.tree import Key
from datacell.intervals import operators
from datacell.intervals.split import UNTIL, Rows
from datacell.intervals.validity import AT, END, FROM, TO
from datacell.runtime.instants.buffer import reaching
from datacell.runtime.instants.cut_points import CutPoints, multiples
from datacell.runtime.instants.operator import Given, StatefulOperator
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.batch import positions


class StatefulSplit(StatefulOperator):
    def __init__(self, operator: operators.Split, label: str, plans: Plans, cut_points: CutPoints) -> None:
        super().__init__(operator, label, plans, cut_points)
        self._pieces, self._length = self._prepare(operator.pieces), operator.length
        self._live = self.buffers[0].schema.empty_table()

    def reset(self) -> None:
        super().reset()
        self._live = self._live.schema.empty_table()

    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        (fresh,) = new
        self._live = pa.concat_tables([self._live, fresh])
        cuts = self._cuts(now)
        first = (positions(fresh[FROM]) // self._length + 1) * self._length
        inputs: dict[Key, pa.Table] = {
            Rows.NEW: fresh.append_column(UNTIL, pa.array(first)),
            Rows.LIVE: self._live,
            Rows.CUT_POINTS: cuts,
        }
        found = self._pieces(inputs) if len(fresh) or len(cuts) else self.schema.empty_table()
        self._live = reaching(self._live, now + 1)
        return found, now

    def kept(self) -> int:
        return len(self._live)

    def _cuts(self, now: int) -> pa.Table:
        """The multiples of the length that have come, each with the next one; there is none after the last."""
        known = np.concatenate([positions(self._live[FROM]), positions(self._live[TO])])
        at = multiples(self._length, known, self.before, now)
        until = at + self._length
        if now == END and len(until):
            until[-1] = END
        return pa.table({AT: pa.array(at), UNTIL: pa.array(until)})
