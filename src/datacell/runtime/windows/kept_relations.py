"""The relations that a split query keeps: slices of its streams, and pairs of two relations. Each has a number."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from datacell.algebra.schema import Schema
from datacell.engines.arrow import arrow_schema
from datacell.incremental.plans import Incremental
from datacell.incremental.relations import SLICE, Kept, Pairs, View, fields
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.basket import Basket
from datacell.runtime.windows.delta_join import DeltaJoin, KeptSide, NewRows, PairedSide
from datacell.runtime.windows.slices import Slices


class KeptRelations:
    """A relation of pairs comes after the two that it is made of."""

    def __init__(self, described: Incremental, directory: Path, baskets: Mapping[str, Basket], plans: Plans) -> None:
        numbered = list(enumerate(described.split.relations))
        self.described = [(number, relation) for number, relation in numbered if isinstance(relation, Kept)]
        self.slices = {
            number: Slices(
                directory / str(number),
                _schema(relation),
                baskets[relation.stream].last_batch,
                plans.memory,
                can_move=plans.has_cluster and described.split.in_driver(number) is None,
                account=baskets[relation.stream].account,
            )
            for number, relation in self.described
        }
        self.joins: dict[int, DeltaJoin] = {}
        for number, relation in numbered:
            if isinstance(relation, Pairs):
                left, right = self._side(relation.left), self._side(relation.right)
                compaction = described.compactions.get(number)
                self.joins[number] = DeltaJoin(number, relation, compaction, left, right, plans)

    def of(self, stream: str) -> list[tuple[int, Kept]]:
        """The relations that are slices of a stream."""
        return [(number, relation) for number, relation in self.described if relation.stream == stream]

    def least(self, column: str) -> int | None:
        """The least value of a column in all that is kept; None if there is none, or executors keep it."""
        having = [s for s in self.slices.values() if column in s.schema.names]
        tables = [chunk.table for slices in having for chunk in slices.chunks]
        found = [None if table is None else pc.min(table[column]).as_py() for table in tables]
        known = [value for value in found if value is not None]
        return min(known) if known and len(known) == len(found) else None

    def update(self) -> None:
        """Join what has come since the last time."""
        for join in self.joins.values():
            join.update()

    def size(self) -> int:
        """Rows that are held."""
        return sum(s.size() for s in self.slices.values()) + sum(len(j.rows) for j in self.joins.values())

    def _side(self, view: View) -> NewRows:
        if view.relation in self.slices:
            return KeptSide(view, self.slices[view.relation])
        return PairedSide(view, self.joins[view.relation])


def _schema(relation: Kept) -> pa.Schema:
    return arrow_schema(Schema((*relation.columns, *fields(SLICE))))
