"""A run that breaks at a durable operation goes on as if nothing had been; all of them: `make nightly`."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from crashes.crashing import SCENARIOS, Crashes
from crashes.disk import Break

WHERE = ((0.25, Break.SPARK), (0.5, Break.TEAR), (0.75, Break.FAIL))
"""How far a run has come when it breaks, and how."""


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_run_that_breaks_gives_the_output_of_a_calm_one(name: str, spark: SparkSession, tmp_path: Path) -> None:
    crashes = Crashes(spark, SCENARIOS[name], tmp_path)
    assert all(crashes.expected.values())
    moments = [(int(len(crashes.operations) * share), how) for share, how in WHERE]
    assert [wrong for at, how in moments if (wrong := crashes.broken(at, how))] == []


@pytest.mark.parametrize(
    ("operation", "how"),
    [
        ("pwrite /state/ledger", Break.TEAR),
        ("fsync /state/streams/a/spark/sources/0/0", Break.FAIL),
        ("fsync /state/streams/b/spark/sources/0/1", Break.FAIL),
    ],
)
def test_a_run_that_once_broke_here(operation: str, how: Break, spark: SparkSession, tmp_path: Path) -> None:
    """Half a first record of the ledger; a disk that is full when readers have a batch and the basket has not."""
    crashes = Crashes(spark, SCENARIOS["window"], tmp_path)
    assert crashes.broken([*map(str, crashes.operations)].index(operation), how) is None
