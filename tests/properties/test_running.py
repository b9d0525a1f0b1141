"""The running net answers as the reference evaluator does, however the input is cut into batches."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from datacell.algebra import tree
from datacell.engines.protocol import Engine
from datacell.engines.spark import SparkEngine
from datacell.rewrite.driver import fixed_point
from datacell.rewrite.rules import DECIDE, UNNEST
from properties.queries import ROW_WINDOWS, SEVERAL, TIME_WINDOWS, data, queries
from runtime.netrun import NetRun, without_empty
from sample import Values, answers, bind, catalog, engine, reference

ORDERED = (next(rule for rule in UNNEST if rule.name == "remove_inner_order"), *DECIDE)
CUTS = st.lists(st.integers(0, 4), max_size=6)
CASES = given(queries(forms=(TIME_WINDOWS, TIME_WINDOWS, ROW_WINDOWS)), data(), CUTS, CUTS, st.booleans())


@settings(SEVERAL, max_examples=60)
@CASES
def test_a_net_on_duckdb_answers_as_the_reference_does(
    text: str, rows: dict[str, Values], first: list[int], second: list[int], incremental: bool
) -> None:
    _answers_as_the_reference_does(engine(), text, rows, (first, second), incremental)


@pytest.mark.spark
@settings(SEVERAL, max_examples=10)
@CASES
def test_a_net_on_spark_answers_as_the_reference_does(
    spark_engine: SparkEngine,
    text: str,
    rows: dict[str, Values],
    first: list[int],
    second: list[int],
    incremental: bool,
) -> None:
    _answers_as_the_reference_does(spark_engine, text, rows, (first, second), incremental)


def _answers_as_the_reference_does(
    on: Engine, text: str, rows: dict[str, Values], cuts: tuple[list[int], list[int]], incremental: bool
) -> None:
    """Only cases with an answer count: of those that are drawn, most compare nothing with nothing."""
    query = bind(text)
    assume(tree.windows(query.plan))
    rows = {name: _nearly_in_order(values) if name in "sr" else values for name, values in rows.items()}
    expected = without_empty(answers(query, fixed_point(query.plan, ORDERED), rows))
    assume(expected)
    judge = reference(rows)
    with tempfile.TemporaryDirectory() as directory:
        net = NetRun(Path(directory), catalog(), judge, on, query, incremental)
        assert without_empty(net.run({"s": cuts[0], "r": cuts[1]})) == expected


def _nearly_in_order(values: Values) -> Values:
    """Disorder of less than two seconds, which is the lateness that the streams allow."""
    return sorted(values, key=lambda row: row[0] // 2)
