"""The operators of a plan with the sizes that its runs have, or are expected to have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import log2

from datacell.algebra import tree
from datacell.algebra.plan import Plan
from datacell.algebra.tree import Key
from datacell.engines.protocol import Engine
from datacell.incremental.inputs import BOUNDARIES
from datacell.placement.costs import UnitCosts
from datacell.placement.enumeration import Sites
from datacell.placement.fragments import Fragment, delivered, operators
from datacell.placement.homes import Home
from datacell.placement.operators import Input, Operator, Site, in_post_order
from datacell.placement.parts import at_boundaries
from datacell.placement.prediction import loads
from datacell.placement.sizes import Sizes
from datacell.runtime.plans.placed import PlacedPlan
from datacell.runtime.plans.placements import Placements
from datacell.runtime.plans.policy import Policy


class SizedOperators:
    """Of a plan whose result is wanted at a home."""

    def __init__(self, plan: Plan, wanted: Home, engines: Mapping[Site, Engine], placements: Placements) -> None:
        self.plan, self.wanted, self._engines, self._placements = plan, wanted, engines, placements
        self._may_run: dict[int, bool] = {}
        """For each operator, numbered as they are met, whether DuckDB may run it."""
        self._best: dict[tuple[int, float | None], Sites] = {}
        """The best placements on the cluster that were found, by about how many rows are read and made."""
        self._made_of_a_row: float | None = None
        """Rows made of each row that was read; None as long as nobody has told."""

    def learn(self, read: int, made: int) -> None:
        """So many rows were made of so many, wherever that was."""
        self._made_of_a_row = made / max(1, read)

    def of(self, rows: Mapping[Key, float], seen: Mapping[int, float], homes: Mapping[Key, Home]) -> Input:
        """By the rows of its inputs, what operators were seen to give, and where inputs are."""
        placements = self._placements
        due = at_boundaries(max(1.0, rows.get(BOUNDARIES, 1.0)))
        sizes = Sizes(replace(placements.known.adding(rows, due), seen=seen))
        numbers = iter(range(1 << 30))

        def refuses(_: Plan, alone: Plan) -> bool:
            return self._refuses(next(numbers), alone)

        root = operators(self.plan, sizes, 1.0, refuses, homes, placements.driver_memory)
        return delivered(root, self.wanted, placements.driver_memory) if isinstance(root, Operator) else root

    def observed(self, placed: PlacedPlan) -> Input:
        """With the sizes that were observed."""
        seen = {id(one.fragment.result): one.rows.value for one in placed.fragments}
        return self.of({key: rows.value for key, rows in placed.rows.items()}, seen, placed.homes)

    def on_spark(self, placed: PlacedPlan, fragment: Fragment) -> float:
        """What a fragment should cost on Spark."""
        rows = {key: rows.value for key, rows in placed.rows.items()}
        rows |= {one.fragment.slot: one.rows.value for one in placed.fragments}
        sizes = Sizes(self._placements.known.adding(rows))
        root = operators(fragment.plan, sizes, 1.0, lambda _node, _alone: False, placed.homes)
        return sum(loads(root, [Site.SPARK for _ in in_post_order(root)], self._placements.units))

    def best_on_cluster(self, rows: float, policy: Policy, units: UnitCosts) -> Sites:
        """The best placement if its inputs are on the cluster, about so many rows each."""
        about = round(log2(max(rows, 1.0)) * 4), self._made_of_a_row and round(log2(self._made_of_a_row) * 4)
        if about not in self._best:
            self._best[about] = self._search_on_cluster(rows, policy, units)
        return self._best[about]

    def _search_on_cluster(self, rows: float, policy: Policy, units: UnitCosts) -> Sites:
        slots: list[Key] = list(tree.slots(self.plan))
        made = {} if self._made_of_a_row is None else {id(self.plan): rows * self._made_of_a_row}
        root = self.of(dict.fromkeys(slots, max(rows, 1.0)), made, dict.fromkeys(slots, Home.CLUSTER))
        return policy.sites(root, units) if isinstance(root, Operator) else ()

    def _refuses(self, number: int, alone: Plan) -> bool:
        """With one engine there is no choice, so nothing is asked; of an operator only once."""
        if len(self._engines) == 1:
            return False
        if number not in self._may_run:
            self._may_run[number] = not self._engines[Site.DUCKDB].refusals(alone)
        return not self._may_run[number]
