"""Calibration: costs are found again in the times that they explain; transfers are measured on a real Spark."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datacell.engines.spark import SparkEngine
from datacell.tools import transfer_costs
from datacell.tools.least_squares import fitted


def test_costs_are_found_again() -> None:
    chance = np.random.default_rng(1)
    costs = np.array([0.1, 3e-6, 0.0, 2e-8])
    amounts = np.column_stack([np.ones(40), *(10 ** chance.uniform(2, 6, 40) for _ in range(3))])
    found = fitted(amounts, amounts @ costs)
    assert found == pytest.approx(costs, rel=0.01, abs=1e-9)


@pytest.mark.spark
def test_transfers_have_costs_in_both_directions(
    spark_engine: SparkEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few rows tell little about costs, but that everything is asked and understood."""
    monkeypatch.setattr(transfer_costs, "SIZES", (2_000, 100))
    monkeypatch.setattr(transfer_costs, "TIMES", 1)
    for cost in transfer_costs.measured(spark_engine, tmp_path):
        assert 0 <= cost.row < 1e-2
        assert 0 <= cost.byte < 1e-3
