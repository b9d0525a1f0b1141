"""The physical plan of a query: where each operator runs, what that costs, and whether it can keep up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf

from datacell.algebra import tree
from datacell.compile.evaluation import AtBoundaries, Evaluation, EveryInstant, RowByRow
from datacell.compile.setting import Setting
from datacell.engines.agreed import refusals
from datacell.incremental.inputs import BasketRows
from datacell.incremental.plans import Incremental, Reevaluated
from datacell.placement import parts
from datacell.placement.costs import Cost, UnitCosts, Work
from datacell.placement.enumeration import Placement, Search, Sites, cost_of, decomposed
from datacell.placement.fragments import Fragment, delivered, fragments, operators
from datacell.placement.homes import Home
from datacell.placement.keeping import Intake, Keeping, Room
from datacell.placement.operators import Operator, Site, in_post_order
from datacell.placement.parts import Part, Parts
from datacell.placement.sizes import Sizes
from datacell.placement.statistics import BATCH, Statistics


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
    kept: tuple[Keeping, ...]
    intakes: tuple[Intake, ...]
    """Raw rows that come to the driver before any part runs."""
    known: Statistics
    units: UnitCosts

    @property
    def cost(self) -> Cost:
        total = sum(p.best.cost.total for p in self.parts)
        total += sum(self.units.out_of(intake.rows, 1 / BATCH) for intake in self.intakes)
        return Cost(total, total)

    @property
    def homes(self) -> Mapping[int, Home]:
        """Where each relation that is kept by increments has its rows, by its number."""
        return {one.relation: one.home for one in self.kept if one.relation is not None}

    def part(self, name: str) -> PlacedPart:
        """The part under its name; KeyError if nothing is run for it."""
        return {placed.part.name: placed for placed in self.parts}[name]

    def as_placed(self, sites: Mapping[str, Sites]) -> Physical:
        """The same with other placements of the parts that are named."""
        return replace(self, parts=tuple(_moved(p, sites.get(p.part.name), self.units) for p in self.parts))


def physical(evaluation: Evaluation, setting: Setting, site: Site | None) -> Physical:
    """What an evaluation would run, placed by what is known; all on one site if one is given."""
    room = Room(inf if site is Site.DUCKDB else setting.driver_memory, setting.fed)
    found = _parts(evaluation, setting.known, room)
    placed = tuple(_placed(found.run, setting.units, site, room))
    why = _why(evaluation) if placed else "it has no firings to place"
    return Physical(evaluation.strategy, why, placed, found.kept, found.intakes, setting.known, setting.units)


def _why(evaluation: Evaluation) -> str:
    if isinstance(evaluation, EveryInstant):
        return f"{evaluation.why}; operators that keep rows are placed when they first run, and have no cost here"
    return evaluation.why


def _parts(evaluation: Evaluation, known: Statistics, room: Room) -> Parts:
    match evaluation:
        case RowByRow(plan=plan):
            streams = [slot.stream for slot in tree.slots(plan) if isinstance(slot, BasketRows)]
            return parts.row_by_row(plan, streams, known, room)
        case AtBoundaries(Incremental() as plans):
            return parts.incremental(plans, known, room)
        case AtBoundaries(Reevaluated() as plans):
            return parts.reevaluated(plans, known, room)
        case EveryInstant(stateless=stateless):
            return parts.stateless(((one.name, one.stream, one.plan) for one in stateless), known, room)
    return Parts()


def _placed(found: Iterable[Part], units: UnitCosts, site: Site | None, room: Room) -> Iterator[PlacedPart]:
    for part in found:
        sizes = Sizes(part.known)
        root = operators(
            part.plan, sizes, part.firings, lambda _, alone: bool(refusals(alone)), part.homes, room.memory
        )
        if isinstance(root, Operator):
            root = delivered(root, part.wanted, room.memory)
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
