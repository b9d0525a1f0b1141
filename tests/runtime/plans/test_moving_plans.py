"""Placements at work: what is observed, when a plan moves, and that it does not move to and fro."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from datacell.algebra.plan import Plan
from datacell.engines.duckdb import DuckDBEngine
from datacell.placement.costs import EngineCosts, TransferCost, UnitCosts
from datacell.placement.operators import OperatorKind, Site
from datacell.placement.statistics import Statistics
from datacell.placement.unit_costs import SHIPPED, from_json, to_json
from datacell.rewrite.rules import optimized
from datacell.runtime.plans.placed import LOOK_EVERY
from datacell.runtime.plans.placements import Placements
from datacell.runtime.plans.plans import Plans
from datacell.runtime.plans.policy import ByCost
from runtime.drawn import AsSpark
from sample import bind, reference


def units(calls: float, rows: float) -> UnitCosts:
    """Spark's calls cost so much and its rows nothing; DuckDB's calls cost nothing and its rows so much."""
    free = EngineCosts(0.0, 0.0, dict.fromkeys(OperatorKind, 0.0), 0.0)
    return UnitCosts(
        {Site.SPARK: replace(free, firing=calls), Site.DUCKDB: replace(free, row=dict.fromkeys(OperatorKind, rows))},
        TransferCost(0.0, 0.0),
        TransferCost(0.0, 0.0),
    )


class Exact(Plans):
    """Goes by what it is told: how fast the test's machine is does not matter."""

    def corrected(self) -> UnitCosts:
        return self.placements.units


def placing(costs: UnitCosts, kind: type[Plans] = Exact) -> Plans:
    spark, duckdb = AsSpark(threads=1), DuckDBEngine(threads=1)
    tables = reference().tables.__getitem__
    placements = Placements(ByCost(), Statistics(), costs)
    return kind("q", {Site.SPARK: spark, Site.DUCKDB: duckdb}, placements, spark, tables)


def plan() -> Plan:
    return optimized(bind("SELECT k, count(*) AS c FROM t WHERE a > 0 GROUP BY k")).plan


def table(rows: int) -> pa.Table:
    return pa.table(
        {"k": pa.array(range(rows), pa.int32()), "a": pa.array([1] * rows, pa.int32()), "c": pa.array(["x"] * rows)}
    )


def test_a_plan_is_placed_by_the_rows_that_it_first_reads() -> None:
    for rows, engine in ((10, "duckdb"), (1000, "spark")):
        found = placing(units(calls=0.1, rows=0.001))
        found.prepare("answer", plan())({"t": table(rows)})
        assert found.engine_names() == engine


def test_it_moves_when_it_has_become_clearly_more_expensive() -> None:
    found = placing(units(calls=0.1, rows=0.001))
    run = found.prepare("answer", plan())
    for _ in range(LOOK_EVERY):
        run({"t": table(10)})
    assert (found.engine_names(), found.placements.moves) == ("duckdb", [])
    for _ in range(4 * LOOK_EVERY):
        answer = run({"t": table(2000)})
    assert len(answer) == 2000
    assert found.engine_names() == "spark"
    assert len(found.placements.moves) == 1


def test_it_stays_where_another_place_is_only_a_little_better() -> None:
    found = placing(units(calls=0.1, rows=0.001))
    run = found.prepare("answer", plan())
    for size in [60] * LOOK_EVERY + [60, 80] * (2 * LOOK_EVERY):
        run({"t": table(size)})
    assert found.placements.moves == []


def test_what_runs_is_seen_beside_what_was_predicted() -> None:
    found = placing(units(calls=0.1, rows=0.001))
    run = found.prepare("answer", plan())
    for _ in range(4):
        run({"t": table(10)})
    (one,) = found.observed()
    assert (one.part, one.site, one.runs, one.rows) == ("answer", Site.DUCKDB, 4, 10)
    assert one.milliseconds > 0
    assert one.predicted == pytest.approx((10 + 10 / 3 + 1) * 0.001 * 1000)


def test_costs_are_corrected_by_what_was_observed() -> None:
    found = placing(units(1.0, 1e-12), Plans)
    run = found.prepare("answer", plan())
    for _ in range(4):
        run({"t": table(10)})
    corrected = found.corrected().engines
    assert corrected[Site.DUCKDB].row[OperatorKind.FILTER] > 1e-9
    assert corrected[Site.SPARK].firing == 1.0


def test_measured_costs_can_be_kept() -> None:
    assert from_json(to_json(SHIPPED)) == SHIPPED
