"""Spark's language over windows: all of the suite is planned, and a sample answered; `make nightly` answers all."""

from __future__ import annotations

import pytest

from covered import Coverage, queries, shares
from datacell.engines.spark import SparkEngine

EVERY = 15
"""One of so many queries is answered here."""


@pytest.fixture(scope="module")
def coverage(spark_engine: SparkEngine) -> Coverage:
    return Coverage(spark_engine)


def test_nothing_is_refused_that_spark_answers_and_little_is_opaque(coverage: Coverage) -> None:
    outcomes = [coverage.planned(text) for text in queries()]
    assert len(outcomes) >= 600
    assert not [o for o in outcomes if o.problem]
    asked = [o for o in outcomes if o.strategy != "wrong in Spark, too"]
    assert len([o for o in asked if o.strategy == "opaque"]) <= 0.1 * len(asked), shares(outcomes)


def test_a_sample_is_answered_as_spark_answers_it(coverage: Coverage) -> None:
    outcomes = [coverage.asked(text) for text in queries()[::EVERY]]
    wrong = [o for o in outcomes if o.problem]
    assert not wrong
