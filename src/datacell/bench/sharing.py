"""Many queries for the price of a few: a thousand of a family, equal ones, other lengths of the window, twenty shapes.

Each lot of queries drains the same files in a cell of its own, every query with an emitter of its own in this process.
What it takes is told beside what one query of the lot takes, measured right before; of queries that select rows, the
rows delivered per second are told.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import psutil
from pyspark.sql import SparkSession

from datacell.bench.effort import Effort
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.bench.stream_files import COLUMNS, Shape, write
from datacell.cell.cell import connect
from datacell.engines.session import session

HEADLINE = ("family_1000", "equal_1000", "windows_100", "mixed_1000", "select_1000", "memory", "create_ms")
FILES = {Effort.FULL: Shape(400_000, 20, 200, 100), Effort.QUICK: Shape(100_000, 5, 50, 100)}
SHAPES, SELECTED = 20, 0.1
REMARK = (
    "family, equal, windows, mixed: seconds over those of one query; select: rows delivered per second; memory: of the"
    " Python process with the family over that with one; create: milliseconds for a query that joins a family"
)
_WINDOW = "RANGE 1 MINUTE SLIDE 10 SECONDS"
_FUNCTIONS = ("avg", "sum", "min", "max")
_KEYS = ("k", "k % 10 AS k", "c % 7 AS k", "k % 3 AS k", "c % 50 AS k")


@dataclass(frozen=True)
class Taken:
    """What a lot of queries took: to be created, each, and to be answered; the rows delivered; bytes of the process."""

    create: float
    seconds: float
    rows: int
    memory: int


def run(effort: Effort, progress: Progress) -> Report:
    rows: list[tuple[object, ...]] = []
    ratios: dict[str, float] = {}
    found: dict[str, tuple[Taken, Taken]] = {}
    with TemporaryDirectory(prefix="datacell-bench-") as directory:
        files = Path(directory) / "files"
        write(files, FILES[effort])
        spark = session()
        try:
            drained(spark, files, family(1))  # what Java has still to compile does not count
            for name, queries in LOTS.items():
                count = int(name.rsplit("_", 1)[1])
                one, many = (drained(spark, files, queries(n)) for n in (1, count))
                found[name] = one, many
                ratios[name] = many.seconds / one.seconds
                rows.append(
                    (name, one.seconds, many.seconds, ratios[name], many.rows / many.seconds, 1000 * many.create)
                )
                progress.say(f"{name}: {many.seconds:.1f} s, {ratios[name]:.1f} × one ({one.seconds:.1f} s)")
        finally:
            spark.stop()
    before, after = found["family_1000"]
    select = found["select_1000"][1]
    figures = {**ratios, "select_1000": select.rows / select.seconds}
    headline = {**figures, "memory": after.memory / before.memory, "create_ms": 1000 * after.create}
    columns = ("queries", "seconds for one", "seconds", "ratio", "rows/s", "ms to create one")
    return Report("sharing", {name: headline[name] for name in HEADLINE}, columns, rows, REMARK)


def drained(spark: SparkSession, files: Path, queries: Sequence[str], engine: str = "auto") -> Taken:
    """Create the queries, let each deliver all that it answers of the files, and forget them."""
    cell = connect(spark=spark, engine=engine)
    delivered = [0]

    def count(rows: int) -> None:
        delivered[0] += rows

    try:
        options = f"format = 'parquet', path = '{files}', maxFilesPerTrigger = '1'"
        cell.sql(f"CREATE STREAM s ({COLUMNS}, WATERMARK FOR ts AS ts) WITH ({options})")
        started = time.perf_counter()
        made = [cell.query(text, name=f"q{number}") for number, text in enumerate(queries)]
        created = time.perf_counter() - started
        for query in made:
            query.on_result(lambda result: count(len(result)))
        started = time.perf_counter()
        cell.run(once=True)
        seconds = time.perf_counter() - started
        memory = psutil.Process().memory_info().rss
    finally:
        cell.stop()
    return Taken(created / len(queries), seconds, delivered[0], memory)


def family(count: int) -> list[str]:
    """The means of values in random ranges of a tenth."""
    return [f"SELECT k, avg(v) AS m FROM s [{_WINDOW}] WHERE {where} GROUP BY k" for where in _ranges(count)]


def equal(count: int) -> list[str]:
    return [f"SELECT k, avg(v) AS m FROM s [{_WINDOW}] WHERE v > 0.25 AND v < 0.35 GROUP BY k"] * count


def windows(count: int) -> list[str]:
    """Windows of 10 seconds and more; one alone is as long as they are in the middle."""
    lengths = [500] if count == 1 else [10 * (n + 1) for n in range(count)]
    return [f"SELECT k, avg(v) AS m FROM s [RANGE {n} SECONDS SLIDE 10 SECONDS] GROUP BY k" for n in lengths]


def mixed(count: int) -> list[str]:
    """Of as many shapes as there are functions for keys, constants at random."""
    shapes = [(key, function) for key in _KEYS for function in _FUNCTIONS]
    assert len(shapes) == SHAPES
    found = []
    for number, where in enumerate(_ranges(count)):
        key, function = shapes[number % SHAPES]
        group = key.split(" AS ")[0]
        found.append(f"SELECT {key}, {function}(v) AS m FROM s [{_WINDOW}] WHERE {where} GROUP BY {group}")
    return found


def selecting(count: int) -> list[str]:
    """The thesis' query, row by row."""
    return [f"SELECT ts, k, v FROM s WHERE {where}" for where in _ranges(count)]


LOTS: dict[str, Callable[[int], list[str]]] = {
    "family_1000": family,
    "equal_1000": equal,
    "windows_100": windows,
    "mixed_1000": mixed,
    "select_1000": selecting,
}


def _ranges(count: int) -> list[str]:
    random = Random(1)
    lows = [random.uniform(0, 1 - SELECTED) for _ in range(count)]
    return [f"v > {low:.12f} AND v < {low + SELECTED:.12f}" for low in lows]
