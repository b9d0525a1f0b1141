"""What an operator over rows with a validity is when it works."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import pyarrow as pa

from datacell.engines.arrow import arrow_schema
from datacell.intervals.operators import Operator
from datacell.intervals.validity import FOREVER
from datacell.runtime.evaluation import Runner
from datacell.runtime.instants.buffer import Inbox
from datacell.runtime.instants.cut_points import Turns

Given = tuple[pa.Table, int]
"""Rows, and how far the operator has come: no row that begins before this instant will follow."""


class Working(ABC):
    """An operator and its state."""

    def __init__(self, operator: Operator, run: Runner, turns: Turns) -> None:
        self.run, self.turns = run, turns
        self.inboxes = [Inbox(flow) for flow in operator.inputs]
        self.schema = arrow_schema(operator.schema)
        self.before = -FOREVER
        self.given = -FOREVER

    def advance(self, new: Mapping[str, pa.Table], progress: Mapping[str, int]) -> Given:
        """What follows from what is new."""
        for inbox in self.inboxes:
            inbox.put(new, self.run)
        now = min(inbox.progress(progress) for inbox in self.inboxes)
        if now <= self.before:
            return self.schema.empty_table(), self.given
        rows, self.given = self.take([inbox.take(now) for inbox in self.inboxes], now)
        self.before = now
        return rows.select(self.schema.names), self.given

    def size(self) -> int:
        return self.waiting() + self.kept()

    def waiting(self) -> int:
        """How many rows have come that it cannot take yet."""
        return sum(len(inbox.rows) for inbox in self.inboxes)

    def is_turning(self) -> bool:
        """Is there a turn that what it has taken does not show?"""
        return self.turns.last.at == self.before

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
