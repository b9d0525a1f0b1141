"""Rates and numbers of keys: where partial aggregates are made, and what that is worth, through real receptors.

At each point of the grid the same files are read to their end, one in each micro-batch, by four paths: as chosen by
cost; in DuckDB, to which raw rows are transferred; on Spark; and mixed, the first stage on Spark and the rest in
DuckDB. All have a turn, those near the best have more, forth and back, and the best turn of each counts. An answer that
does not count every row does not count.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

from datacell.bench.drained import drain
from datacell.bench.progress import Progress
from datacell.bench.stream_files import Shape, write
from datacell.bench.volume import QUERY, WINDOWS_PER_ROW
from datacell.cell.cell import Cell, connect
from datacell.placement.costs import UnitCosts
from datacell.placement.enumeration import Sites
from datacell.placement.homes import Home
from datacell.placement.operators import Operator, Site, Source, in_post_order

HEADLINE = ("mixed_wins", "grid_chosen")
AUTO, DUCKDB, SPARK, MIXED = PATHS = ("auto", "duckdb", "spark", "mixed")
TIE = 1.03
"""A path that is not so many times as fast as another one is not the faster of them."""
NEAR = 0.6
"""Paths that reach this part of the best have more turns."""
SECONDS_PER_FILE = 20
"""Of stream time: three micro-batches from one boundary to the next."""
WARMING = Shape(rows=100_000, files=2, seconds=2 * SECONDS_PER_FILE)
"""What every path reads once before anything counts: there are more turns for what Java has still to compile."""


@dataclass(frozen=True)
class Bounds:
    """How many micro-batches are read of each size; numbers of keys; how many more turns those near the best have."""

    batches: Mapping[int, int]
    keys: tuple[int, ...]
    turns: int

    def points(self) -> list[Point]:
        return [
            Point(Shape(rows * batches, batches, SECONDS_PER_FILE * batches, keys))
            for rows, batches in self.batches.items()
            for keys in self.keys
        ]


@dataclass
class Point:
    """Files of one shape, and rows per second of each path over them."""

    shape: Shape
    rates: dict[str, float] = field(default_factory=dict)
    chosen: str = ""
    """The path that `auto` came out as."""

    def __str__(self) -> str:
        return f"{self.shape.rows_per_file:,} rows of {self.shape.keys:,} keys"

    @property
    def share(self) -> float:
        """What is chosen, as a part of the best."""
        return self.rates[AUTO] / max(self.rates.values())

    @property
    def has_mixed_win(self) -> bool:
        """Is what is chosen mixed, and faster than both pure paths? What is forced to be so is the same thing."""
        mixed, pure = (max(self.rates[p] for p in paths) for paths in ((AUTO, MIXED), (DUCKDB, SPARK)))
        return self.chosen == MIXED and mixed > TIE * pure

    def take(self, path: str, turn: Turn) -> None:
        """The best turn of each path counts."""
        self.rates[path] = max(turn.rate, self.rates.get(path, 0.0))
        if path == AUTO:
            self.chosen = turn.came_out

    def near(self) -> list[str]:
        return [path for path, rate in self.rates.items() if rate >= NEAR * max(self.rates.values())]


class Mixed:
    """On Spark what reads rows where they come, the rest in DuckDB."""

    looks_again = False

    def sites(self, root: Operator, units: UnitCosts) -> Sites:  # noqa: ARG002 - whatever it costs
        return tuple(Site.SPARK if _reads_the_cluster(o) else Site.DUCKDB for o in in_post_order(root))


@dataclass(frozen=True)
class Turn:
    """Rows per second of a run, and the path that its batches took in the end."""

    rate: float
    came_out: str


def measure(bounds: Bounds, spark: SparkSession, progress: Progress) -> list[Point]:
    """Every point has the same share of the time that is left; when it is over, further turns are left out."""
    points = bounds.points()
    with TemporaryDirectory(prefix="datacell-bench-") as directory:
        root = Path(directory)
        _measure(Point(WARMING), 0, spark, root / "warming", progress, 0.0)
        for number, point in enumerate(points):
            share = progress.left / (len(points) - number)
            _measure(point, bounds.turns, spark, root / str(number), progress, progress.left - share)
    return points


def headline(points: Iterable[Point]) -> dict[str, float]:
    found = list(points)
    return {"mixed_wins": float(sum(p.has_mixed_win for p in found)), "grid_chosen": min(p.share for p in found)}


def rows(points: Iterable[Point]) -> list[tuple[object, ...]]:
    """The point, the path, rows per second."""
    return [
        (str(p), f"{AUTO}: {p.chosen}" if path == AUTO else path, rate)
        for p in points
        for path, rate in p.rates.items()
    ]


def turn(path: str, shape: Shape, spark: SparkSession, root: Path) -> Turn:
    """One run over all files of a directory; what it keeps is forgotten."""
    state = root / "state"
    cell = connect(checkpoint=state, spark=spark, engine=AUTO if path == MIXED else path)
    try:
        drained = drain(cell, root / "files", QUERY, 1, Mixed() if path == MIXED else None)
        drained.check(WINDOWS_PER_ROW * shape.rows)
        return Turn(shape.rows / drained.seconds, _came_out(cell))
    finally:
        cell.stop()
        shutil.rmtree(state, ignore_errors=True)


def _measure(
    point: Point, more_turns: int, spark: SparkSession, root: Path, progress: Progress, leaving: float
) -> None:
    write(root / "files", point.shape)
    for path in PATHS:
        point.take(path, turn(path, point.shape, spark, root))
    for number in progress.turns(more_turns, 0, leaving):
        near = point.near()
        for path in near if number % 2 else near[::-1]:
            point.take(path, turn(path, point.shape, spark, root))
    shutil.rmtree(root)
    rates = ", ".join(f"{title} {rate:,.0f}" for _, title, rate in rows([point]))
    progress.say(f"{point}: {rates} rows/s")


def _came_out(cell: Cell) -> str:
    """Which path the last batch took."""
    if "s" not in cell.works.intake.stages:
        return DUCKDB
    return MIXED if DUCKDB in cell.statements.factory("q").plans.engine_names() else SPARK


def _reads_the_cluster(operator: Operator) -> bool:
    return any(isinstance(child, Source) and child.home is Home.CLUSTER for child in operator.inputs)
