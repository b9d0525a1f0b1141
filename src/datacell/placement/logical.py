"""Phase one: the logical plan that is placed, among equivalent ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from datacell.algebra.query import Query
from datacell.placement.costs import Cost, UnitCosts
from datacell.placement.fragments import windowed
from datacell.placement.join_order import CLEARLY, reordered
from datacell.placement.operators import Site, in_post_order
from datacell.placement.sizes import Sizes
from datacell.placement.statistics import Statistics
from datacell.placement.unit_costs import SHIPPED


def best_plan(equivalents: Sequence[Query], known: Statistics, units: UnitCosts = SHIPPED) -> Query:
    """The best of equivalent queries, with its joins in the best order. The first stays unless one is clearly better.

    What a query keeps depends on its plan, so this must come out the same after a restart: it goes by what is declared
    and by the costs that come with the system, never by what is observed or measured.
    """
    ordered = [_ordered(query, known, units) for query in equivalents]
    first, *others = ordered
    ceiling = cost(first, known, units)
    for other in others:
        found = cost(other, known, units)
        if replace(found, total=found.total / CLEARLY, bottleneck=found.bottleneck / CLEARLY).rank < ceiling.rank:
            first, ceiling = other, found
    return first


def cost(query: Query, known: Statistics, units: UnitCosts = SHIPPED) -> Cost:
    """⟨bottleneck, total⟩ of a logical plan, as if one engine ran every operator by itself.

    That groups make rows fewer is counted on only where the keys are known: values may be as many as rows.
    """
    loads = [units.evaluation(o, Site.SPARK) for o in in_post_order(windowed(query.plan, Sizes(known, 1.0)))]
    return Cost(max(loads, default=0.0), sum(loads))


def _ordered(query: Query, known: Statistics, units: UnitCosts) -> Query:
    plan = reordered(query.plan, Sizes(known), units.engines[Site.SPARK])
    return query if plan is query.plan else replace(query, plan=plan)
