"""Receptors as transitions: a batch that was read enters its stream when there is room for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from datacell.runtime.streams.first_stage import Staged
from datacell.runtime.streams.stream import PreparedByReaders, RunningStream

SOURCE = "receptor"
"""What a receptor's batches are numbered under; each query that inserts into the stream has numbers of its own."""


@dataclass(frozen=True)
class Offered:
    """A batch that a receptor has read: checked rows, rejected ones, and what readers have made of it ahead of time."""

    number: int
    rows: pa.Table
    rejected: pa.Table
    prepared: PreparedByReaders | None = None


@dataclass(frozen=True)
class OfferedStaged:
    """A batch that a receptor has read whose rows stay on the cluster."""

    number: int
    staged: Staged


class Reception:
    """Of one stream. Without room in the basket a batch waits: that is backpressure."""

    def __init__(self, stream: RunningStream, has_room: Callable[[], bool]) -> None:
        self.stream, self.has_room = stream, has_room
        self._offered: Offered | OfferedStaged | None = None

    def offer(self, offered: Offered | OfferedStaged) -> None:
        """A batch that was taken before is not taken again."""
        self._offered = None if self.holds(offered.number) else offered

    def holds(self, number: int) -> bool:
        """Was the batch taken before?"""
        return self.stream.basket.holds(SOURCE, number)

    def enabled(self) -> bool:
        return self._offered is not None and self.has_room()

    def fire(self) -> bool:
        """Was the batch taken? One whose rows stay on the cluster may have to come again, with its rows."""
        offered, self._offered = self._offered, None
        match offered:
            case Offered(number, rows, rejected, prepared):
                self.stream.take(SOURCE, number, rows, rejected, prepared)
            case OfferedStaged(number, staged):
                return self.stream.take_staged(SOURCE, number, staged)
        return True
