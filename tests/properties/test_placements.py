"""Wherever the operators of a query run, and however often they move, its answers are the reference's."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from datacell.algebra import tree
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine
from datacell.engines.spark import SparkEngine
from datacell.placement.operators import Site
from datacell.rewrite.driver import fixed_point
from datacell.runtime import placing
from datacell.runtime.placing import Placing
from properties.queries import ROW_WINDOWS, SEVERAL, TIME_WINDOWS, data, queries
from properties.test_increments import QUERIES, rows, windows
from properties.test_running import CUTS, ORDERED, _nearly_in_order
from runtime.drawn import RESTLESS, AsSpark, Drawn
from runtime.netrun import NetRun, without_empty
from sample import Values, answers, bind, catalog, reference

CASES = given(
    queries(forms=(TIME_WINDOWS, TIME_WINDOWS, ROW_WINDOWS)), data(), CUTS, CUTS, st.booleans(), st.integers(0, 9999)
)


@pytest.fixture(autouse=True)
def moving(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in RESTLESS.items():
        monkeypatch.setattr(placing, name, value)


@settings(SEVERAL, max_examples=25)
@CASES
def test_any_placement_answers_as_the_reference_does(
    text: str, given_rows: dict[str, Values], first: list[int], second: list[int], incremental: bool, seed: int
) -> None:
    duckdb = DuckDBEngine(threads=1)
    _answers_as_the_reference_does((AsSpark(threads=1), duckdb), text, given_rows, (first, second), incremental, seed)


@pytest.mark.spark
@settings(SEVERAL, max_examples=6)
@CASES
def test_any_placement_on_both_engines(
    spark_engine: SparkEngine,
    text: str,
    given_rows: dict[str, Values],
    first: list[int],
    second: list[int],
    incremental: bool,
    seed: int,
) -> None:
    engines = spark_engine, DuckDBEngine(threads=1)
    _answers_as_the_reference_does(engines, text, given_rows, (first, second), incremental, seed)


def _answers_as_the_reference_does(
    engines: tuple[Engine, Engine],
    text: str,
    given_rows: dict[str, Values],
    cuts: tuple[list[int], list[int]],
    incremental: bool,
    seed: int,
) -> None:
    query = bind(text)
    assume(tree.windows(query.plan))
    given_rows = {name: _nearly_in_order(values) if name in "sr" else values for name, values in given_rows.items()}
    expected = without_empty(answers(query, fixed_point(query.plan, ORDERED), given_rows))
    assume(expected)
    sites = Placing(dict(zip((Site.SPARK, Site.DUCKDB), engines, strict=True)), Drawn(seed))
    with tempfile.TemporaryDirectory() as directory:
        net = NetRun(Path(directory), catalog(), reference(given_rows), engines[0], query, incremental, sites)
        assert without_empty(net.run({"s": cuts[0], "r": cuts[1]})) == expected


@pytest.mark.parametrize("seed", range(12))
def test_moving_again_and_again_changes_nothing(seed: int) -> None:
    """Long streams: relations, pairs, fronts, suffixes and answers move while they are at work."""
    chance = Random(seed)
    w, w2 = windows(chance)
    query, streams = bind(chance.choice(QUERIES).format(w=w, w2=w2)), rows(chance)
    most = chance.choice([3, 12])
    cuts = {name: [chance.randint(0, most) for _ in range(len(streams[name]))] for name in ("s", "r")}
    engines = {Site.SPARK: AsSpark(threads=1), Site.DUCKDB: DuckDBEngine(threads=1)}
    found = []
    for sites in (None, Placing(engines, Drawn(seed))):
        with tempfile.TemporaryDirectory() as directory:
            net = NetRun(
                Path(directory), catalog(), reference(streams), engines[Site.DUCKDB], query, bool(seed % 4), sites
            )
            found.append(net.run(cuts))
    assert found[0] == found[1]
    assert sites is not None
    assert sites.moves or all(one.runs < 5 for one in sites.seen())
