"""Rows that come too late, and for whom.

The law: a row is late for a query if some boundary of that query that would see it has fired. It still counts where it
can: it is lost for a query only if all boundaries that would see it have fired, and it is taken as long as somebody
may see it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from datacell.algebra.positions import Positions
from datacell.algebra.window import TimeWindow
from datacell.incremental.boundaries import first_seen, last_shown
from datacell.runtime.streams.batch import Mask


class AnsweredWindow(NamedTuple):
    """A window over a stream, the instant up to which its query has been answered, and the slides of that query."""

    window: TimeWindow
    until: int
    slides: tuple[int, ...] = ()


class Answering(Protocol):
    """Who answers from a stream."""

    name: str

    @property
    def queries(self) -> Iterable[str]:
        """The names of the queries that it answers."""

    def answered_windows(self, stream: str) -> Sequence[AnsweredWindow] | None:
        """The windows over the stream with how far each was answered; None if no row can come too late."""


class Lateness(NamedTuple):
    """Which rows are late for which queries, and which are lost for all."""

    missed: Mapping[str, Mask]
    lost: Mask
    queries: Mapping[str, Sequence[str]]
    """The names of those for whom somebody answers."""

    @property
    def late(self) -> Mask:
        """The rows that are late for somebody."""
        return np.asarray(np.any([np.zeros_like(self.lost), *self.missed.values()], axis=0))

    def missed_by(self) -> pa.Array:
        """For each late row the names of the queries that it is late for."""
        masks = [(self.queries[name], mask) for name, mask in self.missed.items()]
        names = [[one for queries, mask in masks if mask[row] for one in queries] for row in np.flatnonzero(self.late)]
        return pa.array(names, pa.list_(pa.string()))

    def counts(self, each: Positions | int = 1) -> dict[str, int]:
        """How many rows each query has missed, if a row stands for so many."""
        found = {name: int(np.sum(mask * each)) for name, mask in self.missed.items()}
        return {name: count for name, count in found.items() if count}


def may_be_late(stream: str, earliest: int, readers: Iterable[Answering]) -> bool:
    """May a row that is not before this time be late? The later a row, the later is the boundary that sees it first."""
    time = np.array([earliest], dtype=np.int64)
    answered = [one for reader in readers for one in reader.answered_windows(stream) or ()]
    return any(int(first_seen(a.window, time, a.slides)[0]) <= a.until for a in answered)


def lateness(stream: str, times: Positions, readers: Sequence[Answering]) -> Lateness:
    """Of rows with these times."""
    missed = {}
    for reader in readers:
        late = np.zeros(len(times), dtype=np.bool_)
        for window, until, slides in reader.answered_windows(stream) or ():
            first = first_seen(window, times, slides)
            late |= (first <= until) & (first <= last_shown(window, times, slides))
        missed[reader.name] = late
    return Lateness(missed, lost(stream, times, readers), {r.name: list(r.queries) for r in readers})


def lost(stream: str, times: Positions, readers: Sequence[Answering]) -> Mask:
    """The rows that some boundary would have shown, if every such boundary has been answered."""
    shown, waited_for = np.zeros(len(times), dtype=np.bool_), np.zeros(len(times), dtype=np.bool_)
    for reader in readers:
        answered = reader.answered_windows(stream)
        if answered is None:
            return np.zeros(len(times), dtype=np.bool_)
        for window, until, slides in answered:
            last = last_shown(window, times, slides)
            seen = first_seen(window, times, slides) <= last
            shown |= seen
            waited_for |= seen & (last > until)
    return shown & ~waited_for
