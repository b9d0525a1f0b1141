"""Every line of the agreed tables over a grid of awkward values: DuckDB says what Spark says, or it raises.

The answers are compared value by value and without tolerance: on single rows the engines agree to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from conformance import grid, values
from conformance.grid import Grid
from datacell.algebra import scalar
from datacell.algebra.plan import Map, Table
from datacell.algebra.schema import Named
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import run_once
from datacell.engines.spark import SparkEngine
from datacell.errors import EngineError

_GRIDS = list(grid.grids(grid.blocks()))


@pytest.fixture(scope="module")
def duckdb_engine() -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine(threads=1)
    yield engine
    engine.close()


@pytest.mark.spark
@pytest.mark.parametrize("number", range(len(_GRIDS)))
def test_engines_agree(number: int, spark_engine: SparkEngine, duckdb_engine: DuckDBEngine) -> None:
    found = _GRIDS[number]
    right = values.plain(run_once(spark_engine, found.plan, {"grid": found.table})).sort_by("id")
    differences = [
        difference
        for column in found.plan.columns[1:]
        for difference in _differences(found, column, right.column(column.name).to_pylist(), duckdb_engine)
    ]
    assert differences == []


def _differences(found: Grid, column: Named, right: list[Any], engine: DuckDBEngine) -> Iterator[str]:
    given, plan = _alone(found, column)
    for i, value in _answers(plan, given, engine):
        if not values.same(right[i], value):
            arguments = [given.column(name)[i].as_py() for name in given.column_names[1:]]
            yield f"{column.name}: {arguments} is {right[i]!r} on Spark, {value!r} on DuckDB"


def _alone(found: Grid, column: Named) -> tuple[pa.Table, Map]:
    """One expression over the columns it reads."""
    source = found.plan.child
    assert isinstance(source, Table)
    read = {name.removeprefix("grid.") for name in scalar.columns(column.value)} | {"id"}
    fields = tuple(f for f in source.columns if f.name in read)
    plan = Map(replace(source, columns=fields), (found.plan.columns[0], column))
    return found.table.select([f.name for f in fields]), plan


def _answers(plan: Map, given: pa.Table, engine: DuckDBEngine) -> Iterator[tuple[int, Any]]:
    """By the number of the row; where a row makes the engine raise, only the others, found by halving."""
    try:
        answer = values.plain(run_once(engine, plan, {"grid": given}))
    except EngineError:
        if given.num_rows > 1:
            half = given.num_rows // 2
            yield from _answers(plan, given.slice(0, half), engine)
            yield from _answers(plan, given.slice(half), engine)
        return
    yield from zip(answer.column(0).to_pylist(), answer.column(1).to_pylist(), strict=True)
