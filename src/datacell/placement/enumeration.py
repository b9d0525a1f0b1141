"""Phase two: an engine for each operator, bottom-up.

*Pruning.* What an operator costs on Spark does not depend on where its inputs are made, nor does it change when the
plan is extended. So of all plans with this operator on Spark only one is kept, over the best plan of each input. A
fragment on DuckDB changes as it grows: plans with DuckDB at the top are all kept. With every unary operator the number
of plans grows by one, at a join it is one more than the product of its inputs'.

*Decomposition.* Plans of more than 15 operators are cut into subplans, placed one after the other from below; of a
finished subplan only its best plan is kept for each engine at its top.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from datacell.errors import PlanError
from datacell.placement.costs import Cost, UnitCosts, Work
from datacell.placement.operators import Input, Operator, Site, Source, in_post_order

MOST_OPERATORS = 15
MOST_UNPRUNED = 20
"""Operators up to which all placements are looked at without pruning."""

Sites = tuple[Site, ...]


@dataclass(frozen=True)
class Placement:
    """A complete plan: the engine of each operator, in post order, and what that costs."""

    sites: Sites
    cost: Cost


@dataclass(frozen=True)
class Search:
    """The best plan, how many complete plans were looked at, and the next best of them."""

    best: Placement
    examined: int
    beaten: tuple[Placement, ...] = ()


class _Partial(NamedTuple):
    """A plan up to an operator: what it costs, without the DuckDB fragment at its top, which may still grow."""

    sites: Sites
    bottleneck: float
    total: float
    growing: float | None = None


def pruned(root: Operator, units: UnitCosts, work: Work, keep: int = 3) -> Search:
    """By the paper's pruning."""
    return _Enumeration(units, work, prunes=True).search(root, keep)


def exhaustive(root: Operator, units: UnitCosts, work: Work, keep: int = 3) -> Search:
    """Every placement there is; only of small plans."""
    count = len(list(in_post_order(root)))
    if count > MOST_UNPRUNED:
        raise PlanError(f"{count} operators have {2**count:,} placements: too many to look at each")
    return _Enumeration(units, work, prunes=False).search(root, keep)


def decomposed(root: Operator, units: UnitCosts, work: Work, keep: int = 3) -> Search:
    """By the paper's pruning, larger plans in subplans."""
    return _Enumeration(units, work, prunes=True, most=MOST_OPERATORS).search(root, keep)


def cost_of(root: Operator, sites: Sequence[Site], units: UnitCosts, work: Work) -> Cost:
    """What a given placement costs."""
    given = dict(zip(map(id, in_post_order(root)), sites, strict=True))
    found = _Enumeration(units, work, prunes=False, given=given).search(root, 0)
    return found.best.cost


class _Enumeration:
    def __init__(
        self,
        units: UnitCosts,
        work: Work,
        prunes: bool,
        most: int | None = None,
        given: dict[int, Site] | None = None,
    ) -> None:
        self.units, self.work, self.prunes, self.most, self.given = units, work, prunes, most, given
        self.finished = 0
        """Plans of subplans that are done with."""

    def search(self, root: Operator, keep: int) -> Search:
        partials, _ = self._up_to(root)
        plans = [Placement(p.sites, self._delivered(p, root)) for p in partials]
        plans.sort(key=lambda plan: plan.cost.rank)
        return Search(plans[0], self.finished + len(plans), tuple(plans[1 : keep + 1]))

    def _up_to(self, node: Input) -> tuple[list[_Partial], int]:
        """All plans up to an operator, and how many operators they still choose engines for."""
        if isinstance(node, Source):
            return [_Partial((), 0.0, 0.0)], 0
        below = [self._up_to(child) for child in node.inputs]
        below = self._cut(node, below)
        inputs = [partials for partials, _ in below]
        found = [*self._on_spark(node, inputs), *self._on_duckdb(node, inputs)]
        return found, 1 + sum(size for _, size in below)

    def _cut(self, node: Operator, below: list[tuple[list[_Partial], int]]) -> list[tuple[list[_Partial], int]]:
        """Finish the largest subplans until the plan is not too large."""
        while self.most is not None and 1 + sum(size for _, size in below) > self.most:
            largest = max(range(len(below)), key=lambda i: below[i][1])
            partials, child = below[largest][0], node.inputs[largest]
            self.finished += len(partials)
            tops = {site: [p for p in partials if _top(p) is site] for site in Site}
            best = [min(ps, key=lambda p: self._rank(p, child)) for ps in tops.values() if ps]
            below[largest] = best, 0
        return below

    def _may(self, node: Operator, site: Site) -> bool:
        return site in node.sites if self.given is None else self.given[id(node)] is site

    def _on_spark(self, node: Operator, inputs: list[list[_Partial]]) -> list[_Partial]:
        if not self._may(node, Site.SPARK):
            return []
        u = self.units.on_spark(node)
        if self.prunes:
            pairs = zip(inputs, node.inputs, strict=True)
            inputs = [[min(ps, key=lambda p: self._rank(p, child))] for ps, child in pairs]
        return [self._spark_over(chosen, node, u) for chosen in product(*inputs)]

    def _spark_over(self, chosen: Sequence[_Partial], node: Operator, u: float) -> _Partial:
        closed = [self._closed(p, child) for p, child in zip(chosen, node.inputs, strict=True)]
        bottleneck = self.work.bottleneck(u, *(c.bottleneck for c in closed))
        sites = tuple(site for p in chosen for site in p.sites)
        return _Partial((*sites, Site.SPARK), bottleneck, u + sum(c.total for c in closed))

    def _on_duckdb(self, node: Operator, inputs: list[list[_Partial]]) -> list[_Partial]:
        if not self._may(node, Site.DUCKDB):
            return []
        own = self.units.evaluation(node, Site.DUCKDB)
        fixed = node.firings * self.units.engines[Site.DUCKDB].firing
        pairs = zip(inputs, node.inputs, strict=True)
        sides = [[(p, self._fed(p, child, node, fixed)) for p in ps] for ps, child in pairs]
        return [self._duckdb_over(chosen, own + fixed) for chosen in product(*sides)]

    def _fed(self, partial: _Partial, child: Input, node: Operator, fixed: float) -> float:
        """What an input adds to the fragment: the fragment below, which now is part of this one; or rows from Spark."""
        if partial.growing is not None:
            return partial.growing - fixed
        if isinstance(child, Source):
            return self.units.read(child, Site.DUCKDB, node.firings)
        return self.units.out_of(child, child.firings)

    def _duckdb_over(self, chosen: Sequence[tuple[_Partial, float]], own: float) -> _Partial:
        sites = tuple(site for p, _ in chosen for site in p.sites)
        bottleneck = self.work.bottleneck(*(p.bottleneck for p, _ in chosen))
        growing = own + sum(fed for _, fed in chosen)
        return _Partial((*sites, Site.DUCKDB), bottleneck, sum(p.total for p, _ in chosen), growing)

    def _closed(self, partial: _Partial, node: Input) -> Cost:
        """The cost of a plan whose result Spark takes."""
        if partial.growing is None:
            return Cost(partial.bottleneck, partial.total)
        u = partial.growing + self.units.to_cluster.of(node)
        return Cost(self.work.bottleneck(partial.bottleneck, u), partial.total + u)

    def _delivered(self, partial: _Partial, root: Operator) -> Cost:
        """The cost of a plan whose result is the answer."""
        u = (partial.growing or 0.0) + self.units.delivered(root, _top(partial))
        return Cost(self.work.bottleneck(partial.bottleneck, u), partial.total + u)

    def _rank(self, partial: _Partial, node: Input) -> tuple[float, float]:
        return self._closed(partial, node).rank


def _top(partial: _Partial) -> Site:
    return partial.sites[-1]
