"""Cuts: where a stream is cut into slices.

A slice is the rows between two neighbouring cuts and is named by the cut at which it begins. Every window begins and
ends at a cut, so all rows of a slice enter a window together and leave it together. If the slide does not divide the
size there are two cuts per slide. Windows over one stream share the cuts of all of them.

Where a window has blocks (`algebra.blocks`), these begin at cuts too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.window import (
    Fixed,
    Landmark,
    LandmarkRows,
    Now,
    Range,
    Rows,
    Unbounded,
    WindowSpec,
    micros,
)


@dataclass(frozen=True, order=True)
class Progression:
    """offset, offset + period, offset + 2·period, … in both directions."""

    period: int
    offset: int = 0


@dataclass(frozen=True)
class Cuts:
    """All members of the progressions, and some single points."""

    progressions: tuple[Progression, ...]
    points: tuple[int, ...] = ()

    def slice(self, position: int) -> int:
        """The slice a position is in: the last cut that is not after it."""
        latest = ((position - p.offset) // p.period * p.period + p.offset for p in self.progressions)
        return max([-FOREVER, *latest, *(p for p in self.points if p <= position)])

    def slices(self, positions: Positions) -> Positions:
        """For each position the slice it is in."""
        if len(positions):
            first, last = self.slice(int(positions.min())), self.slice(int(positions.max()))
            if first == last:
                return np.full(len(positions), first, dtype=np.int64)
        found = np.full(len(positions), -FOREVER, dtype=np.int64)
        for p in self.progressions:
            found = np.maximum(found, (positions - p.offset) // p.period * p.period + p.offset)
        for point in self.points:
            found = np.where(positions >= point, np.maximum(found, point), found)
        return found


def cuts(windows: Iterable[WindowSpec], slides: Sequence[int]) -> Cuts:
    """The cuts of a stream under these windows; `slides` are those of the whole query, for windows without one."""
    progressions, points = set[Progression](), set[int]()
    for window in windows:
        progressions |= _progressions(window, slides)
        if isinstance(window, Landmark) and window.since is not None:
            points.add(micros(window.since))
    return Cuts(tuple(sorted(progressions)), tuple(sorted(points)))


def starts(window: WindowSpec, slides: Sequence[int], after: int, before: int) -> list[int]:
    """Where windows that slide begin, strictly between two positions."""
    match window:
        case Range(size=size, slide=slide):
            own = [(s, -size) for s in (slides if slide is None else [slide])]
        case Rows(slide=slide):
            own = [(slide, 1)]
        case _:
            raise AssertionError(window)
    found = {n for s, offset in own for n in range(_next(s, offset, after + 1), before, s)}
    return sorted(found)


def _progressions(window: WindowSpec, slides: Sequence[int]) -> set[Progression]:
    ends = [window.slide] if window.slide is not None else list(slides)
    match window:
        case Range(size=size):
            starting = {Progression(s, -size % s) for s in ends}
            return {Progression(s) for s in ends} | starting | {Progression(size)}
        case Fixed(size=size) | Landmark(reset=int(size)):
            return {Progression(s) for s in ends} | {Progression(size)}
        case Now():
            return {Progression(s, o) for s in ends for o in (0, s - 1)}
        case Unbounded() | Landmark():
            return {Progression(s) for s in ends}
        case Rows(count=count, slide=slide, partition=()):
            return {Progression(slide, 1 % slide), Progression(slide, (count + 1) % slide), Progression(count, 1)}
        case Rows(slide=slide) | LandmarkRows(slide=slide):
            return {Progression(slide, 1 % slide)}
    raise AssertionError(window)


def _next(period: int, offset: int, at_least: int) -> int:
    return at_least + (offset - at_least) % period
