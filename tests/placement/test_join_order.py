"""Phase one: the best of all join orders, and the same answers in any order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from random import Random

import pytest
from sqlglot import exp

from datacell.algebra import tree
from datacell.algebra.plan import Aggregate, Join, Map
from datacell.placement.join_order import Condition, Joins, Ordered, reordered
from datacell.placement.logical import best_plan, cost
from datacell.placement.operators import Site
from datacell.placement.sizes import Sizes
from datacell.placement.statistics import Statistics
from datacell.placement.unit_costs import SHIPPED
from datacell.rewrite.rules import equivalents, optimized
from sample import answers, bind

COSTS = SHIPPED.engines[Site.SPARK]
WINDOW = "[RANGE 5 SECONDS SLIDE 1 SECOND]"
CHAIN = (
    f"SELECT a.k, b.x, c.n, d.x AS y FROM s {WINDOW} a JOIN r {WINDOW} b ON a.k = b.k "
    f"JOIN s {WINDOW} c ON c.n = b.x OR c.k = b.k JOIN r {WINDOW} d ON d.k = a.k AND d.x > c.n"
)


def joins(seed: int, inputs: int) -> Joins:
    chance = Random(seed)
    conditions = [
        Condition(exp.true(), frozenset([i, chance.randrange(i)]), 10 ** chance.uniform(-4, 0))
        for i in range(1, inputs)
    ]
    rates = [10 ** chance.uniform(0, 4) for _ in range(inputs)]
    return Joins(rates, [10 ** chance.uniform(1, 5) for _ in range(inputs)], conditions, COSTS)


def every_way(found: Joins, members: frozenset[int]) -> Iterator[Ordered]:
    """All trees without products, one by one."""
    if len(members) == 1:
        yield found.one(*members)
    for bits in range(1, 2 ** len(members) - 1, 2):
        left = frozenset(m for i, m in enumerate(sorted(members)) if bits >> i & 1)
        right = members - left
        if any(c.reads <= members and c.reads & left and c.reads & right for c in found.conditions):
            for one in every_way(found, left):
                yield from (found.joined(one, other) for other in every_way(found, right))


@pytest.mark.parametrize("seed", range(30))
def test_no_order_is_better(seed: int) -> None:
    found = joins(seed, 2 + seed % 4)
    ways = list(every_way(found, frozenset(range(2 + seed % 4))))
    best = found.best()
    assert best.cost.rank == pytest.approx(min(way.cost.rank for way in ways))


@pytest.mark.parametrize("rates", [{"s": 1.0, "r": 1e5}, {"s": 1e5, "r": 1.0}])
def test_any_order_gives_the_same_answers(rates: dict[str, float]) -> None:
    query = optimized(bind(CHAIN))
    changed = replace(query, plan=reordered(query.plan, Sizes(Statistics(rates)), COSTS, clearly=inf))
    assert changed.plan != query.plan
    assert changed.plan.schema == query.plan.schema
    expected = answers(query)
    assert any(a.rows for a in expected)
    assert answers(changed) == expected


def test_the_fast_stream_is_joined_last() -> None:
    window = "[RANGE 1 MINUTE SLIDE 1 SECOND]"
    sql = f"SELECT a.v FROM s {window} a JOIN r {window} b ON a.k = b.k JOIN r {window} c ON b.k = c.k"
    known = Statistics({"s": 100_000.0, "r": 10.0}, distinct={"k": 600.0})
    best = best_plan(equivalents(bind(sql)), known)
    top = next(n for n in tree.descendants(best.plan) if isinstance(n, Join))
    sides = [{s.alias for s in tree.streams(side)} for side in (top.left, top.right)]
    assert {"a"} in sides


def test_what_is_about_as_good_stays_as_it_was_written() -> None:
    windows = (f"s {WINDOW} a", f"JOIN r {WINDOW} b ON a.k = b.k", f"JOIN s {WINDOW} c ON c.k = b.k")
    query = optimized(bind(f"SELECT a.k, b.x, c.n FROM {' '.join(windows)}"))
    equal = Statistics({"s": 100.0, "r": 100.0})
    assert best_plan((query,), equal) is query


def test_aggregates_move_below_a_join_where_that_is_clearly_better() -> None:
    window = "[RANGE 1 MINUTE SLIDE 1 SECOND]"
    sql = f"SELECT a.k, sum(a.n) AS t FROM s {window} a JOIN r {window} b ON a.k = b.k GROUP BY a.k"
    pushed = [n for n in tree.descendants(equivalents(bind(sql))[1].plan) if isinstance(n, Aggregate)]
    assert len(pushed) == 2
    many, few = Statistics(distinct={"k": 2.0}), Statistics({"s": 1.0, "r": 1.0}, distinct={"k": 1e6})
    for known in (many, few):
        candidates = equivalents(bind(sql))
        best = best_plan(candidates, known)
        assert cost(best, known).total <= min(cost(c, known).total for c in candidates) / 0.8
    assert best_plan(equivalents(bind(sql)), many).plan != best_plan(equivalents(bind(sql)), few).plan
    assert isinstance(best_plan(equivalents(bind(sql)), many).plan, Map)
