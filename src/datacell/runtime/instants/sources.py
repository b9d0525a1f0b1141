"""The windows of a program over the baskets of its streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.window import WindowSpec
from datacell.intervals.flow import Leaf, WindowRows
from datacell.intervals.validity import FROM, TO, oldest_valid, valid_to
from datacell.runtime.instants.made import MadeRows
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Axis, Need, positions


class Sources:
    """Rows are in baskets, or the first stage has made something of them."""

    def __init__(
        self,
        windows: Sequence[tuple[str, WindowSpec]],
        baskets: Mapping[str, Basket],
        staged: Sequence[MadeRows] = (),
    ) -> None:
        self.windows = [(stream, baskets[stream], window) for stream, window in windows]
        self.staged = staged

    def new(self, since: int, until: int) -> dict[Leaf, pa.Table]:
        """The rows that begin between two instants, with their validity under each window."""
        found: dict[Leaf, pa.Table] = {}
        for index, (_, basket, window) in enumerate(self.windows):
            rows = basket.between(Axis.TIME, since, until, FROM)
            found[WindowRows(index)] = rows.append_column(TO, pa.array(valid_to(window, positions(rows[FROM]))))
        return found

    def made(self, flow: str, since: int, until: int) -> list[pa.Table]:
        """What was made of the rows of windows for the flow of this name: rows that begin between two instants."""
        found = [made.between(since, until) for made in self.staged if made.described.flow == flow]
        return [rows for rows in found if len(rows)]

    def change(self, since: int, until: int) -> bool:
        """Does a row begin or cease to be valid between two instants?"""
        return any(_changes(window, times, since, until) for window, times in self._times())

    def last_change(self) -> int:
        """The last instant that is said anything about when the input ends."""
        return max((_last_change(window, times) for window, times in self._times()), default=-FOREVER)

    def oldest_needed(self, stream: str, since: int) -> list[Need]:
        """The rows whose validity reaches this instant."""
        return [(Axis.TIME, oldest_valid(window, since)) for name, _, window in self.windows if name == stream]

    def _times(self) -> Iterator[tuple[WindowSpec, Positions]]:
        """When rows of windows begin, the latest first."""
        for made in self.staged:
            yield from ((made.window, times) for times in reversed(made.times()))
        for _, basket, window in self.windows:
            yield from ((window, batch.times) for batch in reversed(basket.batches))


def _changes(window: WindowSpec, begins: Positions, since: int, until: int) -> bool:
    ends = valid_to(window, begins)
    return bool((((begins >= since) & (begins < until)) | ((ends > since) & (ends <= until))).any())


def _last_change(window: WindowSpec, begins: Positions) -> int:
    ends = valid_to(window, begins)
    return int(np.where(ends < FOREVER, ends, begins + 1).max(initial=-FOREVER))
