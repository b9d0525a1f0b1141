"""Where validities are cut, beside the instants at which something changes: decided as time goes on, and remembered.

A *turn* is an instant at which an operator starts afresh: what is open there is closed, and rows that begin before it
are never joined with rows that begin after it. Snapshots do not show turns. An operator turns at the instant it has
come to: everything that begins earlier was taken, nothing that begins later was. So whoever knows the turns cuts
validities as they were cut, also when after a restart all rows are taken once more. Of the turns before what was given
out only the last matters: it says what is still joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np

from datacell.intervals.validity import END, FOREVER, Instants


@dataclass(frozen=True)
class Turn:
    """From this instant on equal rows are joined, or pass as they are."""

    at: int
    joins: bool = False


@dataclass(frozen=True)
class Section:
    """What begins between two turns."""

    since: int
    until: int
    joins: bool


class Turns:
    """Of one operator, in order; the first is always there."""

    def __init__(self, known: Iterable[Turn]) -> None:
        self.known = tuple(known)

    @property
    def last(self) -> Turn:
        return self.known[-1]

    def cut(self, at: int) -> None:
        """Start afresh, and go on as before."""
        self.turn(at, self.last.joins)

    def turn(self, at: int, joins: bool) -> None:
        self.known = (*(t for t in self.known if t.at < at), Turn(at, joins))

    def forget(self, released: int) -> None:
        """Let go of turns that do not matter for what has not been given out."""
        first = sum(t.at <= released for t in self.known[1:])
        if first:
            self.known = (Turn(-FOREVER), *self.known[first:])

    def sections(self, since: int, now: int) -> Iterator[Section]:
        """The sections that end at the first of these instants or later, and begin before the second."""
        for turn, after in pairwise((*self.known, Turn(END))):
            if after.at >= since and turn.at < now:
                yield Section(turn.at, after.at, turn.joins)

    def ticks(self, length: int | None, known: Instants, since: int, now: int) -> Instants:
        """The instants in [since, now) that cut what is open there: turns, and the multiples of a length."""
        turned = [t.at for t in self.known if since <= t.at < now and t.at > -FOREVER]
        return np.union1d(np.array(turned, dtype=np.int64), multiples(length, known, since, now))


def multiples(length: int | None, known: Instants, since: int, now: int) -> Instants:
    """The multiples of a length in [since, now), none before what is known, and at the end one that is after it."""
    finite = known[known < FOREVER]
    if length is None or not len(finite):
        return np.empty(0, dtype=np.int64)
    first = max(since, int(finite.min()))
    last = min(now, (int(finite.max()) // length + 1) * length + 1) if now == END else now
    return np.arange(-(-first // length) * length, last, length, dtype=np.int64)


def shown(instant: int) -> str:
    return datetime.fromtimestamp(instant / 1_000_000, UTC).isoformat(" ")
