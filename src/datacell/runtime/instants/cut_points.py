"""Where validities are cut, beside the instants at which something changes: decided as time goes on, and remembered.

A *cut point* is an instant at which an operator starts afresh: what is open there is closed, and rows that begin before
it are never coalesced with rows that begin after it. Snapshots do not show cut points. An operator is cut at the
instant it has come to: everything that begins earlier was taken, nothing that begins later was. So whoever knows the
cut points cuts validities as they were cut, also when after a restart all rows are taken once more. Of the cut points
before what was given out only the last matters: it says whether rows are still coalesced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np

from datacell.algebra.positions import FOREVER, Positions
from datacell.intervals.validity import END


@dataclass(frozen=True)
class CutPoint:
    """From this instant on equal rows are coalesced, or pass as they are."""

    at: int
    coalesces: bool = False


@dataclass(frozen=True)
class Section:
    """What begins between two cut points."""

    since: int
    until: int
    coalesces: bool


class CutPoints:
    """Of one operator, in order; the first is always there."""

    def __init__(self, known: Iterable[CutPoint]) -> None:
        self.known = tuple(known)

    @property
    def last(self) -> CutPoint:
        return self.known[-1]

    def cut(self, at: int) -> None:
        """Start afresh, and go on as before."""
        self.add(at, self.last.coalesces)

    def add(self, at: int, coalesces: bool) -> None:
        """Start afresh; rows are coalesced from now on, or pass."""
        self.known = (*(c for c in self.known if c.at < at), CutPoint(at, coalesces))

    def forget(self, released: int) -> None:
        """Let go of cut points that do not matter for what has not been given out."""
        first = sum(c.at <= released for c in self.known[1:])
        if first:
            self.known = (CutPoint(-FOREVER), *self.known[first:])

    def sections(self, since: int, now: int) -> Iterator[Section]:
        """The sections that end at the first of these instants or later, and begin before the second."""
        for cut, after in pairwise((*self.known, CutPoint(END))):
            if after.at >= since and cut.at < now:
                yield Section(cut.at, after.at, cut.coalesces)

    def between(self, length: int | None, known: Positions, since: int, now: int) -> Positions:
        """The instants in [since, now) that cut what is open there: these cut points, and the multiples of a length."""
        decided = [c.at for c in self.known if since <= c.at < now and c.at > -FOREVER]
        return np.union1d(np.array(decided, dtype=np.int64), multiples(length, known, since, now))


def multiples(length: int | None, known: Positions, since: int, now: int) -> Positions:
    """The multiples of a length in [since, now), none before what is known, and at the end one that is after it.

    What was cut at `since` before is cut there again, also if all that is known now is older.
    """
    finite = known[known < FOREVER]
    if length is None or not len(finite):
        return np.empty(0, dtype=np.int64)
    first = max(since, int(finite.min()))
    last = min(now, max((int(finite.max()) // length + 1) * length, since) + 1) if now == END else now
    return np.arange(-(-first // length) * length, last, length, dtype=np.int64)


def shown(instant: int) -> str:
    return datetime.fromtimestamp(instant / 1_000_000, UTC).isoformat(" ")
