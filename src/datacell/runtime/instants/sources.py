"""The windows of a program over the baskets of its streams; of a LATEST window over what is kept of its stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from datacell.algebra.open_ends import NOTHING_ENDED, Ended
from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.window import WindowSpec
from datacell.intervals.flow import Leaf, WindowRows
from datacell.intervals.validity import END, FROM, TO, oldest_valid, valid_to
from datacell.runtime.instants.cut_points import CutPoints
from datacell.runtime.instants.made import MadeRows
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Axis, Need, positions
from datacell.runtime.versions import Dated, KeptVersions


@dataclass
class RunningVersions:
    """Of a LATEST window: what is kept of it, and where it is cut."""

    kept: KeptVersions
    cut_points: CutPoints
    split_every: int | None = None

    def advance(self, since: int, until: int) -> Dated:
        known = np.array(self.kept.rows.extent, dtype=np.int64)
        return self.kept.advance(until, self.cut_points.between(self.split_every, known, since, until))

    def changes(self, since: int, until: int) -> bool:
        """Does a row begin between two instants, or the input end?"""
        return self.kept.begins_between(since, until) or (until == END and not self.kept.rows.is_empty())


class Sources:
    """Rows are in baskets, or the first stage has made something of them."""

    def __init__(
        self,
        windows: Sequence[tuple[str, WindowSpec]],
        baskets: Mapping[str, Basket],
        staged: Sequence[MadeRows] = (),
        versions: Sequence[RunningVersions] = (),
    ) -> None:
        self.staged, self.versions = staged, versions
        latest = {one.kept.described.index for one in versions}
        self.windows = {n: (s, baskets[s], w) for n, (s, w) in enumerate(windows) if n not in latest}

    def reset(self) -> None:
        """Begin again, as if no row had come."""
        for one in self.versions:
            one.kept.reset()

    def new(self, since: int, until: int) -> tuple[dict[Leaf, pa.Table], Ended]:
        """The rows that begin between two instants, with their validity under each window; and which have ended."""
        found: dict[Leaf, pa.Table] = {}
        ended = NOTHING_ENDED
        for one in self.versions:
            dated = one.advance(since, until)
            rows = dated.rows.append_column(FROM, pa.array(dated.begins)).append_column(TO, pa.array(dated.ends))
            found[WindowRows(one.kept.described.index)] = rows
            ended += dated.ended
        for index, (_, basket, window) in self.windows.items():
            rows = basket.between(Axis.TIME, since, until, FROM)
            found[WindowRows(index)] = rows.append_column(TO, pa.array(valid_to(window, positions(rows[FROM]))))
        return found, ended

    def made(self, flow: str, since: int, until: int) -> list[pa.Table]:
        """What was made of the rows of windows for the flow of this name: rows that begin between two instants."""
        found = [made.between(since, until) for made in self.staged if made.described.flow == flow]
        return [rows for rows in found if len(rows)]

    def change(self, since: int, until: int) -> bool:
        """Does a row begin or cease to be valid between two instants?"""
        if any(one.changes(since, until) for one in self.versions):
            return True
        return any(_changes(window, times, since, until) for window, times in self._times())

    def last_change(self) -> int:
        """The last instant that is said anything about when the input ends."""
        latest = [one.kept.rows.extent[1] + 1 for one in self.versions if not one.kept.rows.is_empty()]
        return max((*latest, *(_last_change(window, times) for window, times in self._times())), default=-FOREVER)

    def oldest_needed(self, stream: str, since: int) -> list[Need]:
        """The rows whose validity reaches this instant."""
        return [(Axis.TIME, oldest_valid(window, since)) for name, _, window in self.windows.values() if name == stream]

    def _times(self) -> Iterator[tuple[WindowSpec, Positions]]:
        """When rows of windows begin, the latest first."""
        for made in self.staged:
            yield from ((made.window, times) for times in reversed(made.times()))
        for _, basket, window in self.windows.values():
            yield from ((window, batch.came) for batch in reversed(basket.batches))


def _changes(window: WindowSpec, begins: Positions, since: int, until: int) -> bool:
    ends = valid_to(window, begins)
    return bool((((begins >= since) & (begins < until)) | ((ends > since) & (ends <= until))).any())


def _last_change(window: WindowSpec, begins: Positions) -> int:
    ends = valid_to(window, begins)
    return int(np.where(ends < FOREVER, ends, begins + 1).max(initial=-FOREVER))
