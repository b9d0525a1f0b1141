"""Phase two: how many plans are looked at, and that what is pruned is never better."""

from __future__ import annotations

from random import Random

import pytest

from datacell.bench.multi_way import join_query
from datacell.errors import PlanError
from datacell.placement.costs import Cost, Work
from datacell.placement.enumeration import cost_of, decomposed, exhaustive, pruned
from datacell.placement.operators import in_post_order
from datacell.placement.unit_costs import SHIPPED
from placement.shapes import random_costs, random_plan

BOTH = pytest.mark.parametrize("work", list(Work))


@pytest.mark.parametrize(("ways", "operators", "examined"), [(2, 6, 11), (5, 15, 312), (8, 24, 8411)])
def test_as_many_plans_are_examined_as_in_the_paper(ways: int, operators: int, examined: int) -> None:
    plan = join_query(ways)
    assert len(list(in_post_order(plan))) == operators
    assert pruned(plan, SHIPPED, Work.PIPELINED).examined == examined


def test_without_pruning_all_placements_are() -> None:
    assert exhaustive(join_query(2), SHIPPED, Work.PIPELINED).examined == 64
    with pytest.raises(PlanError, match="too many"):
        exhaustive(join_query(8), SHIPPED, Work.PIPELINED)


def test_a_chain_of_unary_operators_has_one_plan_more_than_operators() -> None:
    chance = Random(1)
    plan = next(
        p
        for p in (random_plan(chance, 7) for _ in range(10_000))
        if all(len(o.inputs) == 1 and len(o.sites) == 2 for o in in_post_order(p))
    )
    assert pruned(plan, SHIPPED, Work.PIPELINED).examined == 8


@BOTH
@pytest.mark.parametrize("seed", range(200))
def test_pruning_loses_nothing(seed: int, work: Work) -> None:
    chance = Random(seed)
    plan, units = random_plan(chance, chance.randint(1, 10)), random_costs(chance)
    one, other = pruned(plan, units, work), exhaustive(plan, units, work)
    assert one.examined <= other.examined
    assert same(one.best.cost, other.best.cost)


def same(one: Cost, other: Cost) -> bool:
    """By Definition 1: equal totals of feasible plans, equal bottlenecks of infeasible ones."""
    if one.is_feasible != other.is_feasible:
        return False
    return (one.total if one.is_feasible else one.bottleneck) == pytest.approx(
        other.total if other.is_feasible else other.bottleneck
    )


def test_the_random_plans_are_of_all_sorts() -> None:
    """Feasible and not, pure and mixed: or the comparison would say little."""
    found = []
    for seed in range(200):
        chance = Random(seed)
        plan, units = random_plan(chance, chance.randint(1, 10)), random_costs(chance)
        best = pruned(plan, units, Work.PIPELINED).best
        found.append((best.cost.is_feasible, len(set(best.sites))))
    assert all(found.count(sort) >= 10 for sort in [(True, 1), (True, 2), (False, 1), (False, 2)])


@BOTH
@pytest.mark.parametrize("seed", range(40))
def test_a_plan_costs_what_was_said_when_it_was_found(seed: int, work: Work) -> None:
    chance = Random(seed)
    plan, units = random_plan(chance, chance.randint(1, 12)), random_costs(chance)
    search = pruned(plan, units, work)
    for placement in (search.best, *search.beaten):
        assert cost_of(plan, placement.sites, units, work).total == pytest.approx(placement.cost.total)
        assert all(s in o.sites for s, o in zip(placement.sites, in_post_order(plan), strict=True))


@pytest.mark.parametrize("seed", range(60))
def test_decomposition_finds_valid_plans_and_small_ones_as_before(seed: int) -> None:
    chance = Random(seed)
    plan, units = random_plan(chance, chance.randint(1, 40)), random_costs(chance)
    search = decomposed(plan, units, Work.PIPELINED)
    best = search.best
    assert cost_of(plan, best.sites, units, Work.PIPELINED).total == pytest.approx(best.cost.total)
    if len(best.sites) <= 15:
        assert search == pruned(plan, units, Work.PIPELINED)


def test_the_eight_way_join_is_cut_in_two() -> None:
    """14 operators below, 10 above; of the first part one plan is kept for each engine at its top."""
    assert decomposed(join_query(8), SHIPPED, Work.PIPELINED).examined == 311 + (((2 * 3 + 1) * 3 + 1) * 3 + 1 + 1)


def test_the_three_conditions() -> None:
    feasible, costly, slow, slower = Cost(0.9, 2.0), Cost(0.2, 3.0), Cost(1.5, 1.6), Cost(2.0, 2.0)
    assert feasible.is_at_least_as_good_as(slow)
    assert not slow.is_at_least_as_good_as(feasible)
    assert feasible.is_at_least_as_good_as(costly)
    assert not costly.is_at_least_as_good_as(feasible)
    assert slow.is_at_least_as_good_as(slower)
    assert not slower.is_at_least_as_good_as(slow)
    assert sorted([slower, costly, slow, feasible], key=lambda c: c.rank) == [feasible, costly, slow, slower]
