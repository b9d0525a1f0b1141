"""The plans of a query at work: which engines there are, how they are chosen, and what runs have shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import perf_counter

from datacell.algebra.plan import Plan
from datacell.engines.protocol import Engine
from datacell.errors import PlanError
from datacell.placement.costs import UnitCosts
from datacell.placement.enumeration import Sites
from datacell.placement.homes import Home
from datacell.placement.operators import Site
from datacell.placement.shapes import CALL_OVERHEAD_ROWS, LITTLE_ROWS, expanded
from datacell.placement.statistics import Statistics
from datacell.runtime.plans.memory import DriverMemory
from datacell.runtime.plans.observed import Observed
from datacell.runtime.plans.placements import Placements
from datacell.runtime.plans.policy import Alone, ByCost
from datacell.runtime.plans.prepared import PreparedPlan
from datacell.runtime.plans.table_versions import Rows

BEHIND = 0.95
"""The share of the time that a query works from which on it cannot keep up."""

ReadTable = Callable[[str], Rows]


def no_tables(name: str) -> Rows:
    raise KeyError(name)


class Plans:
    """All plans that one query runs, prepared once each.

    `fallback` is the engine that can do all; `tables` reads what plans name beside their inputs.
    """

    def __init__(
        self,
        query: str,
        engines: Mapping[Site, Engine],
        placements: Placements,
        fallback: Engine,
        tables: ReadTable = no_tables,
        memory: DriverMemory | None = None,
    ) -> None:
        self.query, self.engines, self.fallback, self.table = query, engines, fallback, tables
        self.placements = placements
        self.call_overhead_rows, self.little_rows = CALL_OVERHEAD_ROWS, LITTLE_ROWS
        self.memory = DriverMemory() if memory is None else memory
        self.reading: AbstractContextManager[object] = nullcontext()
        """Under it all tables are of one moment."""
        self.askers: Callable[[], int] = lambda: 1
        """How many queries with constants of their own these plans answer."""
        self._prepared: list[PreparedPlan] = []
        self._busy, self._since = 0.0, perf_counter()

    @classmethod
    def on(cls, engine: Engine, query: str = "query", tables: ReadTable = no_tables) -> Plans:
        """Everything on one engine."""
        site = Site(engine.name)
        return cls(query, {site: engine}, Placements(Alone(site)), engine, tables)

    @classmethod
    def placed(
        cls,
        query: str,
        engines: Mapping[Site, Engine],
        site: Site | None,
        tables: ReadTable,
        known: Statistics,
        units: UnitCosts,
        memory: DriverMemory | None = None,
    ) -> Plans:
        """Everything on one engine, or without a site every operator where it is cheapest."""
        fallback, room = engines[Site.SPARK], memory or DriverMemory()
        placements = Placements(ByCost() if site is None else Alone(site), known, units, room.limit)
        return cls(query, engines if site is None else {site: engines[site]}, placements, fallback, tables, room)

    @property
    def is_on_spark(self) -> bool:
        """Does some plan run on Spark at present?"""
        alone = len(self.engines) == 1 and self.has_cluster
        return alone or any(Site.SPARK in prepared.sites for prepared in self._prepared)

    @property
    def has_cluster(self) -> bool:
        """Is there an engine that runs plans where rows are on the cluster?"""
        return Site.SPARK in self.engines

    def prepare(self, name: str, plan: Plan, wanted: Home = Home.DRIVER) -> PreparedPlan:
        """The handle of a plan whose results are wanted at a home. Whoever runs the plan keeps it."""
        if any(name == other.name for other in self._prepared):
            raise PlanError(f"{self.query} has two plans called {name}")
        prepared = PreparedPlan(self, name, plan, wanted)
        self._prepared.append(prepared)
        return prepared

    def prepared(self) -> Iterator[PreparedPlan]:
        """All that were prepared, in order."""
        return iter(self._prepared)

    def tables(self, names: Iterable[str]) -> dict[str, Rows]:
        """Tables as they are at one moment."""
        with self.reading:
            return {name: self.table(name) for name in names}

    def usual_site(self, plan: Plan) -> Site:
        """Where a plan runs as long as nothing else is known."""
        if len(self.engines) == 1:
            return next(iter(self.engines))
        return Site.SPARK if self.engines[Site.DUCKDB].refusals(expanded(plan, Site.DUCKDB)) else Site.DUCKDB

    def observed(self) -> Iterator[Observed]:
        """All fragments so far, beside what they should cost."""
        for prepared in list(self._prepared):
            yield from prepared.observed()

    def sites(self) -> dict[str, Sites]:
        """Where every plan runs at present, by name."""
        return {prepared.name: prepared.sites for prepared in self._prepared if prepared.sites}

    def engine_names(self) -> str:
        """The engines at work."""
        sites = {one.site.value for one in self.observed()}
        return " + ".join(sorted(sites or {site.value for site in self.engines}))

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Time that the query works."""
        started = perf_counter()
        yield
        self._busy += perf_counter() - started

    def is_behind(self) -> bool:
        """Has the query worked nearly all of the time since this was last asked?"""
        behind = self._busy > BEHIND * (perf_counter() - self._since)
        self._busy, self._since = 0.0, perf_counter()
        return behind

    def corrected(self) -> UnitCosts:
        """The unit costs as this query's runs have shown them: each engine's by one factor."""
        spent, expected = dict.fromkeys(Site, 0.0), dict.fromkeys(Site, 0.0)
        for one in self.observed():
            if one.runs > 1 and not one.staged:
                spent[one.site] += one.milliseconds
                expected[one.site] += one.predicted
        return self.placements.units.times({s: spent[s] / expected[s] if expected[s] else 1.0 for s in Site})

    def close(self) -> None:
        self.placements.close()
