"""Expiry: what no later boundary shows leaves the relations that are kept, and what is left may become fewer rows."""

from __future__ import annotations

from datacell.incremental.plans import Incremental
from datacell.runtime.plans.plans import Plans
from datacell.runtime.windows.compaction import Compaction
from datacell.runtime.windows.kept_relations import KeptRelations
from datacell.runtime.windows.leaves import Leaves
from datacell.runtime.windows.query_windows import QueryWindows


class Expiry:
    """Of all relations of a query."""

    def __init__(self, described: Incremental, relations: KeptRelations, leaves: Leaves, plans: Plans) -> None:
        self.relations, self._windows = relations, QueryWindows.of(described.query)
        self._compactions = {
            number: Compaction(number, described, slices, leaves.over(slices), plans)
            for number, slices in relations.slices.items()
            if number in described.compactions
        }

    def run(self, boundary: int) -> None:
        """Let go of what no boundary after this one needs."""
        for number, relation in self.relations.described:
            oldest = self._windows.oldest_needed(relation.stream, boundary)
            assert oldest is not None
            self.relations.slices[number].expire(oldest)
            if number in self._compactions:
                self._compactions[number].run(boundary, oldest)
        for join in self.relations.joins.values():
            join.expire(boundary)
