"""What DuckDB cannot finish runs on Spark: counted, shown and on Spark's account; and errors say where they are."""

from __future__ import annotations

import pytest

from datacell.cell import listing
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine
from datacell.engines.spark import SparkEngine
from datacell.errors import EngineError
from datacell.placement.operators import Site
from datacell.runtime.plans.placements import Placements
from datacell.runtime.plans.plans import Plans
from datacell.runtime.plans.policy import Alone
from datacell.sql import script
from datacell.testing import Trial

STREAM = "CREATE STREAM s (ts TIMESTAMP, n BIGINT, WATERMARK FOR ts AS ts)"
SQUARES = "SELECT n * n AS square FROM s"
SMALL, LARGE = 3, 2**40
"""The square of the large one is no BIGINT: DuckDB raises, Spark gives what is left of it."""


def squares(fallback: Engine, *numbers: int, text: str = SQUARES) -> Trial:
    """The query on DuckDB, with what cannot be finished there elsewhere; one number a second, each in a batch."""
    duckdb = DuckDBEngine(threads=1)
    plans = Plans("squares", {Site.DUCKDB: duckdb}, Placements(Alone(Site.DUCKDB)), fallback)
    trial = Trial(STREAM, engine=duckdb)
    trial.add_query("squares", script.query(text, trial.catalog), plans)
    for second, number in enumerate(numbers):
        trial.push("s", [(f"2026-01-01T00:00:0{second}Z", number)])
    return trial


@pytest.mark.spark
def test_runs_that_duckdb_could_not_finish_are_sparks(spark_engine: SparkEngine) -> None:
    trial = squares(spark_engine, SMALL, LARGE, SMALL, LARGE, LARGE)
    assert [row["square"] for row in trial.answers("squares")] == [9, 0, 9, 0, 0]
    own, instead = trial.factory("squares").plans.observed()
    assert (own.site, own.runs, own.fallback) == (Site.DUCKDB, 2, False)
    assert (instead.site, instead.runs, instead.fallback) == (Site.SPARK, 3, True)
    assert instead.milliseconds > own.milliseconds, "a job of Spark takes longer than a call of DuckDB"
    shown = listing.fragments(trial.factory("squares")).to_pylist()
    assert [(row["part"], row["engine"], row["runs"]) for row in shown] == [
        ("answer", "duckdb", 2),
        ("answer", "spark (fallback)", 3),
    ]


@pytest.mark.spark
def test_what_duckdb_slides_over_spark_joins(spark_engine: SparkEngine) -> None:
    text = "SELECT median(n) AS middle, sum(n) AS total FROM s [RANGE 2 SECONDS]"
    trial = squares(spark_engine, 2**62, 2**62, text=text)
    trial.end()
    assert [(row["middle"], row["total"]) for row in trial.answers("squares")] == [
        (2.0**62, 2**62),
        (2.0**62, -(2**63)),
        (2.0**62, 2**62),
    ]
    assert [one.site for one in trial.factory("squares").plans.observed() if one.fallback] == [Site.SPARK]


@pytest.mark.spark
def test_only_spark_is_corrected_by_them(spark_engine: SparkEngine) -> None:
    plans = squares(spark_engine, LARGE, LARGE, LARGE).factory("squares").plans
    before, after = plans.placements.units, plans.corrected()
    assert after.engines[Site.DUCKDB] == before.engines[Site.DUCKDB]
    assert after.engines[Site.SPARK] != before.engines[Site.SPARK]


def test_an_error_of_an_engine_names_the_query_and_the_part() -> None:
    with pytest.raises(EngineError, match=r"squares has stopped: answer: DuckDB could not run the .*Overflow"):
        squares(DuckDBEngine(threads=1), LARGE).answers("squares")
