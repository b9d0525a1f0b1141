"""The grid of rates and numbers of keys: what counts as a win, and that each path is what it is called."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from datacell.bench import grid
from datacell.bench.grid import AUTO, DUCKDB, MIXED, SPARK, Bounds, Mixed, Point
from datacell.bench.stream_files import Shape, write
from datacell.placement.homes import Home
from datacell.placement.operators import Operator, OperatorKind, Site, Source
from datacell.placement.unit_costs import SHIPPED

_SHAPE = Shape(rows=4_000, files=4, seconds=80, keys=10)


def _point(chosen: str, auto: float, duckdb: float, spark: float, mixed: float) -> Point:
    return Point(_SHAPE, {AUTO: auto, DUCKDB: duckdb, SPARK: spark, MIXED: mixed}, chosen)


@pytest.mark.parametrize(
    ("point", "wins"),
    [
        (_point(MIXED, 110, 100, 50, 105), True),
        (_point(MIXED, 98, 100, 50, 110), True),  # the same placement, in a better turn
        (_point(MIXED, 102, 100, 50, 102), False),  # a tie
        (_point(MIXED, 110, 100, 120, 110), False),
        (_point(DUCKDB, 110, 100, 50, 110), False),
    ],
)
def test_a_mixed_win_is_chosen_and_faster_than_both_pure_paths(point: Point, wins: bool) -> None:
    assert point.has_mixed_win is wins


def test_the_headline_has_the_wins_and_the_worst_choice() -> None:
    points = [_point(MIXED, 120, 100, 50, 110), _point(DUCKDB, 90, 100, 20, 60), _point(DUCKDB, 99, 100, 20, 60)]
    assert grid.headline(points) == {"mixed_wins": 1.0, "grid_chosen": 0.9}
    assert tuple(grid.headline(points)) == grid.HEADLINE


def test_rows_say_what_was_chosen() -> None:
    assert grid.rows([_point(MIXED, 4, 3, 2, 1)]) == [
        ("1,000 rows of 10 keys", "auto: mixed", 4),
        ("1,000 rows of 10 keys", "duckdb", 3),
        ("1,000 rows of 10 keys", "spark", 2),
        ("1,000 rows of 10 keys", "mixed", 1),
    ]


def test_every_size_meets_every_number_of_keys() -> None:
    points = Bounds({2_000: 10, 20_000: 5}, (10, 1_000), turns=1).points()
    assert [(p.shape.rows_per_file, p.shape.keys, p.shape.files) for p in points] == [
        (2_000, 10, 10),
        (2_000, 1_000, 10),
        (20_000, 10, 5),
        (20_000, 1_000, 5),
    ]


def test_mixed_is_on_spark_only_where_rows_come() -> None:
    partial = Operator(OperatorKind.AGGREGATE, "partial", (Source("rows", 10.0, home=Home.CLUSTER),), 1.0)
    total = Operator(OperatorKind.AGGREGATE, "total", (partial, Source("kept", 1.0)), 1.0)
    assert Mixed().sites(total, SHIPPED) == (Site.SPARK, Site.DUCKDB)


@pytest.mark.spark
@pytest.mark.parametrize("path", grid.PATHS)
def test_each_path_counts_every_row_and_is_what_it_is_called(tmp_path: Path, spark: SparkSession, path: str) -> None:
    write(tmp_path / "files", _SHAPE)
    found = grid.turn(path, _SHAPE, spark, tmp_path)
    assert found.rate > 0
    assert found.came_out == (DUCKDB if path == AUTO else path)  # such little batches are transferred
