"""Plans over rows on the cluster: they are placed by where their inputs are, and again when that changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from datacell.algebra.plan import Input, Map, Plan
from datacell.engines.protocol import Files
from datacell.incremental.inputs import ROWS
from datacell.placement.costs import EngineCosts, TransferCost, UnitCosts
from datacell.placement.homes import Home
from datacell.placement.operators import OperatorKind, Site
from datacell.runtime.plans.sources import home_of, homes_of, rows_of
from runtime.plans.test_moving_plans import placing, plan, table
from sample import bind

FREE = EngineCosts(0.0, 0.0, dict.fromkeys(OperatorKind, 0.0), 0.0)
COSTLY = UnitCosts(
    {site: replace(FREE, row=dict.fromkeys(OperatorKind, 1e-6)) for site in Site},
    TransferCost(1e-3, 0.0),
    TransferCost(1e-3, 0.0),
)
"""Transfers cost more than anything else."""


@dataclass(frozen=True)
class OnCluster(Files):
    count: int = 0


def on_cluster(rows: pa.Table, folder: Path) -> OnCluster:
    path = folder / "rows.parquet"
    pq.write_table(rows, path)
    return OnCluster((str(path),), len(rows))


def test_a_source_knows_its_home_and_how_many_rows_it_has(tmp_path: Path) -> None:
    here, there = table(3), on_cluster(table(5), tmp_path)
    assert (home_of(here), rows_of(here)) == (Home.DRIVER, 3)
    assert (home_of(there), rows_of(there)) == (Home.CLUSTER, 5)
    assert homes_of({"a": here, "b": there}) == {"b": Home.CLUSTER}


def test_a_plan_is_placed_where_its_input_is(tmp_path: Path) -> None:
    for source, engine in ((table(1000), "duckdb"), (on_cluster(table(1000), tmp_path), "spark")):
        found = placing(COSTLY)
        answer = found.prepare("answer", bind("SELECT k, a FROM t WHERE a > 5").plan)({"t": source})
        assert (len(answer), found.engine_names()) == (0, engine)


def test_it_moves_after_its_input_has(tmp_path: Path) -> None:
    found = placing(COSTLY)
    run = found.prepare("answer", plan())
    inputs = [table(1000), on_cluster(table(1000), tmp_path), on_cluster(table(1000), tmp_path)]
    assert [len(run({"t": source})) for source in inputs] == [1000, 1000, 1000]
    assert run.sites[0] is Site.SPARK
    assert len(found.placements.moves) == 1


def test_where_the_result_is_wanted_counts() -> None:
    for home in Home:
        for wanted in Home:
            prepared = placing(COSTLY).prepare("answer", bind("SELECT DISTINCT k FROM t").plan, wanted)
            prepared.place({"t": 100.0}, {"t": home})
            if home is wanted:
                assert {site.home for site in prepared.sites} == {home}


@pytest.mark.parametrize("count", [10, 10_000])
def test_what_the_driver_cannot_hold_is_not_brought_there(count: int, tmp_path: Path) -> None:
    duckdb_is_better = replace(
        COSTLY, to_driver=TransferCost(0.0, 0.0), engines={Site.SPARK: replace(FREE, operator=1.0), Site.DUCKDB: FREE}
    )
    found = placing(duckdb_is_better)
    found.placements.driver_memory = 10_000
    prepared = found.prepare("answer", plan())
    prepared({"t": replace(on_cluster(table(10), tmp_path), count=count)})
    first, *_ = prepared.sites
    assert first is (Site.DUCKDB if count == 10 else Site.SPARK)


def test_a_projection_of_rows_on_the_cluster_needs_an_engine(tmp_path: Path) -> None:
    read = Input(ROWS, bind("SELECT k, a FROM t").plan.schema.fields)
    passed: Plan = Map(read, read.schema.passing(["k"]))
    for source in (table(4).select(["k", "a"]), on_cluster(table(4).select(["k", "a"]), tmp_path)):
        found = placing(COSTLY)
        assert found.prepare("rows", passed)({ROWS: source}).to_pydict() == {"k": [0, 1, 2, 3]}
        assert [one.site for one in found.observed()] == ([] if isinstance(source, pa.Table) else [Site.SPARK])
