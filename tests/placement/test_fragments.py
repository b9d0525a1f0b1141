"""Cutting plans into fragments: whatever the sites, the fragments together give what the plan gives."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest

from datacell.algebra import tree
from datacell.algebra.plan import Group, Order, Plan, Table
from datacell.engines.protocol import run_once
from datacell.placement.fragments import fragments, operators
from datacell.placement.operators import Operator, Site, in_post_order
from datacell.placement.sizes import Sizes
from datacell.placement.statistics import Statistics
from datacell.rewrite.rules import optimized
from sample import bind, engine, reference

QUERIES = [
    "SELECT k, count(*) AS c FROM t WHERE a > 0 GROUP BY k HAVING count(*) > 1",
    "SELECT t.k, u.b FROM t JOIN u ON t.k = u.k WHERE t.a < u.b",
    "SELECT t.k, max(u.b) AS m FROM t LEFT JOIN u ON t.k = u.k GROUP BY t.k ORDER BY m DESC, t.k",
    "SELECT DISTINCT a FROM t UNION ALL SELECT b FROM u",
    "SELECT k FROM t EXCEPT SELECT k FROM u",
    "SELECT k, a, row_number() OVER (PARTITION BY k ORDER BY a) AS n FROM t",
    "SELECT x.k, y.b FROM (SELECT DISTINCT k FROM t) x JOIN (SELECT k, sum(b) AS b FROM u GROUP BY k) y ON x.k = y.k",
    "SELECT k, a FROM t WHERE a >= (SELECT min(b) FROM u) ORDER BY k LIMIT 2",
]


@pytest.mark.parametrize("sql", QUERIES)
@pytest.mark.parametrize("seed", range(4))
def test_fragments_give_what_the_plan_gives(sql: str, seed: int) -> None:
    plan = optimized(bind(sql)).plan
    root = operators(plan, Sizes(Statistics()), 1.0, lambda *_: False)
    chance = Random(seed)
    sites = [chance.choice(list(Site)) for _ in in_post_order(root)]
    cut = fragments(root, sites)
    tables = dict[tree.Key, pa.Table](reference().tables.items())
    for fragment in cut:
        tables[fragment.slot] = run_once(engine(), fragment.plan, tables)
        assert fragment.plan.schema == fragment.result.schema
    assert rows(tables[cut[-1].slot]) == rows(run_once(engine(), plan, dict(reference().tables)))
    changes = sum(
        isinstance(i, Operator) and site_of[id(i)] is not site_of[id(o)]
        for site_of in [dict(zip(map(id, in_post_order(root)), sites, strict=True))]
        for o in in_post_order(root)
        for i in o.inputs
    )
    assert len(cut) == changes + 1


def rows(table: pa.Table) -> list[str]:
    return sorted(map(str, table.to_pylist()))


def test_what_belongs_together_is_never_cut() -> None:
    for sql in QUERIES:
        root = operators(optimized(bind(sql)).plan, Sizes(Statistics()), 1.0, lambda *_: False)
        nodes = list(in_post_order(root))
        for cut in fragments(root, [list(Site)[i % 2] for i in range(len(nodes))])[:-1]:
            assert not isinstance(cut.result, Group | Order)


def test_what_duckdb_refuses_stays_on_spark() -> None:
    def refuses(_: Plan, alone: Plan) -> bool:
        return any("a > 0" in node.head() for node in tree.descendants(alone))

    root = operators(optimized(bind(QUERIES[0])).plan, Sizes(Statistics()), 1.0, refuses)
    first, *others = in_post_order(root)
    assert first.sites == {Site.SPARK}
    assert all(o.sites == set(Site) for o in others)
    assert isinstance(first.inputs[0].node, Table)
