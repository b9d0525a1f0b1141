"""A join at every instant: both sides, as far as later rows can overlap with them.

A pair ends when the first of its rows does. As long as one of them is open and the other has not ended, so is the pair.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from datacell.algebra.open_ends import NOTHING_ENDED, Ended, OpenEnds, ended, is_open
from datacell.algebra.positions import Positions
from datacell.intervals import operators
from datacell.intervals.join import OTHER_END
from datacell.intervals.validity import TO
from datacell.runtime.delta_join import BothSides, JoinedRows
from datacell.runtime.instants.buffer import settled
from datacell.runtime.instants.cut_points import CutPoints
from datacell.runtime.instants.operator import Given, StatefulOperator
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.batch import positions


class StatefulJoin(StatefulOperator):
    takes_open = True

    def __init__(
        self, operator: operators.Join, label: str, plans: Plans, cut_points: CutPoints, open_ends: OpenEnds
    ) -> None:
        super().__init__(operator, label, plans, cut_points)
        self._new_pairs = self._prepare(operator.new_pairs)
        self._may_be_open = operator.may_be_open
        self._open_pairs = _OpenPairs(open_ends)
        self._sides = self._none()

    def reset(self) -> None:
        super().reset()
        self._sides = self._none()
        self._open_pairs.clear()

    def settle(self, ended: Ended) -> None:
        super().settle(ended)
        for side in (self._sides.left, self._sides.right):
            side.rows = settled(side.rows, ended)
        self._open_pairs.settle(ended)
        self.ended = NOTHING_ENDED

    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        found = self._sides.new_pairs(*new) if any(map(len, new)) else self.schema.empty_table()
        self._sides.expire(now)
        if self._may_be_open:
            found = self._open_pairs.add(found, now) if len(found) else found
            self.ended = self._open_pairs.ended(now)
        return found, now

    def kept(self) -> int:
        return len(self._sides) + len(self._open_pairs)

    def _none(self) -> BothSides:
        left, right = (JoinedRows(buffer.schema, TO) for buffer in self.buffers)
        return BothSides(self._new_pairs, left, right)


class _OpenPairs:
    """Pairs that were given before their ends were known: by which number, and when their rows end."""

    def __init__(self, open_ends: OpenEnds) -> None:
        self._open_ends = open_ends
        self.clear()

    def clear(self) -> None:
        self._numbers, self._ends = np.empty(0, dtype=np.int64), np.empty((2, 0), dtype=np.int64)

    def add(self, pairs: pa.Table, now: int) -> pa.Table:
        """The pairs with their ends, if they are known, and else with open ends of their own."""
        ends = np.array([positions(pairs[TO]), positions(pairs[OTHER_END])])
        waits = is_open(ends[1]) & (ends[0] > now)
        numbers = self._open_ends.take(int(waits.sum()))
        self._numbers = np.concatenate([self._numbers, numbers])
        self._ends = np.concatenate([self._ends, ends[:, waits]], axis=1)
        known: Positions = ends[0].copy()
        known[waits] = numbers
        return pairs.set_column(pairs.schema.get_field_index(TO), TO, pa.array(known))

    def settle(self, ended: Ended) -> None:
        self._ends = np.sort([ended.known(one) for one in self._ends], axis=0)

    def ended(self, now: int) -> Ended:
        """The pairs of which it is known by now."""
        first, other = self._ends
        known = (first <= now) | ~is_open(other)
        found = ended(self._numbers[known], first[known])
        self._numbers, self._ends = self._numbers[~known], self._ends[:, ~known]
        return found

    def __len__(self) -> int:
        return len(self._numbers)
