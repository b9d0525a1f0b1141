"""The tables of an axis: which elementary intervals there are, and of which a member is made (`algebra.elementary`).

Intervals are numbered by *generations*. A generation is a list of cuts, and covers the whole axis: what is made of a
row under it stays right for whoever has his limits among its cuts, for ever. When a member comes whose limits are not
among those of the latest generation, the next one begins: rows that come from then on are put into its intervals. So a
member sees what was made since all generations have had his limits.

An interval is a node of level 0; `WIDTH` nodes that are neighbours make one of the next level.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor, inf, isfinite, nextafter

import numpy as np
import pyarrow as pa

from datacell.algebra.elementary import Axis, Kind, Side
from datacell.algebra.types import DOUBLE
from datacell.engines.arrow import arrow_type

WIDTH = 8
"""Wider nodes are fewer to make, narrower ones fewer to ask for; measured with 1,000 members."""

_CELLS = 2
"""Cells of the grid for each cut."""

_LEVEL, _GENERATION = 28, 32
"""The bits of a node's number from which on its level and its generation stand."""

KEPT = 4
"""Generations that stay, whatever is kept of them."""

Cut = float | int
Saved = tuple[int, Sequence[Sequence[Cut]]]
"""The number of the first generation, and the cuts of all."""
Range = tuple[Cut | None, Cut | None]
"""From a cut until before another; None is open, on the right up to NaN."""


def generation_of(interval: int) -> int:
    """The number of the generation that an interval is of."""
    return interval >> _GENERATION


def range_of(axis: Axis, constants: Mapping[str, object]) -> Range:
    """The range of a member."""
    lows = [_cut(constants[name], side, axis) for name, side in axis.limits if side.is_low]
    highs = [_cut(constants[name], side, axis) for name, side in axis.limits if not side.is_low]
    return max(lows, default=None), min(highs, default=None)


@dataclass(frozen=True)
class Generation:
    """Of a number; the cuts are in order, and there is one at least."""

    number: int
    cuts: tuple[Cut, ...]

    def has(self, wanted: Range) -> bool:
        return all(cut is None or cut in self._places for cut in wanted)

    @property
    def count(self) -> int:
        """Of its intervals: also what is before the first cut, and from the last one on."""
        return len(self.cuts) + 1

    def interval(self, place: int | np.ndarray, level: int = 0) -> int | np.ndarray:
        return (self.number << _GENERATION) + (level << _LEVEL) + place

    def nodes(self) -> pa.Table:
        """For each interval the nodes that it is in."""
        places = np.arange(self.count)
        levels = range(self._levels)
        return pa.table(
            {
                "interval": np.tile(self.interval(places), self._levels),
                "node": np.concatenate([self.interval(places // WIDTH**level, level) for level in levels]),
            }
        )

    def nodes_of(self, wanted: Range) -> Iterator[int]:
        """The nodes that make up a range."""
        low, high = wanted
        first = 0 if low is None else self._places[low] + 1
        end = self.count if high is None else self._places[high] + 1
        for level in range(self._levels):
            last = level == self._levels - 1
            while first < end and (last or first % WIDTH):
                yield int(self.interval(first, level))
                first += 1
            while first < end and end % WIDTH:
                end -= 1
                yield int(self.interval(end, level))
            first, end = first // WIDTH, end // WIDTH

    def grid(self) -> pa.Table:
        base, factor, top, most = self._grid
        return pa.table({"base": [base], "factor": [factor], "top": [top], "most": pa.array([most], pa.int64())})

    def cells(self, axis: Axis) -> pa.Table:
        """Which intervals there are in each cell of the grid, or may be as far as rounding goes."""
        cells: list[int] = []
        places: list[int] = []
        for place in range(self.count):
            low, high = self._limits(place)
            first = -1 if low is None else self._cell(float(low))
            last = self._grid[3] if high is None else self._cell(float(high))
            cells += range(first, last + 1)
            places += [place] * (last + 1 - first)
        lows, highs = zip(*map(self._limits, places), strict=True)
        limit = arrow_type(axis.type)
        return pa.table(
            {
                "cell": pa.array(cells, pa.int64()),
                "low": pa.array(lows, limit),
                "high": pa.array(highs, limit),
                "interval": self.interval(np.array(places, dtype=np.int64)),
            }
        )

    @cached_property
    def _places(self) -> Mapping[Cut, int]:
        return {cut: place for place, cut in enumerate(self.cuts)}

    @cached_property
    def _levels(self) -> int:
        level = 1
        while WIDTH**level < self.count:
            level += 1
        return level

    def _limits(self, place: int) -> Range:
        return self.cuts[place - 1] if place else None, self.cuts[place] if place < len(self.cuts) else None

    @cached_property
    def _grid(self) -> tuple[float, float, float, int]:
        """Where it begins, cells per unit, where it ends, and the cell of all that is beyond."""
        base, top, cells = float(self.cuts[0]), float(self.cuts[-1]), _CELLS * len(self.cuts)
        factor = cells / (top - base) if top > base else inf
        if not isfinite(factor) or not isfinite(top - base):
            return top, 0.0, top, 1
        return base, factor, top, cells + 2

    def _cell(self, value: float) -> int:
        base, factor, top, most = self._grid
        if value >= top:
            return most
        return floor((value - base) * factor) if value >= base else -1


class AxisTables:
    """Of one axis of a family. The generations are what is to be kept of it."""

    def __init__(self, axis: Axis, saved: Saved = (0, ())) -> None:
        first, generations = saved
        self.axis = axis
        self.generations = [Generation(number, tuple(cuts)) for number, cuts in enumerate(generations, first)]

    def saved(self) -> Saved:
        """What the same is made from."""
        return self.generations[0].number, [generation.cuts for generation in self.generations]

    def let_go(self, below: int) -> bool:
        """Nothing is kept of earlier generations than this one; did something go? The last few stay in any case: what
        was made may not be kept yet."""
        gone = [g for g in self.generations[:-KEPT] if g.number < below]
        del self.generations[: len(gone)]
        return bool(gone)

    def reaches(self, ranges: Iterable[Range]) -> bool:
        """Begin another generation, if these ranges need one; is that so?"""
        wanted = list(ranges)
        if self.generations and all(map(self.generations[-1].has, wanted)):
            return False
        cuts = {cut for one in wanted for cut in one if cut is not None}
        number = self.generations[-1].number + 1 if self.generations else 0
        self.generations.append(Generation(number, tuple(sorted(cuts))))
        return True

    def table(self, kind: Kind, members: Mapping[int, Range]) -> pa.Table:
        """A table about these members, whose limits the latest generation has."""
        match kind:
            case Kind.GRIDS:
                return self.generations[-1].grid()
            case Kind.INTERVALS:
                return self.generations[-1].cells(self.axis)
            case Kind.NODES:
                return pa.concat_tables([generation.nodes() for generation in self.generations])
        pairs = [(number, node) for number, wanted in members.items() for node in self._nodes(wanted)]
        numbers, nodes = zip(*pairs, strict=True) if pairs else ((), ())
        return pa.table({"number": pa.array(numbers, pa.int64()), "node": pa.array(nodes, pa.int64())})

    def _nodes(self, wanted: Range) -> Iterator[int]:
        """Of all generations since the last one that did not have its limits."""
        for generation in reversed(self.generations):
            if not generation.has(wanted):
                return
            yield from generation.nodes_of(wanted)


def _cut(constant: object, side: Side, axis: Axis) -> Cut:
    """Where a range begins that has the constant or not, or ends before."""
    assert isinstance(constant, int | float)
    if side in (Side.FROM, Side.BELOW):
        return constant + 0.0 if axis.type == DOUBLE else constant
    return nextafter(constant, inf) if axis.type == DOUBLE else constant + 1
