"""Homes and transfers: where rows are, what it costs to bring them elsewhere, and the bound of the driver's memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from datacell.algebra import tree
from datacell.algebra.plan import Plan
from datacell.algebra.schema import Field, Schema
from datacell.algebra.types import of
from datacell.compile import Compiled, Setting, compile
from datacell.compile.explain import Format, Stage, explain, explain_script
from datacell.incremental.strategy import Strategy
from datacell.placement.costs import EngineCosts, TransferCost, UnitCosts, Work
from datacell.placement.enumeration import cost_of, pruned
from datacell.placement.fragments import operators
from datacell.placement.homes import Home, megabytes, row_bytes
from datacell.placement.operators import Operator, OperatorKind, Site, Source, in_post_order
from datacell.placement.prediction import loads
from datacell.placement.sizes import Sizes
from datacell.placement.statistics import Statistics
from datacell.placement.transfers import Transfer, with_transfers
from datacell.placement.unit_costs import SHIPPED, from_json, to_json
from datacell.rewrite.rules import optimized
from placement.test_fragments import QUERIES
from sample import bind

GROUPED = "SELECT k, avg(v) AS a FROM s [RANGE 5 MINUTES SLIDE 1 SECOND] GROUP BY k"
JOINED = (
    "SELECT a.v, b.x FROM s [RANGE 5 MINUTES SLIDE 1 SECOND] a JOIN r [RANGE 5 MINUTES SLIDE 1 SECOND] b ON a.k = b.k"
)
BY_ROWS = "SELECT k, avg(v) AS a FROM s [ROWS 100000 SLIDE 1000] GROUP BY k"


def compiled(sql: str = GROUPED, rate: float = 1000.0, keys: float = 40.0, **wanted: object) -> Compiled:
    known = Statistics({"s": rate, "r": rate}, distinct={"k": keys})
    return compile(bind(sql), replace(Setting(known, SHIPPED), **wanted))  # type: ignore[arg-type]


def sites(found: Compiled, part: str) -> set[Site]:
    return set(found.physical.part(part).best.sites)


def test_a_row_takes_what_its_types_do() -> None:
    kinds = ["int", "bigint", "string", "struct<a:int,b:double>", "array<int>", "decimal(10,2)", "timestamp"]
    widths = [row_bytes(Schema((Field("c", of(kind)),))) for kind in kinds]
    assert widths == [4, 8, 20, 12, 20, 16, 8]


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0 B"), (9.4, "9 B"), (1200, "1.2 kB"), (336_000, "336 kB"), (12e9, "12 GB"), (3e15, "3,000 TB")],
)
def test_sizes_are_shown_with_two_digits_at_least(size: float, shown: str) -> None:
    assert megabytes(size) == shown


# where work is done


def test_a_fast_stream_with_few_keys_is_aggregated_where_it_comes() -> None:
    """Partial aggregates on Spark, a transfer of few rows, and the answer on DuckDB."""
    found = compiled(rate=3e6)
    assert sites(found, "relation 1") == {Site.SPARK}
    assert sites(found, "answer") == {Site.DUCKDB}
    shown = explain(found, Stage.PHYSICAL, Format.TEXT).splitlines()
    (line,) = [line.strip() for line in shown if "transfer" in line]
    assert line.startswith("transfer to the driver: 40 rows/s, 1.1 kB/s, cost ")


def test_a_slow_stream_is_brought_to_duckdb_as_it_is() -> None:
    found = compiled(rate=1000.0)
    assert sites(found, "relation 1") == sites(found, "answer") == {Site.DUCKDB}
    assert "transfer to the driver: 1,000 rows/s, 20 kB/s" in explain(found, Stage.PHYSICAL, Format.TEXT)


def test_what_stands_above_an_aggregate_is_not_worth_spark() -> None:
    expected = {Home.CLUSTER: (Site.SPARK, Site.DUCKDB, Site.DUCKDB), Home.DRIVER: (Site.DUCKDB,) * 3}
    for home, best in expected.items():
        plugs = Source("plugs", 3e6, 24.0, home)
        grouped = Operator(OperatorKind.AGGREGATE, "aggregate", (plugs,), 40.0, 24.0)
        top = Operator(OperatorKind.MAP, "map", (Operator(OperatorKind.FILTER, "filter", (grouped,), 20.0),), 20.0)
        assert pruned(top, SHIPPED, Work.IN_TURNS).best.sites == best


def test_raw_rows_and_the_result_of_an_operator_are_one_job_each() -> None:
    """So a plan is chosen by the work on rows and by what is transferred."""
    free = EngineCosts(0.0, 0.0, dict.fromkeys(OperatorKind, 0.0), 0.0)
    units = UnitCosts(
        {Site.SPARK: replace(free, firing=0.1), Site.DUCKDB: free}, TransferCost(0.0, 0.0), TransferCost(1e-6, 1e-8)
    )
    source = Source("s", 1000.0, 50.0, Home.CLUSTER)
    root = Operator(OperatorKind.AGGREGATE, "aggregate", (source,), 10.0, 20.0)
    raw, worked = (cost_of(root, [site], units, Work.IN_TURNS).total for site in (Site.DUCKDB, Site.SPARK))
    assert raw == pytest.approx(0.1 + 1000 * (1e-6 + 50e-8))
    assert worked == pytest.approx(0.1 + 10 * (1e-6 + 20e-8))
    kept = cost_of(replace(root, wanted=Home.CLUSTER), [Site.SPARK], units, Work.IN_TURNS).total
    assert kept == pytest.approx(0.1)


# transfers are operators


@pytest.mark.parametrize("sql", QUERIES)
@pytest.mark.parametrize("seed", range(6))
def test_rows_change_their_home_by_a_transfer_and_never_otherwise(sql: str, seed: int) -> None:
    chance, plan = Random(seed), optimized(bind(sql)).plan
    homes: dict[tree.Key, Home] = {n: chance.choice(list(Home)) for n in sorted(tree.table_names(plan))}
    root = operators(plan, Sizes(Statistics()), 1.0, lambda *_: False, homes)
    assert isinstance(root, Operator)
    root = replace(root, wanted=chance.choice(list(Home)))
    placed = [chance.choice(list(Site)) for _ in in_post_order(root)]
    shown = with_transfers(root, placed, SHIPPED)
    found = [node for node in tree.descendants(shown.plan) if isinstance(node, Transfer)]
    assert all(node.schema == node.child.schema for node in found)
    assert len(found) == len(list(crossings(root, placed)))
    assert without_transfers(shown.plan) == plan
    total = cost_of(root, placed, SHIPPED, Work.IN_TURNS).total
    assert sum(loads(root, placed, SHIPPED)) == pytest.approx(total)
    assert sum(node.cost for node in found) <= total


def crossings(root: Operator, placed: list[Site]) -> Iterator[None]:
    at = dict(zip(map(id, in_post_order(root)), placed, strict=True))
    for operator in in_post_order(root):
        for child in operator.inputs:
            home = child.home if isinstance(child, Source) else at[id(child)].home
            if home not in (None, at[id(operator)].home):
                yield
    if placed[-1].home is not root.wanted:
        yield


def without_transfers(plan: Plan) -> Plan:
    return tree.transform_up(plan, lambda node: node.child if isinstance(node, Transfer) else node)


def test_json_and_mermaid_have_transfers() -> None:
    found = compiled(rate=3e6)
    (query,) = json.loads(explain(found, Stage.PHYSICAL, Format.JSON))
    top = query["parts"][0]["plan"]
    assert (top["operator"], top["to"], top["rate"], top["bytes"]) == ("Transfer", "driver", 40.0, 40.0 * 28)
    assert [kept["home"] for kept in query["kept"]] == ["driver"]
    assert query["intakes"] == []
    assert "transfer to the driver: 40 rows/s" in explain(found, Stage.PHYSICAL, Format.MERMAID)


def test_row_windows_say_why_their_rows_are_in_the_driver() -> None:
    for sql, why in ((BY_ROWS, "a boundary costs"), ("SELECT median(v) AS m FROM s [ROWS 100 SLIDE 10]", "reevaluate")):
        found = compiled(sql)
        shown = explain(found, Stage.PHYSICAL, Format.TEXT)
        assert why in shown
        assert "intake of s: rows are numbered in the driver: row windows count arrivals in one order" in shown
        assert "transfer to the driver: 1,000 rows/s" in shown
        parts = sum(part.best.cost.total for part in found.physical.parts)
        assert found.physical.cost.total > parts + SHIPPED.engines[Site.SPARK].firing
        assert "rows are numbered" in explain(found, Stage.PHYSICAL, Format.MERMAID)
        (query,) = json.loads(explain(found, Stage.PHYSICAL, Format.JSON))
        assert [one["stream"] for one in query["intakes"]] == ["s"]


def test_what_queries_feed_is_in_the_driver_already() -> None:
    script = (
        "CREATE STREAM s (k INT, v DOUBLE) WITH (format = 'csv', path = 'x'); CREATE STREAM alarms (k INT);"
        "INSERT INTO alarms SELECT k FROM s WHERE v > 1;"
        "CREATE CONTINUOUS QUERY q AS SELECT k, count(*) AS c FROM alarms [RANGE 5 MINUTES SLIDE 1 SECOND] GROUP BY k"
    )
    filtered, counted = explain_script(script, "f", Stage.PHYSICAL, Format.TEXT).split("\n\n")
    assert "transfer to the driver" in filtered
    assert "transfer" not in counted


# the driver's memory


def test_a_relation_that_would_not_fit_has_its_home_on_the_cluster() -> None:
    roomy, tight = (compiled(keys=1e5, rate=1e6, driver_memory=m) for m in (1 << 30, 1_000_000))
    assert roomy.physical.homes == {0: Home.DRIVER}
    assert tight.physical.homes == {0: Home.CLUSTER}
    (kept,) = tight.physical.kept
    assert kept.why == "on the cluster: 840 MB would not fit into 1.0 MB"
    assert sites(tight, "relation 1") == {Site.SPARK}
    assert tight.physical.part("relation 1").root.wanted is Home.CLUSTER
    shown = explain(tight, Stage.PHYSICAL, Format.TEXT)
    assert "relation 1: on the cluster: 840 MB would not fit into 1.0 MB" in shown
    assert "relation 1: in the driver, 840 MB" in explain(roomy, Stage.PHYSICAL, Format.TEXT)


def test_what_reads_more_than_the_driver_holds_runs_on_spark() -> None:
    """All of the join's sides, and the answer over what is shown of it."""
    found = compiled(JOINED, rate=1e4, keys=1e4, driver_memory=10_000_000)
    assert set(found.physical.homes.values()) == {Home.CLUSTER}
    for placed in found.physical.parts:
        for operator, site in zip(in_post_order(placed.root), placed.best.sites, strict=True):
            large = [i for i in operator.inputs if isinstance(i, Source) and i.rate * i.bytes > 10_000_000]
            assert not large or site is Site.SPARK


def test_baskets_of_windows_that_are_evaluated_again_have_a_home_too() -> None:
    sql = "SELECT median(v) AS m FROM s [RANGE 1 HOUR SLIDE 1 MINUTE]"
    cases = ((1 << 30, "basket s", Home.DRIVER), (1 << 20, "relation 1", Home.CLUSTER))
    for memory, name, home in cases:
        found = compiled(sql, driver_memory=memory, strategy=Strategy.REEVALUATE).physical
        assert [(kept.name, kept.home) for kept in found.kept] == [(name, home)]
        assert found.homes == ({} if home is Home.DRIVER else {0: home})
        assert len(found.intakes) == (home is Home.DRIVER)


def test_duckdb_alone_keeps_everything_in_the_driver() -> None:
    found = compiled(keys=1e5, rate=1e6, driver_memory=1000, wanted=Site.DUCKDB)
    assert found.physical.homes == {0: Home.DRIVER}


def test_costs_of_before_are_refused() -> None:
    assert from_json(to_json(SHIPPED)) == SHIPPED
    with pytest.raises(ValueError, match="another version"):
        from_json({"engines": to_json(SHIPPED)["engines"], "into spark": 1e-8, "out of spark": 1e-8})
