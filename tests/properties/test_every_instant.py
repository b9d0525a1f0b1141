"""Without SLIDE the running net answers at every instant as the reference evaluator does, however the input is cut."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datacell.algebra.query import Query
from datacell.engines.protocol import Engine
from datacell.engines.spark import SparkEngine
from properties.judging import judged
from properties.queries import CUTS, EVERY_INSTANT, SEVERAL, data, queries
from reference import Reference
from runtime.netrun import Cuts, NetRun, Validity, snapshot
from sample import Values, bind, catalog, engine
from window_laws import FOREVER

SHAPES = st.sampled_from(["{}", "{}", "{}", "COALESCE ({})", "SPLIT EVERY 750 MILLISECONDS ({})"])
UNCUT: Cuts = {"s": [], "r": []}
CASES = given(queries(forms=(EVERY_INSTANT,)), data(), CUTS, SHAPES)


@settings(SEVERAL, max_examples=35)
@CASES
def test_every_snapshot_is_the_reference_s(text: str, rows: dict[str, Values], cuts: Cuts, shape: str) -> None:
    _is_the_reference_s(engine(), shape.format(text), rows, cuts)


@pytest.mark.spark
@settings(SEVERAL, max_examples=4)
@CASES
def test_every_snapshot_is_the_reference_s_on_spark(
    spark_engine: SparkEngine, text: str, rows: dict[str, Values], cuts: Cuts, shape: str
) -> None:
    _is_the_reference_s(spark_engine, shape.format(text), rows, cuts)


@settings(SEVERAL, max_examples=30)
@given(queries(forms=(EVERY_INSTANT,)), data(), CUTS, st.integers(0, 2**32 - 1))
def test_cut_points_and_restarts_change_no_snapshot(text: str, rows: dict[str, Values], cuts: Cuts, seed: int) -> None:
    """Operators start afresh at instants that are drawn, and all of them are killed now and then."""
    query, judge, expected = judged(text, rows)
    chance = Random(seed)
    with tempfile.TemporaryDirectory() as directory:
        net = NetRun(Path(directory), catalog(), judge, engine(), query)
        for batch in list(net.batches(cuts)):
            if chance.random() < 0.3:
                net = NetRun(Path(directory), catalog(), judge, engine(), query)
            net.cut(chance)
            net.deposit(*batch)
        net.scheduler.drain()
        found = net.validities()
    for answer in expected:
        assert snapshot(found, answer.boundary) == answer.rows, answer.boundary


@settings(SEVERAL, max_examples=20)
@given(queries(forms=(["RANGE 2 SECONDS", "FIXED 3 SECONDS"],)), data())
def test_sampled_at_boundaries_it_is_the_answer_with_slide(text: str, rows: dict[str, Values]) -> None:
    _, judge, expected = judged(text.replace("SECONDS]", "SECONDS SLIDE 1 SECOND]"), rows)
    found = _answered(engine(), bind(text), judge, UNCUT)
    for answer in expected:
        assert snapshot(found, answer.boundary - 1) == answer.rows, answer.boundary


def _is_the_reference_s(on: Engine, text: str, rows: dict[str, Values], cuts: Cuts) -> None:
    query, judge, expected = judged(text, rows)
    found = _answered(on, query, judge, cuts)
    assert [v[:2] for v in found] == sorted(v[:2] for v in found), "they leave in order"
    assert all(begins < ends for begins, ends, _ in found)
    for answer in expected:
        assert snapshot(found, answer.boundary) == answer.rows, answer.boundary
    changes = {answer.boundary for answer in expected}
    instants = {instant for begins, ends, _ in found for instant in (begins, ends)} - {FOREVER}
    assert "SPLIT" in text or instants <= changes
    if "SPLIT" in text:
        assert all((ends - 1) // 750_000 == begins // 750_000 for begins, ends, _ in found if ends < FOREVER)
    if "COALESCE" in text:
        assert not {(b, row) for b, _, row in found} & {(e, row) for _, e, row in found}, "nothing can be joined"
    assert Counter(_answered(on, query, judge, UNCUT)) == Counter(found), "the cut changes nothing"


def _answered(on: Engine, query: Query, judge: Reference, cuts: Cuts) -> list[Validity]:
    with tempfile.TemporaryDirectory() as directory:
        net = NetRun(Path(directory), catalog(), judge, on, query)
        net.deposit_all(cuts)
        net.scheduler.drain()
        return net.validities()
