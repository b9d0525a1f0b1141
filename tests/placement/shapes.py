"""Plans to place: the multi-way joins of the paper's section 8.2, and random ones."""

from __future__ import annotations

from random import Random

from datacell.placement.costs import EngineCosts, UnitCosts
from datacell.placement.operators import Input, OperatorKind, Operator, Site, Source

UNARY = (OperatorKind.FILTER, OperatorKind.MAP, OperatorKind.AGGREGATE, OperatorKind.DISTINCT, OperatorKind.OVER)


def random_plan(chance: Random, operators: int) -> Operator:
    """Unary and binary operators over sources, of sizes that spread over orders of magnitude."""
    found = _random(chance, operators)
    assert isinstance(found, Operator)
    return found


def _random(chance: Random, operators: int) -> Input:
    rate, width = 10 ** chance.uniform(1, 6.5), chance.randint(1, 6)
    if not operators:
        return Source("s", rate, width)
    left = chance.randint(0, operators - 1)
    if chance.random() < 0.4:
        inputs: tuple[Input, ...] = (_random(chance, left), _random(chance, operators - 1 - left))
        kind = OperatorKind.JOIN
    else:
        inputs, kind = (_random(chance, operators - 1),), chance.choice(UNARY)
    sites = frozenset([Site.SPARK]) if chance.random() < 0.1 else frozenset(Site)
    return Operator(kind, kind.value, inputs, rate, width, 1.0, sites)


def random_costs(chance: Random) -> UnitCosts:
    """Neither engine is always the better one, and plans are sometimes feasible and sometimes not."""

    def some(low: float, high: float) -> float:
        return 10 ** chance.uniform(low, high)

    engines = {
        site: EngineCosts(some(-4, -1), some(-5, -2), {kind: some(-8, -5) for kind in OperatorKind}, some(-8, -6))
        for site in Site
    }
    return UnitCosts(engines, some(-8, -6), some(-8, -6))
