"""The thesis' queries for many queries over one stream: each selects a range of a column, 10 % of the rows.

They run in the kernel alone: batches are handed over, and every answer is there before the call returns.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum

import numpy as np
import pyarrow as pa

from datacell.bench.progress import Progress
from datacell.runtime.clock import SystemClock
from datacell.runtime.net.sharing import Sharing
from datacell.runtime.streams.gate import NOTHING_REJECTED
from datacell.sql import script
from datacell.testing import Trial

WIDTH, SELECTED = 100.0, 10.0
"""Values are uniform in [0, 100]; a query's range is as long as a tenth of that."""


class Ranges(Enum):
    """Where the ranges of n queries are: anywhere, as in the thesis, or side by side, so that no two overlap."""

    RANDOM = "10 % each"
    DISJOINT = "1/n each"


class Selections:
    """So many queries at work, by a strategy."""

    def __init__(self, trial: Trial) -> None:
        self._trial, self._chance, self._number = trial, np.random.default_rng(2), 0
        self._schema = trial.stream("s").gate.schema

    def seconds(self, rows: int) -> float:
        """How long a batch of so many rows takes, until all queries have answered."""
        created = pa.array(np.zeros(rows, dtype=np.int64), self._schema.field("created").type)
        batch = pa.table([created, self._chance.uniform(0.0, WIDTH, rows)], schema=self._schema)
        started = time.perf_counter()
        self._trial.scheduler.deposit("s", self._number, batch, NOTHING_REJECTED)
        elapsed = time.perf_counter() - started
        self._number += 1
        return elapsed


@contextmanager
def selections(queries: int, sharing: Sharing, ranges: Ranges) -> Iterator[Selections]:
    """The queries have begun with a batch of every size that there will be: what is done once does not count."""
    chance = np.random.default_rng(1)
    stream = "CREATE STREAM s (created TIMESTAMP, a DOUBLE)"
    with Trial(stream, sharing=sharing, clock=SystemClock()) as trial:
        for number in range(queries):
            low, high = _range(number, queries, ranges, chance)
            text = f"SELECT a FROM s WHERE a >= {low:.6f} AND a < {high:.6f}"
            trial.add_query(f"q{number}", script.query(text, trial.catalog))
        yield Selections(trial)


def best(nets: Sequence[Selections], rows: int, most: int, seconds: float, progress: Progress) -> list[float]:
    """Of each net the best of some batches, after one that does not count: they take turns, for other work on a machine
    comes and goes. There are fewer turns than `most` once they have taken so long."""
    for running in nets:
        running.seconds(rows)
    found, started = [[running.seconds(rows) for running in nets]], time.perf_counter()
    for _ in progress.turns(most - 1, least=0):
        if time.perf_counter() - started > seconds:
            break
        found.append([running.seconds(rows) for running in nets])
    return list(map(min, zip(*found, strict=True)))


def _range(number: int, queries: int, ranges: Ranges, chance: np.random.Generator) -> tuple[float, float]:
    if ranges is Ranges.DISJOINT:
        return number * WIDTH / queries, (number + 1) * WIDTH / queries
    low = chance.uniform(0.0, WIDTH - SELECTED)
    return low, low + SELECTED
