"""The physical plan of a query: where each operator runs, what that costs, and whether it can keep up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from datacell.algebra import tree
from datacell.compile.evaluation import AtBoundaries, Evaluation, RowByRow
from datacell.engines.agreed import refusals
from datacell.incremental.inputs import BasketRows
from datacell.incremental.plans import Incremental, Reevaluated
from datacell.placement import parts
from datacell.placement.costs import Cost, UnitCosts, Work
from datacell.placement.enumeration import Placement, Search, Sites, cost_of, decomposed
from datacell.placement.fragments import Fragment, fragments, operators
from datacell.placement.operators import Operator, Site, in_post_order
from datacell.placement.parts import Part
from datacell.placement.sizes import Sizes
from datacell.placement.statistics import Statistics


@dataclass(frozen=True)
class PlacedPart:
    """A plan that the query runs, its operators, and the search for their engines."""

    part: Part
    root: Operator
    search: Search

    @property
    def best(self) -> Placement:
        return self.search.best

    @property
    def fragments(self) -> tuple[Fragment, ...]:
        return fragments(self.root, self.best.sites)


@dataclass(frozen=True)
class Physical:
    """A query with all that it runs. Its parts take turns, so its cost is the sum of theirs."""

    strategy: str
    why: str
    parts: tuple[PlacedPart, ...]
    known: Statistics
    units: UnitCosts

    @property
    def cost(self) -> Cost:
        total = sum(p.best.cost.total for p in self.parts)
        return Cost(total, total)

    def as_placed(self, sites: Mapping[str, Sites]) -> Physical:
        """The same with other placements of the parts that are named."""
        return replace(self, parts=tuple(_moved(p, sites.get(p.part.name), self.units) for p in self.parts))


def physical(evaluation: Evaluation, known: Statistics, units: UnitCosts, site: Site | None) -> Physical:
    """What an evaluation would run, placed by what is known; all on one site if one is given."""
    placed = tuple(_placed(_parts(evaluation, known), units, site))
    why = evaluation.why if placed else "it has no firings to place"
    return Physical(evaluation.strategy, why, placed, known, units)


def _parts(evaluation: Evaluation, known: Statistics) -> tuple[Part, ...]:
    match evaluation:
        case RowByRow(plan=plan):
            streams = [slot.stream for slot in tree.slots(plan) if isinstance(slot, BasketRows)]
            return parts.row_by_row(plan, streams, known)
        case AtBoundaries(Incremental() as plans):
            return parts.incremental(plans, known)
        case AtBoundaries(Reevaluated() as plans):
            return parts.reevaluated(plans, known)
    return ()


def _placed(found: Iterable[Part], units: UnitCosts, site: Site | None) -> Iterator[PlacedPart]:
    for part in found:
        root = operators(part.plan, Sizes(part.known), part.firings, lambda _, alone: bool(refusals(alone)))
        if isinstance(root, Operator):
            yield PlacedPart(part, root, _search(root, units, site))


def _search(root: Operator, units: UnitCosts, site: Site | None) -> Search:
    if site is None:
        return decomposed(root, units, Work.IN_TURNS)
    return _fixed(root, tuple(site for _ in in_post_order(root)), units)


def _moved(part: PlacedPart, sites: Sites | None, units: UnitCosts) -> PlacedPart:
    if sites is None or sites == part.best.sites or len(sites) != len(part.best.sites):
        return part
    return replace(part, search=_fixed(part.root, sites, units))


def _fixed(root: Operator, sites: Sites, units: UnitCosts) -> Search:
    return Search(Placement(sites, cost_of(root, sites, units, Work.IN_TURNS)), 1)
