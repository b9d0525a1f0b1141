"""The running net answers as the reference evaluator does, however the input is cut into batches."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datacell.engines.spark import SparkEngine
from properties.judging import answers_as_the_reference_does
from properties.queries import CUTS, ROW_WINDOWS, SEVERAL, TIME_WINDOWS, data, queries
from runtime.netrun import Cuts
from sample import Values, engine

CASES = given(queries(forms=(TIME_WINDOWS, TIME_WINDOWS, ROW_WINDOWS)), data(), CUTS, st.booleans())


@settings(SEVERAL, max_examples=60)
@CASES
def test_a_net_on_duckdb_answers_as_the_reference_does(
    text: str, rows: dict[str, Values], cuts: Cuts, incremental: bool
) -> None:
    answers_as_the_reference_does(engine(), text, rows, cuts, incremental)


@pytest.mark.spark
@settings(SEVERAL, max_examples=10)
@CASES
def test_a_net_on_spark_answers_as_the_reference_does(
    spark_engine: SparkEngine, text: str, rows: dict[str, Values], cuts: Cuts, incremental: bool
) -> None:
    answers_as_the_reference_does(spark_engine, text, rows, cuts, incremental)
