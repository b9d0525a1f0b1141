"""Placements at work: what is observed, when a plan moves, and that it does not move to and fro."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from datacell.algebra.plan import Plan
from datacell.engines.duckdb import DuckDBEngine
from datacell.placement.costs import EngineCosts, UnitCosts
from datacell.placement.operators import OperatorKind, Site
from datacell.placement.statistics import Statistics
from datacell.placement.unit_costs import SHIPPED, from_json, to_json
from datacell.rewrite.rules import optimized
from datacell.runtime.evaluation import Runner
from datacell.runtime.plans.placing import LOOK_EVERY, Placing
from runtime.drawn import AsSpark
from sample import bind, reference


def units(calls: float, rows: float) -> UnitCosts:
    """Spark's calls cost so much and its rows nothing; DuckDB's calls cost nothing and its rows so much."""
    free = EngineCosts(0.0, 0.0, dict.fromkeys(OperatorKind, 0.0), 0.0)
    return UnitCosts(
        {Site.SPARK: replace(free, firing=calls), Site.DUCKDB: replace(free, row=dict.fromkeys(OperatorKind, rows))}, 0.0, 0.0
    )


class Exact(Placing):
    """Goes by what it is told: how fast the test's machine is does not matter."""

    def corrected(self) -> UnitCosts:
        return self.units


def placing(costs: UnitCosts) -> Placing:
    engines = (AsSpark(threads=1), DuckDBEngine(threads=1))
    return Exact.between(engines, Statistics(), costs)


def plan() -> Plan:
    return optimized(bind("SELECT k, count(*) AS c FROM t WHERE a > 0 GROUP BY k")).plan


def table(rows: int) -> pa.Table:
    return pa.table(
        {"k": pa.array(range(rows), pa.int32()), "a": pa.array([1] * rows, pa.int32()), "c": pa.array(["x"] * rows)}
    )


def runner(found: Placing) -> Runner:
    engine = found.engines[Site.DUCKDB]
    return Runner(engine, engine, reference().tables.__getitem__, found)


def test_a_plan_is_placed_by_the_rows_that_it_first_reads() -> None:
    for rows, engine in ((10, "duckdb"), (1000, "spark")):
        found = placing(units(calls=0.1, rows=0.001))
        runner(found)(plan(), {"t": table(rows)})
        assert found.engine_names() == engine


def test_it_moves_when_it_has_become_clearly_dearer() -> None:
    found, asked = placing(units(calls=0.1, rows=0.001)), plan()
    run = runner(found)
    for _ in range(LOOK_EVERY):
        run(asked, {"t": table(10)})
    assert (found.engine_names(), found.moves) == ("duckdb", [])
    for _ in range(4 * LOOK_EVERY):
        answer = run(asked, {"t": table(2000)})
    assert len(answer) == 2000
    assert found.engine_names() == "spark"
    assert len(found.moves) == 1


def test_it_stays_where_another_place_is_only_a_little_better() -> None:
    found, asked = placing(units(calls=0.1, rows=0.001)), plan()
    run = runner(found)
    for size in [60] * LOOK_EVERY + [60, 80] * (2 * LOOK_EVERY):
        run(asked, {"t": table(size)})
    assert found.moves == []


def test_what_runs_is_seen_beside_what_was_predicted() -> None:
    found = placing(units(calls=0.1, rows=0.001))
    found.names = {}
    asked = plan()
    for _ in range(4):
        runner(found)(asked, {"t": table(10)})
    (one,) = found.seen()
    assert (one.part, one.site, one.runs, one.rows) == ("merging", Site.DUCKDB, 4, 10)
    assert one.observed > 0
    assert one.predicted == pytest.approx((10 + 10 / 3 + 1) * 0.001 * 1000)


def test_costs_are_corrected_by_what_was_observed() -> None:
    found = Placing.between((AsSpark(threads=1), DuckDBEngine(threads=1)), Statistics(), units(1.0, 1e-12))
    asked = plan()
    for _ in range(4):
        runner(found)(asked, {"t": table(10)})
    corrected = found.corrected().engines
    assert corrected[Site.DUCKDB].row[OperatorKind.FILTER] > 1e-9
    assert corrected[Site.SPARK].firing == 1.0


def test_measured_costs_can_be_kept() -> None:
    assert from_json(to_json(SHIPPED)) == SHIPPED
