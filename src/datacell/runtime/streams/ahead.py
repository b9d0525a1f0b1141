"""How far ahead of the others a row is.

The law: the times of a stream's rows are cut wherever two neighbours are more than a bound apart. Time reaches from
where the stream was over all rows up to the first such cut; what comes after it is too far ahead. A stream that had no
rows begins where most rows of its first batch are together. So days may pass in a batch, as long as there are rows in
between.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from datacell.algebra.definitions import StreamDefinition
from datacell.algebra.duration import DAY
from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.window import instant_text

_LOG = logging.getLogger("datacell")
JUMP = DAY
"""Time that leaps by more than this is told about, where nothing else was declared."""


class Spans(NamedTuple):
    """Times in ascending order, in spans without a gap of interest: the first and the last of each, and how many."""

    firsts: Positions
    lasts: Positions
    counts: Positions


class Jump(NamedTuple):
    """Time leaps from one instant to another."""

    since: int
    until: int


def spans_of(times: Positions) -> Spans:
    """Every time is a span."""
    values, counts = np.unique(times, return_counts=True)
    return Spans(values, values, counts)


def may_jump(earliest: int, latest: int, before: int, bound: int) -> bool:
    """May there be a leap of more than the bound among rows between these times, of a stream that was at `before`?"""
    return latest - (earliest if before == -FOREVER else before) > bound


def first_jump(spans: Spans, before: int, bound: int) -> Jump | None:
    """The first leap of more than the bound, of a stream that was at `before`: beyond it rows are too far ahead."""
    if not len(spans.firsts):
        return None
    reach = np.maximum.accumulate(spans.lasts)
    begins = np.concatenate(([0], np.flatnonzero(spans.firsts[1:] - reach[:-1] > bound) + 1))
    ends = reach[np.append(begins[1:] - 1, len(reach) - 1)]
    sizes = np.add.reduceat(spans.counts, begins)
    at = before if before != -FOREVER else int(ends[int(np.argmax(sizes))])
    for first, last in zip(spans.firsts[begins].tolist(), ends.tolist(), strict=True):
        if first - at > bound:
            return Jump(at, first)
        at = max(at, last)
    return None


class OnCluster(Protocol):
    """Rows on the cluster: between which times they are, in which slices, and in spans, which takes a job."""

    @property
    def is_empty(self) -> bool: ...

    @property
    def earliest(self) -> int: ...

    @property
    def latest(self) -> int: ...

    @property
    def spans(self) -> Callable[[int], Spans]: ...

    def slices(self) -> Positions: ...


def jump_among(stream: StreamDefinition, when: Positions | int, before: int) -> Jump | None:
    """A leap of time that comes with rows in the driver, further than was declared or is usual."""
    bound = stream.ahead or JUMP
    if isinstance(when, int) or not len(when) or not may_jump(int(when.min()), int(when.max()), before, bound):
        return None
    return first_jump(spans_of(when), before, bound)


def jump_in(rows: OnCluster, stream: StreamDefinition, before: int) -> Jump | None:
    """A leap of time that comes with rows on the cluster; where a bound was declared they were rejected already."""
    if rows.is_empty or stream.ahead is not None or not may_jump(rows.earliest, rows.latest, before, JUMP):
        return None
    return None if _have_no_gap(rows.slices(), before) else first_jump(rows.spans(JUMP), before, JUMP)


def told(jump: Jump | None, stream: StreamDefinition) -> Jump | None:
    """The leap, once it is in the log."""
    if jump is not None:
        since, until = map(instant_text, jump)
        _LOG.warning(
            f"stream {stream.name}: time leaps from {since} to {until}; rows in between that come later may be late. "
            f"WATERMARK FOR {stream.event_time} AS … AHEAD AT MOST INTERVAL 1 DAY rejects rows that are so far ahead"
        )
    return jump


def _have_no_gap(slices: Positions, before: int) -> bool:
    """Do slices that have rows say that time has not leapt?"""
    known = slices if before == -FOREVER else np.append(slices[slices > before], before)
    return len(slices) > 0 and int(np.diff(np.sort(known)).max(initial=0)) <= JUMP
