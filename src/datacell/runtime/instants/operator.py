"""What a stateful operator is: it takes rows as time goes on, and gives those that no later one can change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

import pyarrow as pa

from datacell.algebra.open_ends import NOTHING_ENDED, Ended
from datacell.algebra.positions import FOREVER
from datacell.engines.arrow import arrow_schema
from datacell.intervals.flow import Leaf, NamedPlan
from datacell.intervals.operators import Operator
from datacell.intervals.program import input_of, part_of
from datacell.runtime.instants.buffer import InputBuffer
from datacell.runtime.instants.cut_points import CutPoints
from datacell.runtime.plans.plans import Plans
from datacell.runtime.plans.prepared import PreparedPlan

Given = tuple[pa.Table, int]
"""Rows, and how far the operator has come: no row that begins before this instant will follow."""


class StatefulOperator(ABC):
    """An operator with its plans, which are prepared once, and its state; people read of it under its label.

    It has taken what begins before `before`, and will give no more rows that begin before `given`.
    """

    takes_open: ClassVar[bool] = False
    """Does it take rows before their ends are known?"""

    ended: Ended = NOTHING_ENDED
    """Of the open ends of rows that it has given, those that have become known since the last step of time."""

    def __init__(self, operator: Operator, label: str, plans: Plans, cut_points: CutPoints) -> None:
        self.cut_points = cut_points
        self.schema = arrow_schema(operator.schema)
        self.buffers = [
            InputBuffer(flow, input_of(label, n), plans, self.takes_open) for n, flow in enumerate(operator.inputs)
        ]
        self.before = self.given = -FOREVER
        self._label, self._plans = label, plans

    def advance(self, new: Mapping[Leaf, pa.Table], progress: Mapping[Leaf, int]) -> Given:
        """What follows from what is new."""
        for buffer in self.buffers:
            buffer.put(new)
        now = min(buffer.progress(progress) for buffer in self.buffers)
        if now <= self.before:
            return self.schema.empty_table(), self.given
        rows, self.given = self.take([buffer.take(now) for buffer in self.buffers], now)
        self.before = now
        return rows.select(self.schema.names), self.given

    def settle(self, ended: Ended) -> None:
        """Some ends have become known of rows that it has taken or will take."""
        for buffer in self.buffers:
            buffer.settle(ended)

    def reset(self) -> None:
        """Begin again, as if no row had come."""
        self.before = self.given = -FOREVER
        for buffer in self.buffers:
            buffer.clear()

    def size(self) -> int:
        return self.waiting() + self.kept()

    def waiting(self) -> int:
        """How many rows have come that it cannot take yet."""
        return sum(len(buffer.rows) for buffer in self.buffers)

    def is_cut(self) -> bool:
        """Is there a cut point that what it has taken does not show?"""
        return self.cut_points.last.at == self.before

    def open_rows(self) -> int | None:
        """Of how many rows it knows only when they begin; None if they must not be cut."""
        return None

    def remark(self) -> str:
        """What it has decided, for readers."""
        return ""

    @abstractmethod
    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        """Take the rows that begin before `now`, of each input."""

    @abstractmethod
    def kept(self) -> int:
        """How many rows it keeps."""

    def _prepare(self, named: NamedPlan) -> PreparedPlan:
        name, plan = named
        return self._plans.prepare(part_of(self._label, name), plan)
