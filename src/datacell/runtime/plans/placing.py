"""Placement at work: which engine runs what of a query, what that costs, and when to change it.

A plan is placed when it is first run, by the rows that it then reads. Runs are compared with what was predicted; every
so often the placement is looked at again with what was observed. Results of fragments are tables in the driver, and
what is kept is in no engine, so a query moves by running the next time elsewhere: there is nothing to carry over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from threading import RLock
from time import perf_counter
from typing import Protocol

import pyarrow as pa

from datacell.algebra.plan import Plan
from datacell.engines.protocol import Engine
from datacell.incremental import lift
from datacell.placement.costs import EngineCosts, UnitCosts, Work
from datacell.placement.enumeration import cost_of, decomposed
from datacell.placement.fragments import Fragment, fragments, operators
from datacell.placement.operators import Input, Operator, Site, in_post_order
from datacell.placement.parts import at_boundaries
from datacell.placement.prediction import loads
from datacell.placement.sizes import Sizes
from datacell.placement.statistics import Statistics
from datacell.placement.unit_costs import SHIPPED

LOOK_EVERY = 16
"""Runs of a plan before a look at its placement; while its input stays alike the next comes after twice as many."""

ALIKE = 2.0
"""Up to this factor of rows an input is what it was."""

CLEARLY, IF_BEHIND = 1.5, 1.1
"""How many times dearer than the best a placement must be to be left; less if the query cannot keep up."""

BEHIND = 0.95
"""The share of the time that a query works from which on it cannot keep up."""

_WEIGHT = 0.1


@dataclass
class Recent:
    """A mean of what was seen lately. The first value does not count: engines warm up."""

    value: float = 0.0
    count: int = 0

    def add(self, value: float) -> None:
        self.count += 1
        self.value = value if self.count <= 2 else self.value + _WEIGHT * (value - self.value)


class Policy(Protocol):
    """How engines are chosen."""

    looks_again: bool

    def sites(self, root: Operator, units: UnitCosts) -> tuple[Site, ...]: ...


@dataclass(frozen=True)
class Alone:
    """Everything on one engine."""

    site: Site
    looks_again = False

    def sites(self, root: Operator, units: UnitCosts) -> tuple[Site, ...]:  # noqa: ARG002 - whatever it costs
        return tuple(self.site for _ in in_post_order(root))


class ByCost:
    """The best plan there is; again and again."""

    looks_again = True

    def sites(self, root: Operator, units: UnitCosts) -> tuple[Site, ...]:
        return decomposed(root, units, Work.IN_TURNS).best.sites


@dataclass
class PlacedPlan:
    """A plan with its fragments, and what was observed of its tables and of each fragment."""

    plan: Plan
    sites: tuple[Site, ...]
    fragments: tuple[Fragment, ...]
    rows: dict[str, Recent] = field(default_factory=dict)
    seconds: list[Recent] = field(default_factory=list)
    made: list[Recent] = field(default_factory=list)
    runs: int = 0
    next_look: int = 0
    rows_then: float = 0.0
    """What it read when it was last looked at."""

    def __post_init__(self) -> None:
        self.seconds = [Recent() for _ in self.fragments]
        self.made = [Recent() for _ in self.fragments]

    def is_due(self) -> bool:
        """Is it time for another look? Looks cost, so they become rare while nothing changes."""
        if self.runs % LOOK_EVERY:
            return False
        ratio = (1 + self.rows_now()) / (1 + self.rows_then)
        return self.runs >= self.next_look or not 1 / ALIKE <= ratio <= ALIKE

    def looked(self) -> None:
        self.next_look, self.rows_then = 2 * self.runs, self.rows_now()

    def rows_now(self) -> float:
        return sum(rows.value for rows in self.rows.values())

    def ran(self, number: int, seconds: float, rows: int) -> None:
        self.seconds[number].add(seconds)
        self.made[number].add(rows)


@dataclass(frozen=True)
class Seen:
    """A fragment: what it runs and where, how often it ran, rows and milliseconds of a run, and what was predicted."""

    part: str
    site: Site
    operators: str
    runs: int
    rows: float
    observed: float
    predicted: float


class Placing:
    """The placements of a query's plans."""

    def __init__(
        self,
        engines: Mapping[Site, Engine],
        policy: Policy,
        known: Statistics | None = None,
        units: UnitCosts = SHIPPED,
    ) -> None:
        self.engines, self.policy, self.units = engines, policy, units
        self.known = known or Statistics()
        self.names: dict[int, str] = {}
        """What plans are called, by identity."""
        self.moves: list[str] = []
        self._placed: dict[int, PlacedPlan] = {}
        self._refused: dict[int, bool] = {}
        self._busy, self._since = 0.0, perf_counter()
        self._lock = RLock()
        """Slices are made beside what settles."""

    @classmethod
    def on(cls, engine: Engine, known: Statistics | None = None, units: UnitCosts = SHIPPED) -> Placing:
        """Everything on one engine."""
        site = Site(engine.name)
        return cls({site: engine}, Alone(site), known, units)

    @classmethod
    def between(cls, engines: Iterable[Engine], known: Statistics, units: UnitCosts) -> Placing:
        """Every operator where it is cheapest."""
        return cls({Site(engine.name): engine for engine in engines}, ByCost(), known, units)

    def of(self, plan: Plan, inputs: Mapping[str, pa.Table]) -> PlacedPlan:
        """The placement of a plan that is about to run."""
        with self._lock:
            found = self._placed.get(id(plan))
            if found is None:
                found = self._placed[id(plan)] = self._first(plan, inputs)
            for name, table in inputs.items():
                found.rows.setdefault(name, Recent()).add(len(table))
            return found

    def ran(self, placed: PlacedPlan, seconds: float) -> None:
        """A plan has run; now and then its placement is looked at again."""
        with self._lock:
            placed.runs += 1
            self._busy += seconds
            if self.policy.looks_again and placed.is_due():
                placed.looked()
                self._look(placed)

    def seen(self) -> Iterator[Seen]:
        """All fragments so far, beside what they should cost."""
        for placed in list(self._placed.values()):
            predicted = loads(self._root(placed), placed.sites, self.units)
            for number, fragment in enumerate(placed.fragments):
                yield Seen(
                    self.names.get(id(placed.plan), "merging"),
                    fragment.site,
                    fragment.plan.head(),
                    placed.runs,
                    placed.made[number].value,
                    placed.seconds[number].value * 1000,
                    predicted[number] * 1000,
                )

    def sites(self) -> dict[int, tuple[Site, ...]]:
        """Where every plan runs at present, by identity."""
        return {number: placed.sites for number, placed in self._placed.items()}

    def engine_names(self) -> str:
        """The engines at work."""
        sites = {f.site.value for placed in self._placed.values() for f in placed.fragments}
        return " + ".join(sorted(sites or {site.value for site in self.engines}))

    def _first(self, plan: Plan, inputs: Mapping[str, pa.Table]) -> PlacedPlan:
        root = self._operators(plan, {name: float(len(table)) for name, table in inputs.items()}, {})
        if not isinstance(root, Operator):
            return PlacedPlan(plan, (), (Fragment("answer′", next(iter(self.engines)), plan, plan),))
        sites = self.policy.sites(root, self.units)
        return PlacedPlan(plan, sites, fragments(root, sites))

    def _look(self, placed: PlacedPlan) -> None:
        """Move if the present placement is clearly dearer than the best, by what was observed of both engines."""
        root = self._root(placed)
        behind, self._busy, self._since = self._is_behind(), 0.0, perf_counter()
        if not isinstance(root, Operator):
            return
        units = self.corrected()
        sites = self.policy.sites(root, units)
        now = cost_of(root, placed.sites, units, Work.IN_TURNS).total
        then = cost_of(root, sites, units, Work.IN_TURNS).total
        if now > then * (IF_BEHIND if behind else CLEARLY):
            part = self.names.get(id(placed.plan), "merging")
            self.moves.append(f"{part}: {_shown(placed.sites)} → {_shown(sites)}")
            self._placed[id(placed.plan)] = PlacedPlan(placed.plan, sites, fragments(root, sites))

    def _is_behind(self) -> bool:
        return self._busy > BEHIND * (perf_counter() - self._since)

    def corrected(self) -> UnitCosts:
        """The unit costs as this query's runs have shown them: each engine's by one factor."""
        spent, expected = dict.fromkeys(Site, 0.0), dict.fromkeys(Site, 0.0)
        for one in self.seen():
            if one.runs > 1:
                spent[one.site] += one.observed
                expected[one.site] += one.predicted
        factors = {s: spent[s] / expected[s] if expected[s] else 1.0 for s in Site}
        return UnitCosts(
            {site: _times(costs, factors[site]) for site, costs in self.units.engines.items()},
            self.units.into_spark * factors[Site.SPARK],
            self.units.out_of_spark * factors[Site.SPARK],
        )

    def _root(self, placed: PlacedPlan) -> Input:
        """The operators of a plan with the sizes that were observed."""
        seen = {id(f.result): made.value for f, made in zip(placed.fragments, placed.made, strict=True)}
        return self._operators(placed.plan, {name: rows.value for name, rows in placed.rows.items()}, seen)

    def _operators(self, plan: Plan, rows: Mapping[str, float], seen: Mapping[int, float]) -> Input:
        due = at_boundaries(max(1.0, rows.get(lift.BOUNDARIES, 1.0)))
        known = replace(self.known.adding(rows, due), seen=seen)
        return operators(plan, Sizes(known), 1.0, self._refuses)

    def _refuses(self, node: Plan, alone: Plan) -> bool:
        """With one engine there is no choice, so nothing is asked; of an operator of a placed plan only once."""
        if len(self.engines) == 1:
            return False
        if id(node) not in self._refused:
            self._refused[id(node)] = bool(self.engines[Site.DUCKDB].refusals(alone))
        return self._refused[id(node)]


def _times(costs: EngineCosts, factor: float) -> EngineCosts:
    row = {kind: seconds * factor for kind, seconds in costs.row.items()}
    return EngineCosts(costs.firing * factor, costs.operator * factor, row, costs.pair * factor)


def _shown(sites: tuple[Site, ...]) -> str:
    """``duckdb``, or ``spark 3, duckdb 2`` of a mixed placement."""
    counts = {site: sites.count(site) for site in dict.fromkeys(sites)}
    if len(counts) == 1:
        return next(iter(counts)).value
    return ", ".join(f"{site.value} {count}" for site, count in counts.items())
