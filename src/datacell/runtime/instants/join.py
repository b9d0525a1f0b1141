"""A join at every instant: both sides, as far as later rows can overlap with them."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from datacell.intervals import operators
from datacell.intervals.validity import TO
from datacell.runtime.delta_join import BothSides, JoinedRows
from datacell.runtime.instants.cut_points import CutPoints
from datacell.runtime.instants.operator import Given, StatefulOperator
from datacell.runtime.plans.plans import Plans


class StatefulJoin(StatefulOperator):
    def __init__(self, operator: operators.Join, label: str, plans: Plans, cut_points: CutPoints) -> None:
        super().__init__(operator, label, plans, cut_points)
        self._new_pairs = self._prepare(operator.new_pairs)
        self._sides = self._none()

    def reset(self) -> None:
        super().reset()
        self._sides = self._none()

    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        found = self._sides.new_pairs(*new) if any(map(len, new)) else self.schema.empty_table()
        self._sides.expire(now)
        return found, now

    def kept(self) -> int:
        return len(self._sides)

    def _none(self) -> BothSides:
        left, right = (JoinedRows(buffer.schema, TO) for buffer in self.buffers)
        return BothSides(self._new_pairs, left, right)
