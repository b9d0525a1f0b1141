"""Spark's language over windows: all of the suite is planned, and a sample answered; `make nightly` answers all."""

from __future__ import annotations

import pytest

from covered import Coverage, queries, shares
from datacell.engines.spark import SparkEngine

EVERY = 15
"""One of so many queries is answered here."""


KEPT_IN_SPARK = "cannot leave Spark"
"""Variants, and intervals with months, cannot be in an answer; CAST to STRING is what the error proposes."""

DIFFERENT = {"SELECT a IN (SELECT b FROM r[W]) FROM s[W]"}
"""Where NULL meets a subquery in the select list, Spark says false; here it is NULL, as the standard has it."""


@pytest.fixture(scope="module")
def coverage(spark_engine: SparkEngine) -> Coverage:
    return Coverage(spark_engine)


def test_nothing_is_refused_that_spark_answers_and_little_is_opaque(coverage: Coverage) -> None:
    outcomes = [coverage.planned(text) for text in queries()]
    assert len(outcomes) >= 600
    assert not [o for o in outcomes if o.problem and KEPT_IN_SPARK not in o.problem]
    asked = [o for o in outcomes if o.strategy != "wrong in Spark, too"]
    assert len([o for o in asked if o.strategy == "opaque"]) <= 0.1 * len(asked), shares(outcomes)


def test_a_sample_is_answered_as_spark_answers_it(coverage: Coverage) -> None:
    outcomes = [coverage.asked(text) for text in queries()[::EVERY]]
    wrong = [o for o in outcomes if o.problem and KEPT_IN_SPARK not in o.problem]
    assert {o.text for o in wrong} <= DIFFERENT, wrong
