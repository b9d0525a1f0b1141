"""Distinct rows at every instant: of every row that is valid, how far it reaches."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from datacell.algebra.tree import Key
from datacell.intervals import operators
from datacell.intervals.distinct import Rows
from datacell.runtime.instants.buffer import reaching
from datacell.runtime.instants.cut_points import CutPoints
from datacell.runtime.instants.operator import Given, StatefulOperator
from datacell.runtime.plans.plans import Plans


class StatefulDistinct(StatefulOperator):
    def __init__(self, operator: operators.Distinct, label: str, plans: Plans, cut_points: CutPoints) -> None:
        super().__init__(operator, label, plans, cut_points)
        self._added, self._reach = self._prepare(operator.added), self._prepare(operator.reach)
        self._old = self.buffers[0].schema.empty_table()

    def reset(self) -> None:
        super().reset()
        self._old = self._old.schema.empty_table()

    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        (rows,) = new
        if not len(rows):
            self._old = reaching(self._old, now + 1)
            return self.schema.empty_table(), now
        inputs: dict[Key, pa.Table] = {Rows.NEW: rows, Rows.OLD: self._old}
        added = self._added(inputs)
        self._old = reaching(self._reach(inputs), now + 1).select(self._old.schema.names)
        return added, now

    def kept(self) -> int:
        return len(self._old)
