"""LATEST windows: random queries over them, with others beside them, answer as the reference evaluator does.

However the input is cut, with kills in between, on both engines, and letting go of what is superseded as soon as it is.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from datacell.engines.protocol import Engine
from datacell.engines.spark import SparkEngine
from datacell.runtime import kept_rows
from properties.judging import judged
from properties.queries import AT_BOUNDARIES_WITH_LATEST, AT_INSTANTS_WITH_LATEST, CUTS, SEVERAL, data, queries
from runtime.netrun import Cuts, NetRun, Validity, snapshot, without_empty
from sample import Values, catalog, engine
from window_laws import FOREVER

SHAPES = st.sampled_from(["{}", "{}", "{}", "COALESCE ({})", "SPLIT EVERY 750 MILLISECONDS ({})"])
SEEDS = st.integers(0, 2**32 - 1)
UNCUT: Cuts = {"s": [], "r": []}


@pytest.fixture(autouse=True)
def everything_needless_goes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_rows, "MOST_NEEDLESS", 0)


@settings(SEVERAL, max_examples=40)
@given(queries(forms=(AT_BOUNDARIES_WITH_LATEST,)), data(), CUTS, SEEDS)
def test_boundaries_show_the_latest_rows(text: str, rows: dict[str, Values], cuts: Cuts, seed: int) -> None:
    _answers_at_boundaries(engine(), text, rows, cuts, Random(seed))


@pytest.mark.spark
@settings(SEVERAL, max_examples=4)
@given(queries(forms=(AT_BOUNDARIES_WITH_LATEST,)), data(), CUTS, SEEDS)
def test_boundaries_show_the_latest_rows_on_spark(
    spark_engine: SparkEngine, text: str, rows: dict[str, Values], cuts: Cuts, seed: int
) -> None:
    _answers_at_boundaries(spark_engine, text, rows, cuts, Random(seed))


@settings(SEVERAL, max_examples=40)
@given(queries(forms=(AT_INSTANTS_WITH_LATEST,)), data(), CUTS, SHAPES, SEEDS)
def test_instants_show_the_latest_rows(text: str, rows: dict[str, Values], cuts: Cuts, shape: str, seed: int) -> None:
    _answers_at_instants(engine(), shape.format(text), rows, cuts, Random(seed))


@pytest.mark.spark
@settings(SEVERAL, max_examples=4)
@given(queries(forms=(AT_INSTANTS_WITH_LATEST,)), data(), CUTS, SHAPES, SEEDS)
def test_instants_show_the_latest_rows_on_spark(
    spark_engine: SparkEngine, text: str, rows: dict[str, Values], cuts: Cuts, shape: str, seed: int
) -> None:
    _answers_at_instants(spark_engine, shape.format(text), rows, cuts, Random(seed))


@settings(SEVERAL, max_examples=40)
@given(queries(forms=(AT_INSTANTS_WITH_LATEST,)), data(), CUTS, SEEDS)
def test_cutting_what_is_open_changes_no_snapshot(text: str, rows: dict[str, Values], cuts: Cuts, seed: int) -> None:
    """As is done when too much waits for rows of which nobody knows when they end."""
    assume("LATEST" in text)
    query, judge, expected = judged(text, rows)
    chance = Random(seed)
    with tempfile.TemporaryDirectory() as directory:
        net = NetRun(Path(directory), catalog(), judge, engine(), query)
        for batch in list(net.batches(cuts)):
            if chance.random() < 0.3:
                net = NetRun(Path(directory), catalog(), judge, engine(), query)
            for versions in net.program.sources.versions:
                if net.program.now > -FOREVER and chance.random() < 0.6:
                    versions.cut_points.cut(net.program.now)
            net.deposit(*batch)
        net.scheduler.drain()
        found = net.validities()
    for answer in expected:
        assert snapshot(found, answer.boundary) == answer.rows, answer.boundary


def _answers_at_boundaries(on: Engine, text: str, rows: dict[str, Values], cuts: Cuts, chance: Random) -> None:
    assume("LATEST" in text)
    query, judge, expected = judged(text, rows)
    with tempfile.TemporaryDirectory() as directory:
        net = NetRun(Path(directory), catalog(), judge, on, query)
        for batch in list(net.batches(cuts)):
            if chance.random() < 0.3:
                net = NetRun(Path(directory), catalog(), judge, on, query)
            net.deposit(*batch)
        net.scheduler.drain()
        assert without_empty(net.answers()) == without_empty(expected)


def _answers_at_instants(on: Engine, text: str, rows: dict[str, Values], cuts: Cuts, chance: Random) -> None:
    assume("LATEST" in text)
    query, judge, expected = judged(text, rows)
    found = []
    for sizes in (cuts, UNCUT):
        with tempfile.TemporaryDirectory() as directory:
            net = NetRun(Path(directory), catalog(), judge, on, query)
            for batch in list(net.batches(sizes)):
                if chance.random() < 0.3:
                    net = NetRun(Path(directory), catalog(), judge, on, query)
                net.deposit(*batch)
            net.scheduler.drain()
            found.append(net.validities())
    _check_form(found[0], text, {answer.boundary for answer in expected})
    for answer in expected:
        assert snapshot(found[0], answer.boundary) == answer.rows, answer.boundary
    assert Counter(found[0]) == Counter(found[1]), "the cut changes nothing"


def _check_form(found: list[Validity], text: str, changes: set[int]) -> None:
    assert [v[:2] for v in found] == sorted(v[:2] for v in found), "they leave in order"
    assert all(begins < ends for begins, ends, _ in found)
    instants = {instant for begins, ends, _ in found for instant in (begins, ends)} - {FOREVER}
    assert "SPLIT" in text or instants <= changes
