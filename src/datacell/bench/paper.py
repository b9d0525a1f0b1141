"""The queries of the paper on incremental processing, over streams of uniform integers."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean, median

import numpy as np

from datacell.bench.bed import Batch, Bed
from datacell.bench.effort import Effort
from datacell.bench.progress import Progress
from datacell.engines.protocol import Engine
from datacell.incremental.strategy import Strategy

VALUES = 1000
"""How many values x1 has, and so how many groups there are before the selection."""

FILL = 1_280_000
"""Rows that are put in at once while the first window fills."""

COMPARED = {Effort.FULL: (6, 15), Effort.QUICK: (3, 8)}
"""Slides by re-evaluation and by increments whose medians are compared: increments are fast, so they vary more."""

_CHANCE = np.random.default_rng(1)


@dataclass(frozen=True)
class Q1:
    """A selection and a grouped sum over one stream."""

    window: int
    slide: int
    selected: float = 0.2

    def __str__(self) -> str:
        return f"Q1 over {self.window:,} rows by {self.slide:,}, {self.selected:.0%} selected"

    def bed(self, engine: Engine, strategy: Strategy) -> Bed:
        """With the first window full but for one slide."""
        text = (
            f"SELECT x1, sum(x2) AS total FROM s [ROWS {self.window} SLIDE {self.slide}] "
            f"WHERE x1 >= {int(VALUES * (1 - self.selected))} GROUP BY x1"
        )
        bed = Bed(engine, "CREATE STREAM s (x1 INT, x2 INT)", text, strategy)
        left = self.window - self.slide
        while left:
            rows = min(left, FILL // self.slide * self.slide or self.slide)
            bed.deposit("s", uniform(rows))
            left -= rows
        return bed

    def step(self, bed: Bed) -> float:
        """One slide."""
        return bed.deposit("s", uniform(self.slide))


@dataclass(frozen=True)
class Q2:
    """A join of two streams under aggregates; `matches` is the share of all pairs that match."""

    window: int
    slide: int
    matches: float = 1 / VALUES

    def __str__(self) -> str:
        return f"Q2 over {self.window:,} rows by {self.slide:,}, {self.matches:.2g} of the pairs"

    def bed(self, engine: Engine, strategy: Strategy) -> Bed:
        window = f"[ROWS {self.window} SLIDE {self.slide}]"
        text = f"SELECT max(a.x1) AS top, avg(b.x1) AS mean FROM s {window} a, r {window} b WHERE a.x2 = b.x2"
        streams = "CREATE STREAM s (x1 INT, x2 INT); CREATE STREAM r (x1 INT, x2 INT)"
        bed = Bed(engine, streams, text, strategy)
        for stream in ("s", "r"):
            bed.deposit(stream, self.rows(self.window - self.slide))
        return bed

    def step(self, bed: Bed) -> float:
        """One slide of both streams; the answer comes with the second."""
        return bed.deposit("s", self.rows(self.slide)) + bed.deposit("r", self.rows(self.slide))

    def rows(self, count: int) -> Batch:
        keys = max(1, round(1 / self.matches))
        return {
            "x1": _CHANCE.integers(0, VALUES, count, dtype=np.int32),
            "x2": _CHANCE.integers(0, keys, count, dtype=np.int32),
        }


@dataclass(frozen=True)
class Q3:
    """Aggregates over everything since the landmark."""

    slide: int
    selected: float = 0.2

    def bed(self, engine: Engine, strategy: Strategy) -> Bed:
        text = (
            f"SELECT max(x1) AS top, sum(x2) AS total FROM s [LANDMARK SLIDE {self.slide} ROWS] "
            f"WHERE x1 >= {int(VALUES * (1 - self.selected))}"
        )
        return Bed(engine, "CREATE STREAM s (x1 INT, x2 INT)", text, strategy)

    def step(self, bed: Bed) -> float:
        return bed.deposit("s", uniform(self.slide))


def uniform(count: int) -> Batch:
    return {name: _CHANCE.integers(0, VALUES, count, dtype=np.int32) for name in ("x1", "x2")}


def measured(query: Q1 | Q2, engine: Engine, strategy: Strategy, slides: int, progress: Progress) -> float:
    """Seconds per slide: the median of the later half of so many, when the engines are warm; on time out of fewer."""
    with query.bed(engine, strategy) as bed:
        times = [query.step(bed) for _ in progress.turns(slides + 3, least=4)]
    found = median(times[3 + (len(times) - 3) // 2 :])
    progress.say(f"{query} on {engine.name}, {strategy.value}: {found * 1000:,.4g} ms per slide")
    return found


def merging(query: Q1 | Q2, engine: Engine, slides: int, progress: Progress) -> tuple[float, float]:
    """Milliseconds per slide, on average: all of the time, and what of it is merging.

    The second slide is the first that needs a full block; what that costs is spread over the slides of a block. What
    its stretches cost is among the slides.
    """
    with query.bed(engine, Strategy.INCREMENTAL) as bed:
        everything, merged = [], []
        for _ in progress.turns(slides + 4, least=5):
            before = bed.factory.seconds
            everything.append(query.step(bed))
            merged.append(bed.factory.seconds - before)
    block = max(0.0, merged[1] - mean(merged[4:])) * query.slide / query.window
    total, part = ((mean(times[4:]) + block) * 1000 for times in (everything, merged))
    progress.say(f"{query} on {engine.name}: {total:,.4g} ms per slide, {part:,.4g} ms of it merging")
    return total, part


def compared(query: Q1 | Q2, engine: Engine, effort: Effort, progress: Progress) -> tuple[float, float]:
    """Milliseconds per slide: by re-evaluation, by increments."""
    slides = COMPARED[effort]
    again = measured(query, engine, Strategy.REEVALUATE, slides[0], progress) * 1000
    return again, measured(query, engine, Strategy.INCREMENTAL, slides[1], progress) * 1000
