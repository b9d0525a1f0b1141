"""Rows that are kept for a look: `'datacell.keep' = '1 hour'` keeps those of the last hour of a stream's time.

The law: kept are the rows whose time is less than the span before the latest time that was seen, whatever queries need,
also after a restart. They are in the basket, in the driver, so they are bounded: of more than `MOST_KEPT` bytes the
oldest rows leave early.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from datacell.algebra.positions import FOREVER, Positions
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Axis, Batch, Need

if TYPE_CHECKING:
    from datacell.runtime.streams.first_stage import Arrived, MadeOf, Wanted
    from datacell.runtime.streams.lateness import AnsweredWindow

MOST_KEPT = 256 << 20
"""Bytes that a stream keeps for one-time queries."""

_WHERE = "time′"


class Keeper:
    """A reader of a stream that answers nothing, and needs the rows of a span of time."""

    queries = ()

    def __init__(self, stream: str, basket: Basket, span: int) -> None:
        self.name, self.span, self._basket = "datacell.keep", span, basket
        self.baskets = {stream: basket}

    def rows(self) -> pa.Table:
        """The rows of the span, as they are now."""
        latest = self._basket.progress.latest
        found = self._basket.between(Axis.TIME, latest - self.span + 1, FOREVER, _WHERE)
        return found.drop_columns([_WHERE])

    def oldest_needed(self, stream: str, coming: bool = False) -> list[Need]:  # noqa: ARG002
        if coming:
            return [(Axis.NUMBER, 0)]
        return [(Axis.TIME, self._basket.progress.latest - self.span + 1)] if self._fits() else [self._newest()]

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

    def _fits(self) -> bool:
        return self._basket.size() <= MOST_KEPT

    def _newest(self) -> Need:
        """As many of the newest batches as there is room for, at least one."""
        size, first = 0, 0
        for batch in reversed(self._basket.batches):
            size += batch.rows.nbytes + batch.times.nbytes
            if size > MOST_KEPT and first:
                break
            first = batch.first
        return Axis.NUMBER, first
