"""Partial aggregates are made where rows come if that is cheaper than to transfer these, by the costs that are shipped.

The sizes are those at which `bench placement` has found one or the other clearly faster.
"""

from __future__ import annotations

import pytest

from datacell.compile import Setting, compile
from datacell.compile.evaluation import AtBoundaries
from datacell.incremental.plans import Incremental
from datacell.incremental.relations import Kept
from datacell.placement.statistics import Statistics
from datacell.placement.unit_costs import SHIPPED
from datacell.runtime.plans.prepared import PreparedPlan
from runtime.plans.test_moving_plans import placing
from sample import bind

QUERY = "SELECT k, avg(v) AS a, count(v) AS n, max(v) AS top FROM s [RANGE 5 MINUTES SLIDE 1 MINUTE] GROUP BY k"


def partial() -> PreparedPlan:
    described = compile(bind(QUERY), Setting(Statistics(), SHIPPED)).evaluation
    assert isinstance(described, AtBoundaries)
    assert isinstance(described.plans, Incremental)
    (kept,) = described.plans.split.relations
    assert isinstance(kept, Kept)
    return placing(SHIPPED).prepare("relation 1", kept.plan)


@pytest.mark.parametrize(("rows", "is_for_cluster"), [(2_000, False), (50_000, False), (200_000, True), (1e6, True)])
@pytest.mark.parametrize("learned", [False, True])
def test_many_rows_of_few_keys_are_aggregated_where_they_come(rows: float, is_for_cluster: bool, learned: bool) -> None:
    found = partial()
    if learned:
        found.operators.learn(200_000, 1_000)
    assert found.is_for_cluster(rows) is is_for_cluster


def test_rows_of_which_nearly_as_many_are_made_are_transferred() -> None:
    found = partial()
    found.operators.learn(200_000, 100_000)
    assert not found.is_for_cluster(200_000)
    found.operators.learn(1_000_000, 100_000)
    assert found.is_for_cluster(1_000_000)
