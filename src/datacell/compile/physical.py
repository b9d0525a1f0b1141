"""The physical plan of a query: where each operator runs, what that costs, and whether it can keep up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from datacell.algebra import show, tree
from datacell.algebra.definitions import StreamDefinition
from datacell.algebra.plan import Plan
from datacell.algebra.query import Query, Timing
from datacell.engines.agreed import refusals
from datacell.incremental import lift
from datacell.incremental.strategy import Strategy, choose
from datacell.placement import parts
from datacell.placement.costs import Cost, UnitCosts, Work
from datacell.placement.enumeration import Placement, Search, cost_of, decomposed
from datacell.placement.fragments import Fragment, fragments, operators
from datacell.placement.operators import Input, Operator, Site, in_post_order
from datacell.placement.parts import Part
from datacell.placement.prediction import loads
from datacell.placement.sizes import Sizes
from datacell.placement.statistics import Statistics, declared, together


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


def statistics(streams: Iterable[StreamDefinition]) -> Statistics:
    """What is declared of streams."""
    return together(declared(s.name, s.options) for s in streams)


def physical(query: Query, strategy: Strategy, known: Statistics, units: UnitCosts, wanted: Site | None) -> Physical:
    """A query as it will run: optimized already, without what is done once only."""
    strategy_, why, found = _parts(query, strategy, known, wanted)
    return Physical(strategy_, why, tuple(_placed(found, units, wanted)), known, units)


def keeps_up_with(query: Query, strategy: Strategy, plan: Physical, wanted: Site | None) -> float:
    """By how much the streams may be faster (or must be slower) for the query to work all of the time.

    Costs are a fixed part and one that grows with the rates: two points tell both.
    """
    slower = replace(plan.known, rates={s.name.lower(): plan.known.rate(s.name) / 2 for s in tree.streams(query.plan)})
    whole, half = plan.cost.total, physical(query, strategy, slower, plan.units, wanted).cost.total
    growing = max(2 * (whole - half), 1e-12)
    return max(0.0, (1 - (whole - growing)) / growing)


def _parts(
    query: Query, strategy: Strategy, known: Statistics, wanted: Site | None
) -> tuple[str, str, tuple[Part, ...]]:
    match query.timing:
        case Timing.ROW_BY_ROW:
            return query.timing.value, "nothing is kept", parts.row_by_row(query, lift.row_fragment(query), known)
        case Timing.ONCE | Timing.EVERY_INSTANT:
            return query.timing.value, "it has no firings to place", ()
    plans = choose(query, strategy, wanted is Site.SPARK)
    if plans.split is None:
        return plans.strategy.value, plans.why, parts.reevaluated(query, known)
    return plans.strategy.value, plans.why, parts.incremental(plans.split, known)


def _placed(found: Iterable[Part], units: UnitCosts, wanted: Site | None) -> Iterator[PlacedPart]:
    for part in found:
        root = operators(part.plan, Sizes(part.known), part.firings, lambda _, alone: bool(refusals(alone)))
        if isinstance(root, Operator):
            yield PlacedPart(part, root, _search(root, units, wanted))


def _search(root: Operator, units: UnitCosts, wanted: Site | None) -> Search:
    if wanted is None:
        return decomposed(root, units, Work.IN_TURNS)
    sites = tuple(wanted for _ in in_post_order(root))
    return Search(Placement(sites, cost_of(root, sites, units, Work.IN_TURNS)), 1)


# Text, JSON, Mermaid


def text(plan: Physical) -> Iterator[str]:
    yield f"{plan.strategy}: {plan.why}"
    if not plan.parts:
        return
    feasible = "feasible" if plan.cost.is_feasible else "it cannot keep up"
    yield f"cost {plan.cost}: {feasible}, at {_rates(plan)}"
    for placed in plan.parts:
        engines = " and ".join(sorted({f.site.value for f in placed.fragments}))
        yield f"{placed.part.name}: on {engines}, {_often(placed.part.firings)}, cost {placed.best.cost}"
        yield from (f"  {line}" for line in show.text(placed.part.plan, _notes(placed, plan.units)).splitlines())
        yield f"  placements looked at: {placed.search.examined}"
        yield from (f"  beaten: {line}" for line in _beaten(placed))


def json(plan: Physical) -> dict[str, object]:
    return {
        "strategy": plan.strategy,
        "why": plan.why,
        "cost": _cost_json(plan.cost),
        "parts": [
            {
                "name": placed.part.name,
                "firings per second": placed.part.firings,
                "cost": _cost_json(placed.best.cost),
                "examined": placed.search.examined,
                "fragments": [
                    {"name": f.name, "engine": f.site.value, "u": u}
                    for f, u in zip(placed.fragments, loads(placed.root, placed.best.sites, plan.units), strict=True)
                ],
                "plan": show.json(placed.part.plan, _numbers(placed, plan.units)),
                "beaten": [
                    {"cost": _cost_json(other.cost), "instead": _difference(placed, other)}
                    for other in placed.search.beaten
                ],
            }
            for placed in plan.parts
        ],
    }


def mermaid(plan: Physical, query: str) -> Iterator[str]:
    for number, placed in enumerate(plan.parts):
        title = f"{placed.part.name}, cost {placed.best.cost}"
        yield f'    subgraph {query}p{number}["{show.mermaid_label(title)}"]'
        notes = _notes(placed, plan.units)
        yield from (f"  {line}" for line in show.mermaid_lines(placed.part.plan, f"{query}p{number}n", notes))
        yield "    end"
    for one, other in pairwise(range(len(plan.parts))):
        yield f"    {query}p{one} --> {query}p{other}"


def _numbers(placed: PlacedPart, units: UnitCosts) -> show.Notes:
    """Of each operator: its engine, λ in and out, u, and what is brought from one engine to the other."""
    found: dict[int, dict[str, Any]] = {}
    order = list(in_post_order(placed.root))
    at = dict(zip(map(id, order), placed.best.sites, strict=True))
    for operator in order:
        site = at[id(operator)]
        found[id(operator.node)] = {
            "engine": site.value,
            "rate in": sum(i.rate for i in operator.inputs),
            "rate out": operator.rate,
            "u": units.evaluation(operator, site),
            "transfer": sum(_transfer(i, at.get(id(i)), site, units) for i in operator.inputs),
        }
    return lambda node: found.get(id(node), {})


def _transfer(rows: Input, here: Site | None, there: Site, units: UnitCosts) -> float:
    if here is there:
        return 0.0
    if there is Site.SPARK:
        return units.into(rows)
    return units.out_of(rows) if isinstance(rows, Operator) else 0.0


def _notes(placed: PlacedPart, units: UnitCosts) -> show.Notes:
    numbers = _numbers(placed, units)

    def notes(node: Plan) -> Mapping[str, str]:
        found = numbers(node)
        if not found:
            return {}
        transfer = f", transfer {found['transfer']:.2g}" if found["transfer"] else ""
        sizes = f"λ {_amount(found['rate in'])} → {_amount(found['rate out'])}"
        return {found["engine"]: f"{sizes}, u {found['u']:.2g}{transfer}"}

    return notes


def _beaten(placed: PlacedPart) -> Iterator[str]:
    for other in placed.search.beaten:
        moved = ", ".join(f"{engine}: {'; '.join(names)}" for engine, names in _difference(placed, other).items())
        yield f"{other.cost} with {moved}"


def _difference(placed: PlacedPart, other: Placement) -> dict[str, list[str]]:
    """The operators that another placement has elsewhere, by where."""
    found: dict[str, list[str]] = {}
    for operator, here, there in zip(in_post_order(placed.root), placed.best.sites, other.sites, strict=True):
        if here is not there:
            found.setdefault(there.value, []).append(operator.kind.value)
    return found


def _cost_json(cost: Cost) -> dict[str, object]:
    return {"bottleneck": cost.bottleneck, "total": cost.total, "feasible": cost.is_feasible}


def _rates(plan: Physical) -> str:
    found = [f"{rate:,.0f} rows/s of {name}" for name, rate in sorted(plan.known.rates.items())]
    return ", ".join(found) or "1,000 rows/s of each stream, because nothing is declared"


def _often(firings: float) -> str:
    return f"{firings:.3g} × a second" if firings >= 1 else f"every {1 / firings:.3g} s"


def _amount(rows: float) -> str:
    return f"{rows:,.0f}" if rows >= 10 else f"{rows:.2g}"
