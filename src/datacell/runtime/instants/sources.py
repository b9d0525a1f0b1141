"""The windows of a program over the baskets of its streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.window import WindowSpec
from datacell.intervals.flow import Leaf, WindowRows
from datacell.intervals.validity import FROM, TO, oldest_valid, valid_to
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Axis, Need, positions


class Sources:
    def __init__(self, windows: Sequence[tuple[str, WindowSpec]], baskets: Mapping[str, Basket]) -> None:
        self.windows = [(stream, baskets[stream], window) for stream, window in windows]

    def new(self, since: int, until: int) -> dict[Leaf, pa.Table]:
        """The rows that begin between two instants, with their validity under each window."""
        found: dict[Leaf, pa.Table] = {}
        for index, (_, basket, window) in enumerate(self.windows):
            rows = basket.between(Axis.TIME, since, until, FROM)
            found[WindowRows(index)] = rows.append_column(TO, pa.array(valid_to(window, positions(rows[FROM]))))
        return found

    def change(self, since: int, until: int) -> bool:
        """Does a row begin or cease to be valid between two instants?"""
        return any(
            _changes(window, batch.times, since, until)
            for _, basket, window in self.windows
            for batch in reversed(basket.batches)
        )

    def last_change(self) -> int:
        """The last instant that is said anything about when the input ends."""
        return max(_last_change(window, basket.times()) for _, basket, window in self.windows)

    def oldest_needed(self, stream: str, since: int) -> list[Need]:
        """The rows whose validity reaches this instant."""
        return [(Axis.TIME, oldest_valid(window, since)) for name, _, window in self.windows if name == stream]


def _changes(window: WindowSpec, begins: Positions, since: int, until: int) -> bool:
    ends = valid_to(window, begins)
    return bool((((begins >= since) & (begins < until)) | ((ends > since) & (ends <= until))).any())


def _last_change(window: WindowSpec, begins: Positions) -> int:
    ends = valid_to(window, begins)
    return int(np.where(ends < FOREVER, ends, begins + 1).max(initial=-FOREVER))
