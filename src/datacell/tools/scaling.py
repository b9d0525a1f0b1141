"""What more executors bring: a model of a micro-batch, computed from measured costs.

The query is that of `datacell bench volume`: an aggregate per key over a sliding window. One thing happens at a time,
so a micro-batch takes the sum of its parts, and the part that grows most is what saturates:

==========  ========================================================================================================
rows        read, check and aggregate: the executors' work, shared by all of them
kept        where what is kept has its home on the cluster: what a window shows is combined there, shared as well
fixed       of a micro-batch and of its jobs, whatever they do
tasks       the driver sends off one for each executor and stage, and hears of its end
network     partial rows of every task go to the executors that combine them
driver      where what is kept has its home there: groups are transferred, merged by DuckDB and answered
files       where it is on the cluster: each executor writes one of what is kept and one of the answer
==========  ========================================================================================================

*Measured* are the unit costs (`datacell calibrate`), the fixed costs (`fixed_costs`) and the rate of one executor: what
a row costs there is what is left of it. *Assumed* are executors of one core on hosts of their own, with so much network
each, and as many partitions as cores. Everything else is *computed*. ::

    python -m datacell.tools.scaling --rate ROWS_PER_SECOND_OF_ONE_EXECUTOR
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from datacell.placement.costs import UnitCosts
from datacell.placement.homes import DRIVER_MEMORY, Home, kept_at, megabytes
from datacell.placement.operators import OperatorKind, Site, Source
from datacell.placement.unit_costs import SHIPPED
from datacell.tools.fixed_costs import FixedCosts

EXECUTORS = (1, 10, 100, 1_000)
ROWS = 6_000_000
"""Of a micro-batch of one executor, as `datacell bench executors` has them."""
NETWORK = 125e6
"""Bytes per second into an executor: a gigabit."""
CORES = 2
"""The unit costs of rows on Spark are those of two cores together."""
PARTIAL_BYTES = 40.0
"""Of a partial row: slice, key, sum, count, greatest."""
STAGES = 2
"""Of a job that aggregates: before its shuffle and after it."""
FILES = 2
"""That an executor writes: of what is kept, and of the answer."""
OPERATORS = 2
"""Of a first stage, or of an answer: a map and an aggregate."""

FIXED = FixedCosts(micro_batch=0.177, task=0.0056, file_written=0.024, file_listed=0.00044, file_opened=0.0062)
"""As `fixed_costs` has measured them on two cores of a server that had other work, too: so at most as much."""

Parts = Mapping[str, float]
"""Seconds of a micro-batch, by what they go to."""


@dataclass(frozen=True)
class Query:
    """An aggregate per key over a window of so many slices; a micro-batch has rows of some."""

    keys: int
    slices: int
    window: int

    @property
    def kept_bytes(self) -> float:
        return self.keys * self.window * PARTIAL_BYTES

    @property
    def home(self) -> Home:
        return kept_at(self.kept_bytes, DRIVER_MEMORY)[0]

    def groups(self, rows: float) -> float:
        """Partial rows that so many rows make."""
        return min(rows, float(self.keys * self.slices))

    def to_driver(self, rows: float) -> float:
        """Rows that are transferred: they go by the groups, however many executors made them."""
        return self.groups(rows) if self.home is Home.DRIVER else 0.0

    def shuffled(self, rows: float, executors: int) -> float:
        """Bytes of the partial rows that leave the executor that made them."""
        made = executors * self.groups(rows / executors)
        read_again = self.keys * self.window if self.home is Home.CLUSTER else 0
        return (made + read_again) * PARTIAL_BYTES * (executors - 1) / executors

    def files(self, executors: int) -> int:
        """That are written."""
        return FILES * executors if self.home is Home.CLUSTER else 0


VOLUME = Query(keys=1_000, slices=4, window=5)
LARGE = Query(keys=5_000_000, slices=4, window=10)

Batch = Callable[[int], float]
"""Rows of a micro-batch for so many executors."""


def as_large_as_ever(executors: int) -> float:
    """The same rows for all: how much sooner an answer comes."""
    return float(ROWS)


def growing(executors: int) -> float:
    """The same rows for each: how much more is taken."""
    return float(ROWS * executors)


@dataclass(frozen=True)
class Model:
    """`rate` is what one executor was measured to take of the query of `volume`, in rows per second."""

    rate: float
    units: UnitCosts = SHIPPED
    fixed: FixedCosts = FIXED
    network: float = NETWORK

    @cached_property
    def row(self) -> float:
        """Seconds of a core for a row: what is left of the measured rate when all else is taken off."""
        others = sum(self._others(VOLUME, ROWS, 1).values())
        left = ROWS / self.rate - others
        if left <= 0:
            raise ValueError(f"one executor cannot take {self.rate:,.0f} rows/s: {others:.2g} s are fixed")
        return left / ROWS

    def parts(self, query: Query, rows: float, executors: int) -> Parts:
        """Where the time of a micro-batch goes."""
        return {"rows": rows * self.row / executors, **self._others(query, rows, executors)}

    def busy(self, query: Query, batch: Batch, executors: int) -> float:
        """The share of the time in which executors do what more of them would share."""
        parts = self.parts(query, batch(executors), executors)
        return (parts["rows"] + parts["kept"]) / sum(parts.values())

    def seconds(self, query: Query, rows: float, executors: int) -> float:
        return sum(self.parts(query, rows, executors).values())

    def throughput(self, query: Query, batch: Batch, executors: int) -> float:
        """Rows per second."""
        return batch(executors) / self.seconds(query, batch(executors), executors)

    def saturates(self, query: Query, batch: Batch, executors: int) -> str:
        """The part that takes most of those that executors do not share."""
        parts = self.parts(query, batch(executors), executors)
        return max((name for name in parts if name not in SHARED), key=lambda name: parts[name])

    def step(self, executors: int = 2) -> float:
        """How many times faster the bench is than with one."""
        return self.throughput(VOLUME, as_large_as_ever, executors) / self.throughput(VOLUME, as_large_as_ever, 1)

    def _others(self, query: Query, rows: float, executors: int) -> dict[str, float]:
        is_on_cluster = query.home is Home.CLUSTER
        jobs, spark = 2 if is_on_cluster else 1, self.units.engines[Site.SPARK]
        return {
            "kept": self._kept(query) / executors if is_on_cluster else 0.0,
            "fixed": self.fixed.micro_batch + jobs * (spark.firing + OPERATORS * spark.operator),
            "tasks": jobs * STAGES * executors * self.fixed.task,
            "network": query.shuffled(rows, executors) / executors / self.network,
            "driver": 0.0 if is_on_cluster else self._driver(query, rows),
            "files": self._files(query, executors) if is_on_cluster else 0.0,
        }

    def _kept(self, query: Query) -> float:
        """Seconds of a core: all that a window shows is read and combined, for all slices that are full."""
        spark = self.units.engines[Site.SPARK]
        running = query.keys * query.window * spark.of_row(OperatorKind.RUNNING)
        return CORES * (running + 2 * query.keys * query.slices * spark.row[OperatorKind.AGGREGATE])

    def _driver(self, query: Query, rows: float) -> float:
        """Groups come to it, and for each slice that is full every key is combined twice."""
        groups, duckdb = query.to_driver(rows), self.units.engines[Site.DUCKDB]
        combined = groups + 2 * query.keys * query.slices
        call = duckdb.firing + OPERATORS * duckdb.operator + combined * duckdb.row[OperatorKind.AGGREGATE]
        return self.units.to_driver.of(Source("groups", groups, PARTIAL_BYTES)) + call

    def _files(self, query: Query, executors: int) -> float:
        """A chunk has a file of each executor; a boundary reads the chunks that a window shows."""
        chunks, fixed = query.window / query.slices + 1, self.fixed
        by_driver = query.files(executors) * fixed.file_written + executors * chunks * fixed.file_listed
        return by_driver + chunks * fixed.file_opened


SHARED = ("rows", "kept")
UNSHARED = ("fixed", "tasks", "network", "driver", "files")
HEAD = ("executors", "rows/s", "s", *SHARED, *UNSHARED, "first", "to driver", "shuffled", "written")


def table(model: Model, query: Query, batch: Batch) -> Iterator[tuple[str, ...]]:
    """A line for each number of executors: what they take, the share of each part of a micro-batch, and amounts."""
    yield HEAD
    for executors in EXECUTORS:
        rows = batch(executors)
        parts = model.parts(query, rows, executors)
        seconds = sum(parts.values())
        yield (
            f"{executors:,}",
            f"{_rounded(rows / seconds):,}",
            f"{seconds:.2f}",
            *(f"{parts[name] / seconds:.0%}" for name in (*SHARED, *UNSHARED)),
            model.saturates(query, batch, executors),
            f"{query.to_driver(rows):,.0f}",
            megabytes(query.shuffled(rows, executors)),
            f"{query.files(executors):,}",
        )


def report(model: Model) -> Iterator[str]:
    """All that the document shows."""
    titles = {
        f"{VOLUME.keys:,} keys, kept in the driver; {ROWS:,} rows per micro-batch": (VOLUME, as_large_as_ever),
        f"{VOLUME.keys:,} keys, kept in the driver; {ROWS:,} rows per micro-batch and executor": (VOLUME, growing),
        f"{LARGE.keys:,} keys, kept on the cluster; {ROWS:,} rows per micro-batch and executor": (LARGE, growing),
    }
    for title, (query, batch) in titles.items():
        yield from (title, "", *_aligned(list(table(model, query, batch))), "")
    yield f"a row: {model.row * 1e6:.2f} µs of a core"
    yield f"from one executor to two: {model.step():.2f} times"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _rounded(rate: float) -> int:
    """Three digits: more is not known."""
    return int(float(f"{rate:.2e}"))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m datacell.tools.scaling", description="What more executors bring.")
    parser.add_argument("--rate", type=float, required=True, help="rows per second of one executor, as measured")
    sys.stdout.writelines(f"{line}\n" for line in report(Model(parser.parse_args().rate)))


if __name__ == "__main__":
    main()
