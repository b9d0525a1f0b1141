"""Plans to place: the multi-way joins of the paper's section 8.2, and random ones."""

from __future__ import annotations

from random import Random

from datacell.placement.costs import EngineCosts, TransferCost, UnitCosts
from datacell.placement.homes import Home
from datacell.placement.operators import Input, Operator, OperatorKind, Site, Source

UNARY = (OperatorKind.FILTER, OperatorKind.MAP, OperatorKind.AGGREGATE, OperatorKind.DISTINCT, OperatorKind.OVER)


def random_plan(chance: Random, operators: int) -> Operator:
    """Unary and binary operators over sources, of sizes that spread over orders of magnitude."""
    found = _random(chance, operators)
    assert isinstance(found, Operator)
    return found


def _random(chance: Random, operators: int) -> Input:
    rate, row = 10 ** chance.uniform(1, 6.5), 8.0 * chance.randint(1, 6)
    if not operators:
        return Source("s", rate, row, chance.choice(list(Home)))
    left = chance.randint(0, operators - 1)
    if chance.random() < 0.4:
        inputs: tuple[Input, ...] = (_random(chance, left), _random(chance, operators - 1 - left))
        kind = OperatorKind.JOIN
    else:
        inputs, kind = (_random(chance, operators - 1),), chance.choice(UNARY)
    sites = frozenset([Site.SPARK]) if chance.random() < 0.1 else frozenset(Site)
    return Operator(kind, kind.value, inputs, rate, row, 1.0, sites, wanted=chance.choice(list(Home)))


def random_costs(chance: Random) -> UnitCosts:
    """Neither engine is always the better one, and plans are sometimes feasible and sometimes not."""

    def some(low: float, high: float) -> float:
        return 10 ** chance.uniform(low, high)

    engines = {
        site: EngineCosts(some(-4, -1), some(-5, -2), {kind: some(-8, -5) for kind in OperatorKind}, some(-8, -6))
        for site in Site
    }
    transfers = [TransferCost(some(-8, -6), some(-9, -7)) for _ in Home]
    return UnitCosts(engines, *transfers)
