"""Wherever the operators of a query run, and however often they move, its answers are the reference's."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine
from datacell.engines.spark import SparkEngine
from datacell.runtime.plans.plans import Plans
from properties.judging import answers_as_the_reference_does
from properties.queries import CUTS, ROW_WINDOWS, SEVERAL, TIME_WINDOWS, data, queries
from properties.test_increments import QUERIES, rows, windows
from runtime.drawn import AsSpark, drawn, restless
from runtime.netrun import Cuts, NetRun
from sample import Values, bind, catalog, reference

CASES = given(
    queries(forms=(TIME_WINDOWS, TIME_WINDOWS, ROW_WINDOWS)), data(), CUTS, st.booleans(), st.integers(0, 9999)
)


@pytest.fixture(autouse=True)
def moving(monkeypatch: pytest.MonkeyPatch) -> None:
    restless(monkeypatch.setattr)


@settings(SEVERAL, max_examples=25)
@CASES
def test_any_placement_answers_as_the_reference_does(
    text: str, given_rows: dict[str, Values], cuts: Cuts, incremental: bool, seed: int
) -> None:
    spark = AsSpark(threads=1)
    answers_as_the_reference_does(spark, text, given_rows, cuts, incremental, _sites(spark, seed))


@pytest.mark.spark
@settings(SEVERAL, max_examples=6)
@CASES
def test_any_placement_on_both_engines(
    spark_engine: SparkEngine, text: str, given_rows: dict[str, Values], cuts: Cuts, incremental: bool, seed: int
) -> None:
    answers_as_the_reference_does(spark_engine, text, given_rows, cuts, incremental, _sites(spark_engine, seed))


def _sites(spark: Engine, seed: int) -> Callable[[Mapping[str, pa.Table]], Plans]:
    return lambda tables: drawn(spark, DuckDBEngine(threads=1), seed, tables)


@pytest.mark.parametrize("seed", range(12))
def test_moving_again_and_again_changes_nothing(seed: int) -> None:
    """Long streams: relations, pairs, fronts, suffixes and answers move while they are at work."""
    chance = Random(seed)
    w, w2 = windows(chance)
    query, streams = bind(chance.choice(QUERIES).format(w=w, w2=w2)), rows(chance)
    most = chance.choice([3, 12])
    cuts = {name: [chance.randint(0, most) for _ in range(len(streams[name]))] for name in ("s", "r")}
    spark, duckdb, judge = AsSpark(threads=1), DuckDBEngine(threads=1), reference(streams)
    found = []
    for plans in (None, drawn(spark, duckdb, seed, judge.tables)):
        with tempfile.TemporaryDirectory() as directory:
            net = NetRun(Path(directory), catalog(), judge, duckdb, query, bool(seed % 4), plans)
            found.append(net.run(cuts))
    assert found[0] == found[1]
    assert plans is not None
    assert plans.placements.moves or all(one.runs < 5 for one in plans.observed())
