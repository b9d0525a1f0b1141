"""Without SLIDE the running net answers at every instant as the reference evaluator does, however the input is cut."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from datacell.algebra import tree
from datacell.engines.protocol import Engine
from datacell.engines.spark import SparkEngine
from datacell.rewrite.driver import fixed_point
from properties.queries import EVERY_CHANGE, SEVERAL, data, queries
from properties.test_running import ORDERED, _nearly_in_order
from reference import FOREVER
from runtime.netrun import NetRun, Validity, snapshot
from sample import Values, answers, bind, catalog, engine, reference

CUTS = st.lists(st.integers(0, 4), max_size=6)
SHAPES = st.sampled_from(["{}", "{}", "{}", "COALESCE ({})", "SPLIT EVERY 750 MILLISECONDS ({})"])
CASES = given(queries(forms=(EVERY_CHANGE,)), data(), CUTS, CUTS, SHAPES)


@settings(SEVERAL, max_examples=35)
@CASES
def test_every_snapshot_is_the_reference_s(
    text: str, rows: dict[str, Values], first: list[int], second: list[int], shape: str
) -> None:
    _is_the_reference_s(engine(), shape.format(text), rows, (first, second))


@pytest.mark.spark
@settings(SEVERAL, max_examples=4)
@CASES
def test_every_snapshot_is_the_reference_s_on_spark(
    spark_engine: SparkEngine, text: str, rows: dict[str, Values], first: list[int], second: list[int], shape: str
) -> None:
    _is_the_reference_s(spark_engine, shape.format(text), rows, (first, second))


@settings(SEVERAL, max_examples=30)
@given(queries(forms=(EVERY_CHANGE,)), data(), CUTS, CUTS, st.integers(0, 2**32 - 1))
def test_turns_and_restarts_change_no_snapshot(
    text: str, rows: dict[str, Values], first: list[int], second: list[int], seed: int
) -> None:
    """Operators start afresh at instants that are drawn, and all of them are killed now and then."""
    assume("[" in text)
    query, chance = bind(text), Random(seed)
    rows = {name: _nearly_in_order(values) if name in "sr" else values for name, values in rows.items()}
    expected = answers(query, fixed_point(query.plan, ORDERED), rows)
    assume(any(answer.rows for answer in expected))
    with tempfile.TemporaryDirectory() as directory:
        net = NetRun(Path(directory), catalog(), reference(rows), engine(), query)
        for batch in list(net.batches({"s": first, "r": second})):
            if chance.random() < 0.3:
                net = NetRun(Path(directory), catalog(), reference(rows), engine(), query)
            net.turn(chance)
            net.deposit(*batch)
        net.scheduler.drain()
        found = net.validities()
    for answer in expected:
        assert snapshot(found, answer.boundary) == answer.rows, answer.boundary


@settings(SEVERAL, max_examples=20)
@given(queries(forms=(["RANGE 2 SECONDS", "FIXED 3 SECONDS"],)), data())
def test_sampled_at_boundaries_it_is_the_answer_with_slide(text: str, rows: dict[str, Values]) -> None:
    query = bind(text.replace("SECONDS]", "SECONDS SLIDE 1 SECOND]"))
    assume(tree.windows(query.plan))
    rows = {name: _nearly_in_order(values) if name in "sr" else values for name, values in rows.items()}
    expected = answers(query, fixed_point(query.plan, ORDERED), rows)
    assume(any(answer.rows for answer in expected))
    found = _answered(engine(), text, rows, {"s": [], "r": []})
    for answer in expected:
        assert snapshot(found, answer.boundary - 1) == answer.rows, answer.boundary


def _is_the_reference_s(on: Engine, text: str, rows: dict[str, Values], cuts: tuple[list[int], list[int]]) -> None:
    assume("[" in text)
    query = bind(text)
    rows = {name: _nearly_in_order(values) if name in "sr" else values for name, values in rows.items()}
    expected = answers(query, fixed_point(query.plan, ORDERED), rows)
    assume(any(answer.rows for answer in expected))
    found = _answered(on, text, rows, {"s": cuts[0], "r": cuts[1]})
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
    assert Counter(_answered(on, text, rows, {"s": [], "r": []})) == Counter(found), "the cut changes nothing"


def _answered(on: Engine, text: str, rows: dict[str, Values], cuts: dict[str, list[int]]) -> list[Validity]:
    with tempfile.TemporaryDirectory() as directory:
        net = NetRun(Path(directory), catalog(), reference(rows), on, bind(text))
        net.deposit_all(cuts)
        net.scheduler.drain()
        return net.validities()
