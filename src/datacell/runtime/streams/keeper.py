"""Rows that are kept for a look: `'datacell.keep' = '1 hour'` keeps those of the last hour of a stream's time.

The law: kept are the rows whose time is less than the span before the latest time that was seen, whatever queries need,
also after a restart. They are in the basket, in the driver, so they are bounded: of more than `MOST_KEPT` bytes, or
than the driver's memory has room for, the oldest rows leave early. Until when some have left is known, and durable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from datacell.algebra.positions import FOREVER, Positions
from datacell.runtime.streams.basket import SharedBasket
from datacell.runtime.streams.batch import Axis, Batch, Need

if TYPE_CHECKING:
    from datacell.runtime.streams.first_stage import Arrived, MadeOf, Wanted
    from datacell.runtime.streams.lateness import AnsweredWindow

MOST_KEPT = 256 << 20
"""Bytes that a stream keeps for one-time queries."""

Room = Callable[[object, float], bool]
"""Somebody holds so many bytes in the driver: is there room for that, beside what the others hold?"""

_WHERE = "time′"


def unbounded(who: object, bytes_: float) -> bool:
    return True


class Keeper:
    """A reader of a stream that answers nothing, and needs the rows of a span of time."""

    queries = ()

    def __init__(self, stream: str, basket: SharedBasket, span: int, room: Room = unbounded) -> None:
        self.name, self.span, self._basket, self._room = "datacell.keep", span, basket, room
        self.baskets = {stream: basket}

    def rows(self) -> pa.Table:
        """The rows of the span, as they are now."""
        found = self._basket.between(Axis.TIME, self._since, FOREVER, _WHERE)
        return found.drop_columns([_WHERE])

    def oldest_needed(self, stream: str, coming: bool = False) -> list[Need]:  # noqa: ARG002
        if coming:
            return [(Axis.NUMBER, 0)]
        return [(Axis.TIME, self._since)] if self._fits(self._basket.size()) else [self._newest()]

    @property
    def short(self) -> int | None:
        """The instant up to which rows of the span have left, if some have."""
        until = self._basket.progress.short
        return until if until >= self._since else None

    def wanted(self, stream: str, expected: float) -> Sequence[Wanted] | None:  # noqa: ARG002
        """It needs the rows as they come."""
        return None

    def prepare(self, stream: str, batch: Batch) -> Any:
        """Nothing is made of them."""

    def ingest(self, stream: str, batch: Batch, prepared: Any | None) -> None:
        """The basket has them."""

    def ingest_made(self, stream: str, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> bool:  # noqa: ARG002
        return False

    def answered_until(self, stream: str) -> int:  # noqa: ARG002
        return -FOREVER

    def answered_windows(self, stream: str) -> list[AnsweredWindow] | None:  # noqa: ARG002
        """Whether a row comes too late is up to queries: one that is lost for all of them is among the late rows."""
        return []

    @property
    def _since(self) -> int:
        return self._basket.progress.latest - self.span + 1

    def _fits(self, size: int) -> bool:
        return self._room(self, size) and size <= MOST_KEPT

    def _newest(self) -> Need:
        """As many of the newest batches as there is room for, at least one."""
        size, first, batches = 0, 0, self._basket.batches
        for batch in reversed(batches):
            size += batch.rows.nbytes + batch.times.nbytes
            if first and not self._fits(size):
                break
            first = batch.first
        gone = [batch.extent(Axis.TIME)[1] for batch in batches if batch.first < first]
        if max(gone, default=-FOREVER) >= self._since:
            self._basket.fall_short(max(gone))
        return Axis.NUMBER, first
