"""The queries of the paper on incremental processing, over streams of uniform integers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from datacell.bench.bed import Batch, Bed
from datacell.engines.protocol import Engine
from datacell.incremental.strategy import Strategy

VALUES = 1000
"""How many values x1 has, and so how many groups there are before the selection."""

FILL = 1_280_000
"""Rows that are put in at once while the first window fills."""

_CHANCE = np.random.default_rng(1)


@dataclass(frozen=True)
class Q1:
    """A selection and a grouped sum over one stream."""

    window: int
    slide: int
    selected: float = 0.2

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
            bed.deposit("s", self.rows(rows))
            left -= rows
        return bed

    def step(self, bed: Bed) -> float:
        """One slide."""
        return bed.deposit("s", self.rows(self.slide))

    def rows(self, count: int) -> Batch:
        return {name: _CHANCE.integers(0, VALUES, count, dtype=np.int32) for name in ("x1", "x2")}


@dataclass(frozen=True)
class Q2:
    """A join of two streams under aggregates; `matches` is the share of all pairs that match."""

    window: int
    slide: int
    matches: float = 1e-4

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
