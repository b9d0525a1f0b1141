"""The handle of a plan that is run again and again: made once, it has everything that was found out about the plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import isinf
from threading import RLock
from typing import TYPE_CHECKING

import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.plan import Plan, Slot
from datacell.algebra.tree import Key
from datacell.engines.transfers import Account
from datacell.errors import EngineError
from datacell.placement.costs import Work
from datacell.placement.enumeration import Sites, cost_of
from datacell.placement.fragments import Fragment, fragment, fragments
from datacell.placement.homes import Home
from datacell.placement.operators import Operator, Site, in_post_order
from datacell.placement.prediction import loads
from datacell.runtime.plans.observed import Observed
from datacell.runtime.plans.on_cluster import OnCluster
from datacell.runtime.plans.placed import PlacedPlan
from datacell.runtime.plans.sized import SizedOperators
from datacell.runtime.plans.sources import homes_of, rows_of
from datacell.runtime.plans.table_versions import Rows

if TYPE_CHECKING:
    from datacell.runtime.plans.plans import Plans

CLEARLY, IF_BEHIND = 1.5, 1.1
"""How many times more expensive than the best a placement must be to be left; less if the query cannot keep up."""

IN_THE_DRIVER: Mapping[Key, Home] = {}
"""The homes of sources that are not in the driver: there are none."""


class PreparedPlan:
    """A plan under the name that people read, and its placement. Called with its inputs, it answers.

    It is placed when it is first run, by the rows that it then reads. Every so often the placement is compared with the
    best there is by what was observed since. Nothing is kept in an engine, so to move is to run elsewhere next time.
    """

    def __init__(self, plans: Plans, name: str, plan: Plan, wanted: Home = Home.DRIVER) -> None:
        self.name, self.plan, self.wanted = name, plan, wanted
        self._plans = plans
        self._tables = tree.table_names(plan)
        self._slots = tree.slots(plan)
        self._projection = tree.projection(plan)
        self.operators = SizedOperators(plan, wanted, plans.engines, plans.placements)
        self.on_cluster = OnCluster(plans.query, name, plan, plans.engines.get(Site.SPARK), self.tables)
        self._lock = RLock()
        """Slices are made while answers are."""

    def __call__(self, inputs: Mapping[Key, pa.Table]) -> pa.Table:
        """A plan that only passes columns of its input on needs no engine, unless its input is on the cluster."""
        if self._projection is not None and not homes_of(inputs):
            (slot,) = self._slots
            return inputs[slot].select(list(self._projection.values())).rename_columns(list(self._projection))
        return self._run(inputs)

    def _run(self, inputs: Mapping[Key, pa.Table]) -> pa.Table:
        everything: dict[Key, Rows] = dict(inputs)
        everything.update(self._plans.tables(self._tables - inputs.keys()))
        homes = homes_of(everything)
        with self._lock, self._plans.busy():
            placed = self._placed or self.place({key: float(rows_of(s)) for key, s in everything.items()}, homes)
            try:
                answer = placed.run(everything)
            except EngineError as error:
                raise EngineError(f"{self._plans.query}, {self.name}: {error.message}", hint=error.hint) from error
        moved = placed.homes != homes
        placed.homes = homes
        if self._plans.placements.policy.looks_again and (moved or placed.is_due_for_a_look()):
            self._look(placed)
        return answer

    def is_for_cluster(self, rows: float) -> bool:
        """Is it cheaper to run it where Spark has its input, if that is about so many rows, than to transfer these?"""
        if not self._plans.has_cluster or len(self._plans.engines) == 1 or isinf(rows):
            return self._plans.has_cluster
        placements = self._plans.placements
        return Site.SPARK in self.operators.best_on_cluster(rows, placements.policy, placements.units)

    def accounts(self) -> Iterator[Account]:
        """What its runs have transferred."""
        if self._placed is not None:
            yield from (one.account for one in self._placed.fragments)
        yield self.on_cluster.account

    def tables(self) -> dict[str, pa.Table]:
        """What it reads beside its inputs."""
        return self._plans.tables(self._tables)

    @cached_property
    def _usual_site(self) -> Site:
        """Asked at every firing as long as the plan was not placed, so found out once."""
        return self._plans.usual_site(self.plan)

    @property
    def _placed(self) -> PlacedPlan | None:
        return self._plans.placements.placed.get(self.name)

    @property
    def sites(self) -> Sites:
        """Where its operators run; none until it is first run."""
        return () if self._placed is None else self._placed.sites

    @property
    def call_overhead_rows(self) -> int:
        """So many rows are about worth one call of it."""
        return max(self._plans.call_overhead_rows[site] for site in self.sites or (self._usual_site,))

    @property
    def little_rows(self) -> int:
        """So few rows are not worth a call that would save combining them again."""
        return max(self._plans.little_rows[site] for site in self.sites or (self._usual_site,))

    def slots(self, rows: Mapping[Key, float], homes: Mapping[Key, Home] = IN_THE_DRIVER) -> frozenset[Slot]:
        """What must be handed to it in the shape that it has, or gets when it reads so many rows."""
        return (self._placed or self.place(rows, homes)).slots

    def place(self, rows: Mapping[Key, float], homes: Mapping[Key, Home] = IN_THE_DRIVER) -> PlacedPlan:
        """Choose engines by the rows that are read, and by where they are."""
        root, placements = self.operators.of(rows, {}, homes), self._plans.placements
        if isinstance(root, Operator):
            sites = placements.policy.sites(root, placements.units)
            return self._put(sites, fragments(root, sites), homes)
        site = self._usual_site
        alone = fragment(0, site, self.plan, self.plan)
        return self._put((), (alone,), homes)

    def observed(self) -> Iterator[Observed]:
        """Its fragments so far, beside what they should cost."""
        yield from self.on_cluster.observed()
        placed = self._placed
        if placed is None:
            return
        predicted = loads(self.operators.observed(placed), placed.sites, self._plans.placements.units)
        for one, expected in zip(placed.fragments, predicted, strict=True):
            head, site = one.fragment.plan.head(), one.fragment.site
            seconds, rows = one.seconds, one.rows.value
            yield Observed(self.name, site, head, seconds.count, rows, seconds.value * 1000, expected * 1000)
            if one.fallback_seconds.count:
                instead, expected_there = one.fallback_seconds, self.operators.on_spark(placed, one.fragment)
                yield Observed(
                    self.name,
                    Site.SPARK,
                    head,
                    instead.count,
                    rows,
                    instead.value * 1000,
                    expected_there * 1000,
                    fallback=True,
                )

    def _look(self, placed: PlacedPlan) -> None:
        """Move if the present placement is clearly more expensive than the best, by what was observed."""
        placed.looked()
        root, behind = self.operators.observed(placed), self._plans.is_behind()
        if not isinstance(root, Operator):
            return
        units = self._plans.corrected()
        sites = self._plans.placements.policy.sites(root, units)
        now, then = (cost_of(root, s, units, Work.IN_TURNS).total for s in (placed.sites, sites))
        may_stay = all(site in o.sites for site, o in zip(placed.sites, in_post_order(root), strict=True))
        if now > then * (IF_BEHIND if behind else CLEARLY) or not may_stay:
            self._plans.placements.moves.append(f"{self.name}: {_shown(placed.sites)} → {_shown(sites)}")
            with self._lock:
                self._put(sites, fragments(root, sites), placed.homes)
                placed.close()

    def _put(self, sites: Sites, cut: Sequence[Fragment], homes: Mapping[Key, Home]) -> PlacedPlan:
        placed = PlacedPlan(sites, cut, self._plans.engines, self._plans.fallback, homes)
        self._plans.placements.placed[self.name] = placed
        return placed


def _shown(sites: Sites) -> str:
    """``duckdb``, or ``spark 3, duckdb 2`` of a mixed placement."""
    counts = {site: sites.count(site) for site in dict.fromkeys(sites)}
    if len(counts) == 1:
        return next(iter(counts)).value
    return ", ".join(f"{site.value} {count}" for site, count in counts.items())
