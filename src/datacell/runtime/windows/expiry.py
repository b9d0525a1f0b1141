"""Expiry: what no later boundary shows leaves the relations that are kept, and what is left may become fewer rows."""

from __future__ import annotations

from datacell.algebra import tree
from datacell.algebra.positions import FOREVER
from datacell.algebra.query import Timing
from datacell.incremental import boundaries
from datacell.incremental.plans import Incremental
from datacell.runtime.plans.plans import Plans
from datacell.runtime.windows.compaction import Compaction
from datacell.runtime.windows.kept_relations import KeptRelations
from datacell.runtime.windows.leaves import Leaves


class Expiry:
    """Of all relations of a query."""

    def __init__(self, described: Incremental, relations: KeptRelations, leaves: Leaves, plans: Plans) -> None:
        self.relations = relations
        self._windows = [(tree.stream_of(w), w.window) for w in tree.windows(described.query.plan)]
        self._first = 0 if described.query.timing is Timing.ARRIVALS else -FOREVER
        self._compactions = {
            number: Compaction(number, described, slices, leaves.over(slices), plans)
            for number, slices in relations.slices.items()
            if number in described.compactions
        }

    def run(self, boundary: int) -> None:
        """Let go of what no boundary after this one needs."""
        for number, relation in self.relations.described:
            oldest = self._oldest_needed(relation.stream, boundary)
            self.relations.slices[number].expire(oldest)
            if number in self._compactions:
                self._compactions[number].run(boundary, oldest)
        for join in self.relations.joins.values():
            join.expire(boundary)

    def _oldest_needed(self, stream: str, boundary: int) -> int:
        specs = [window for name, window in self._windows if name == stream]
        return min(boundaries.oldest_needed(window, max(boundary, self._first)) for window in specs)
