"""Which boundaries are due, and what every window shows there.

Laws. A query's boundaries are the union of its windows' own; between its own boundaries a window shows its latest one.
A boundary is evaluated if some window shows something there. Boundary τ is due once the watermark has reached τ; at the
end of input every boundary is, while a window shows something, and windows that never empty are asked up to their first
boundary past the last row.

Rows are given by their sorted positions alone, those under LATEST by their validities; gaps cost nothing, because only
intervals where something is shown are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.window import (
    Fixed,
    Landmark,
    LandmarkRows,
    LatestBy,
    Now,
    Range,
    Rows,
    RowWindow,
    Session,
    TimeWindow,
    Unbounded,
    WindowSpec,
    is_keyed,
    micros,
)


@dataclass(frozen=True)
class Boundary:
    """A boundary and, for each window, the interval of positions it shows; `empty` if all have just become empty."""

    end: int
    shown: tuple[tuple[int, int], ...]
    empty: bool = False


@dataclass(frozen=True, eq=False)
class Validities:
    """Rows that are valid from when until when, FOREVER if nobody knows; and the last time of all rows there were."""

    begins: Positions
    ends: Positions
    last: int


def due_in_time(
    windows: Sequence[TimeWindow], rows: Sequence[Positions | Validities], after: int, until: int, ended: bool
) -> Iterator[Boundary]:
    """The boundaries of a query over time windows in (after, until]; all after `after` once the input has `ended`."""
    slides = sorted({w.slide for w in windows if w.slide is not None})
    last = max((p.last if isinstance(p, Validities) else int(p[-1]) for p in rows if _any(p)), default=0)
    showing = [_showing(w, p, slides, last if ended else None) for w, p in zip(windows, rows, strict=True)]
    endless = [first for w, p in zip(windows, rows, strict=True) for first in _endless(w, p, slides)]
    limit = FOREVER if ended else until
    intervals = _merged(showing)
    for (start, stop), (begins_again, _) in zip(intervals, [*intervals[1:], (FOREVER, FOREVER)], strict=False):
        yield from (
            Boundary(end, tuple(shown_in_time(w, end) for w in windows))
            for end in _multiples(slides, max(start, after + 1), min(stop, limit + 1))
        )
        emptied = min(-(-stop // s) * s for s in slides)
        if after < emptied <= limit and emptied < begins_again and not any(start <= first < stop for first in endless):
            yield Boundary(emptied, tuple(shown_in_time(w, emptied) for w in windows), empty=True)


def due_in_rows(windows: Sequence[WindowSpec], arrived: int, after: int) -> Iterator[Boundary]:
    """The boundaries of a query over row windows, in (after, arrived]; every stream has so many rows."""
    firsts = [(_first(w), w.slide or 1) for w in windows]
    numbers = sorted({n for first, slide in firsts for n in range(_next(first, slide, after), arrived + 1, slide)})
    for number in numbers:
        yield Boundary(number, tuple(_shown_in_rows(w, number) for w in windows))


def first_seen(window: TimeWindow, rows: Positions, slides: Sequence[int]) -> Positions:
    """For each row the first boundary of a query with these slides that sees it, if any does."""
    if isinstance(window, Landmark) and window.since is not None:
        rows = np.maximum(rows, micros(window.since))
    return _next_multiple(rows, slides if window.slide is None else (window.slide,))


def last_shown(window: TimeWindow, rows: Positions, slides: Sequence[int]) -> Positions:
    """For each row the last boundary at which the window shows it, which is before the first one if none does.

    Under LATEST a row counts if it is there when the first boundary after it fires, and otherwise not at all; that of a
    session, if the watermark has not passed its time.
    """
    if is_keyed(window):
        return first_seen(window, rows, slides)
    stops = _last_end(window, rows)
    if isinstance(window, Landmark) and window.since is not None:
        ends = np.full(len(rows), FOREVER, dtype=np.int64) if stops is None else stops
        stops = np.where(rows >= micros(window.since), ends, rows)
    if stops is None:
        return np.full(len(rows), FOREVER, dtype=np.int64)
    if window.slide is None and not slides:
        return stops
    every = [window.slide] if window.slide is not None else slides
    return np.asarray(np.max([stops // slide * slide for slide in every], axis=0), dtype=np.int64)


def _next_multiple(rows: Positions, slides: Sequence[int]) -> Positions:
    if not slides:
        return rows + 1
    return np.asarray(np.min([(rows // slide + 1) * slide for slide in slides], axis=0), dtype=np.int64)


def oldest_needed(window: WindowSpec, after: int) -> int:
    """The position before which no boundary later than `after` looks."""
    match window:
        case Range(size=size):
            return _own(window, after + 1) - size
        case Fixed(size=size) | Landmark(reset=int(size)):
            return _own(window, after + 1) // size * size - size
        case Now():
            return after
        case Rows(count=count, slide=slide, partition=()):
            return after + 1 - count - slide
    return -FOREVER


def shown_during(window: WindowSpec, rows: Positions) -> tuple[Positions, Positions]:
    """For each row the boundary from which on it is shown and the one from which on it is not: shown in [since, until).

    Both are the same if the window never shows it.
    """
    if isinstance(window, Rows | LandmarkRows):
        return _shown_during_rows(window, rows)
    stops, slide = _last_end(window, rows), window.slide
    since = rows + 1 if slide is None else (rows // slide + 1) * slide
    if stops is None:
        until = np.full(len(rows), FOREVER, dtype=np.int64)
    else:
        until = stops + 1 if slide is None else (stops // slide + 1) * slide
    if isinstance(window, Landmark) and window.since is not None:
        since = np.where(rows >= micros(window.since), since, until)
    return since, until


# Time


def _own(window: TimeWindow, end: int) -> int:
    """The boundary that the window itself shows at this one."""
    return end if window.slide is None else end // window.slide * window.slide


def shown_in_time(window: TimeWindow, boundary: int) -> tuple[int, int]:
    """The positions that a window shows at a boundary, from the first to the one after the last."""
    end = _own(window, boundary)
    match window:
        case Range(size=size):
            return end - size, end
        case Fixed(size=size):
            return (end - 1) // size * size, end
        case Now():
            return end - 1, end
        case Landmark(since=since, reset=reset):
            landmark = -FOREVER if since is None else micros(since)
            return (landmark if reset is None else max(landmark, (end - 1) // reset * reset)), end
    return -FOREVER, end


def latest_own(window: TimeWindow, at: int, slides: Sequence[int]) -> int:
    """The last boundary up to an instant that the window has: its own, or those of the query if it has none."""
    return max(at // slide * slide for slide in ([window.slide] if window.slide is not None else slides))


def _any(rows: Positions | Validities) -> bool:
    return len(rows.begins if isinstance(rows, Validities) else rows) > 0


def _endless(window: TimeWindow, rows: Positions | Validities, slides: Sequence[int]) -> list[int]:
    """The boundaries from which on the window shows something that never ends, as far as is known."""
    if isinstance(rows, Validities):
        return list(map(int, _first_shown(window, rows.begins[rows.ends >= FOREVER])))
    interval = _showing(window, rows, slides, None) if _never_empties(window) else []
    return [interval[0][0]] if interval else []


def _first_shown(window: TimeWindow, rows: Positions) -> Positions:
    return rows + 1 if window.slide is None else (rows // window.slide + 1) * window.slide


def _showing_valid(
    window: TimeWindow, rows: Validities, slides: Sequence[int], last: int | None
) -> list[tuple[int, int]]:
    """A row that is valid in [begins, ends) is shown at the boundaries in (begins, ends]."""
    own = [window.slide] if window.slide is not None else slides
    never = FOREVER if last is None else min((last // s + 1) * s for s in own) + 1
    finite = np.minimum(rows.ends, FOREVER - 1)
    stops = finite + 1 if window.slide is None else (finite // window.slide + 1) * window.slide
    stops = np.where(rows.ends >= FOREVER, never, stops)
    starts = _first_shown(window, rows.begins)
    order = np.argsort(starts, kind="stable")
    return _joined(starts[order], stops[order])


def _showing(
    window: TimeWindow, rows: Positions | Validities, slides: Sequence[int], last: int | None
) -> list[tuple[int, int]]:
    """The intervals [start, stop) of boundaries at which the window shows some row."""
    if isinstance(rows, Validities):
        return _showing_valid(window, rows, slides, last)
    if isinstance(window, Landmark) and window.since is not None:
        rows = rows[rows >= micros(window.since)]
    if not len(rows):
        return []
    stops = _last_end(window, rows)
    if stops is None:
        own = [window.slide] if window.slide is not None else slides
        first = int(rows[0])
        start = first + 1 if window.slide is None else (first // window.slide + 1) * window.slide
        return [(start, FOREVER if last is None else min((last // s + 1) * s for s in own) + 1)]
    if window.slide is None:
        return _joined(rows + 1, stops + 1)
    slide = window.slide
    return _joined((rows // slide + 1) * slide, (stops // slide + 1) * slide)


def _last_end(window: TimeWindow, rows: Positions) -> Positions | None:
    """For each row the last instant at which a boundary shows it, or None if there is none."""
    match window:
        case Range(size=size):
            return rows + size
        case Fixed(size=size) | Landmark(reset=int(size)):
            return (rows // size + 1) * size
        case Now():
            return rows + 1
        case Unbounded() | Landmark() | LatestBy() | Session():
            return None
    raise AssertionError(window)


def _never_empties(window: TimeWindow) -> bool:
    return _last_end(window, np.empty(0, dtype=np.int64)) is None


def _joined(starts: Positions, stops: Positions) -> list[tuple[int, int]]:
    """Intervals that are sorted by their starts, with those that touch made one."""
    real = starts < stops
    starts, stops = starts[real], stops[real]
    if not len(starts):
        return []
    reach = np.maximum.accumulate(stops)
    breaks = np.flatnonzero(starts[1:] > reach[:-1])
    first = np.concatenate(([0], breaks + 1))
    final = np.concatenate((breaks, [len(starts) - 1]))
    return [(int(a), int(b)) for a, b in zip(starts[first], reach[final], strict=True)]


def _merged(intervals: Sequence[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    together = sorted(s for some in intervals for s in some)
    if not together:
        return []
    starts, stops = (np.array(side, dtype=np.int64) for side in zip(*together, strict=True))
    return _joined(starts, stops)


def _multiples(slides: Sequence[int], start: int, stop: int) -> list[int]:
    """All multiples of some slide in [start, stop)."""
    return sorted({n for s in slides for n in range(-(-start // s) * s, stop, s)})


# Rows


def _shown_during_rows(window: RowWindow, rows: Positions) -> tuple[Positions, Positions]:
    first, slide = _first(window), window.slide
    since = np.maximum(first, first + -(-(rows - first) // slide) * slide)
    if isinstance(window, Rows) and not window.partition:
        return since, first + -(-rows // slide) * slide
    return since, np.full(len(rows), FOREVER, dtype=np.int64)


def _first(window: WindowSpec) -> int:
    match window:
        case Rows(count=count, partition=()):
            return count
        case Rows(slide=slide) | LandmarkRows(slide=slide):
            return slide
    raise AssertionError(window)


def _next(first: int, slide: int, after: int) -> int:
    return first if after < first else first + ((after - first) // slide + 1) * slide


def _shown_in_rows(window: WindowSpec, number: int) -> tuple[int, int]:
    first, slide = _first(window), window.slide or 1
    if number < first:
        return 0, 0
    own = number - (number - first) % slide
    if isinstance(window, Rows) and not window.partition:
        return own - window.count + 1, own + 1
    return 1, own + 1
