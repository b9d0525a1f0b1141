"""Evaluation by increments: relations are kept as rows come, boundaries are answered from what they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.query import TIME_COLUMNS, Timing
from datacell.algebra.schema import Schema
from datacell.algebra.tree import Key
from datacell.engines.arrow import arrow_schema
from datacell.incremental import boundaries, lift
from datacell.incremental.boundaries import FOREVER, Boundary, Positions
from datacell.incremental.inputs import BOUNDARIES
from datacell.incremental.plans import Incremental
from datacell.incremental.relations import SLICE, Kept, Pairs, View, fields
from datacell.runtime.evaluation import Held, Prepared
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Axis, Batch, Need
from datacell.runtime.windows.compaction import Compaction
from datacell.runtime.windows.delta_join import DeltaJoin, KeptSide, PairedSide, Side
from datacell.runtime.windows.ingestion import Ingestion
from datacell.runtime.windows.leaves import Leaves
from datacell.runtime.windows.slicer import Slicer
from datacell.runtime.windows.slices import Slices


class Increments:
    """The relations of a split query at work."""

    def __init__(self, described: Incremental, directory: Path, baskets: Mapping[str, Basket], plans: Plans) -> None:
        query, self.split = described.query, described.split
        self.windows = tree.windows(query.plan)
        self.streams = [tree.stream_of(w) for w in self.windows]
        self.by_rows = query.timing is Timing.ARRIVALS
        (time,) = TIME_COLUMNS[query.timing]
        self._instants = arrow_schema(lift.instants_schema(time.type))
        self.kept = {
            number: Slices(directory / str(number), _schema(relation), baskets[relation.stream].last_batch)
            for number, relation in self._kept_relations()
        }
        self.joins: dict[int, DeltaJoin] = {}
        for number, relation in enumerate(self.split.relations):
            if isinstance(relation, Pairs):
                self.joins[number] = self._join(number, relation, described, plans)
        self.ingestions = {stream: self._ingestion(stream, baskets[stream], plans) for stream in set(self.streams)}
        self._one, self._many = (plans.prepare(*named) for named in described.answer.named())
        self.leaves = Leaves(described, self.kept, self.joins, plans)
        self.compactions = {
            number: Compaction(number, described, slices, self.leaves.over(slices), plans)
            for number, slices in self.kept.items()
            if number in described.compactions
        }
        self._asks_when = BOUNDARIES in tree.slots(described.answer.one)
        """Does it matter which boundary it is, when there is only one?"""
        self._spent, self._answered = 0.0, 0
        """Seconds since the last batch came, and boundaries that were answered since."""
        self._expired = -FOREVER

    def prepare(self, stream: str, batch: Batch) -> Prepared:
        return self.ingestions[stream].prepare(batch)

    def ingest(self, stream: str, batch: Batch, prepared: Prepared) -> None:
        started = perf_counter()
        self.ingestions[stream].ingest(batch, prepared)
        self._spent = perf_counter() - started

    def positions(self) -> list[Positions]:
        if self.by_rows:
            return [np.empty(0, dtype=np.int64) for _ in self.windows]
        occupied = {stream: ingestion.occupied() for stream, ingestion in self.ingestions.items()}
        return [occupied[stream] for stream in self.streams]

    def answer(self, due: Sequence[Boundary]) -> pa.Table:
        started = perf_counter()
        for ingestion in self.ingestions.values():
            ingestion.flush()
        for join in self.joins.values():
            join.update()
        answer = self._answered_one(due[0]) if len(due) == 1 else self._answered_many(due)
        self.leaves.wait()
        self._spent += perf_counter() - started
        self._answered += len(due)
        return answer

    def oldest_needed(self, stream: str, boundary: int) -> list[Need]:  # noqa: ARG002
        """Of raw rows only those that wait to be ingested."""
        return [(Axis.NUMBER, self.ingestions[stream].next_row())]

    def expire(self, boundary: int) -> None:
        if boundary == self._expired:
            return
        started = perf_counter()
        self._expired = boundary
        for number, relation in self._kept_relations():
            self._expire(number, relation, boundary)
        for join in self.joins.values():
            join.expire(boundary)
        if self._answered:
            for ingestion in self.ingestions.values():
                ingestion.chunking.answered(self._spent + perf_counter() - started, self._answered)
        self._answered = 0

    def held(self) -> Held:
        chunks = max(ingestion.chunking.chunks for ingestion in self.ingestions.values())
        return Held(chunks, sum(k.size() for k in self.kept.values()) + sum(len(j.rows) for j in self.joins.values()))

    def _answered_one(self, due: Boundary) -> pa.Table:
        inputs = self.leaves.at_one(due)
        return self._one({BOUNDARIES: self._boundaries([due]), **inputs} if self._asks_when else inputs)

    def _answered_many(self, due: Sequence[Boundary]) -> pa.Table:
        inputs: dict[Key, pa.Table] = {BOUNDARIES: self._boundaries(due)}
        return self._many(inputs | self.leaves.at_many(due, self._many))

    def _boundaries(self, due: Sequence[Boundary]) -> pa.Table:
        ends = [b.end for b in due]
        return pa.table([pa.array(ends, field.type) for field in self._instants], schema=self._instants)

    def _expire(self, number: int, relation: Kept, boundary: int) -> None:
        first = 0 if self.by_rows else -FOREVER
        windows = [w.window for w, s in zip(self.windows, self.streams, strict=True) if s == relation.stream]
        oldest = min(boundaries.oldest_needed(w, max(boundary, first)) for w in windows)
        self.kept[number].expire(oldest)
        if number in self.compactions:
            self.compactions[number].run(boundary, oldest)

    def _kept_relations(self) -> list[tuple[int, Kept]]:
        return [(n, r) for n, r in enumerate(self.split.relations) if isinstance(r, Kept)]

    def _ingestion(self, stream: str, basket: Basket, plans: Plans) -> Ingestion:
        axis = Axis.NUMBER if self.by_rows else Axis.TIME
        mine = [(n, r) for n, r in self._kept_relations() if r.stream == stream]
        return Ingestion(basket, {n: (Slicer(n, r, axis, plans), self.kept[n]) for n, r in mine})

    def _join(self, number: int, relation: Pairs, described: Incremental, plans: Plans) -> DeltaJoin:
        left, right = self._side(relation.left), self._side(relation.right)
        return DeltaJoin(number, relation, described.compactions.get(number), left, right, plans)

    def _side(self, view: View) -> Side:
        if view.relation in self.kept:
            return KeptSide(view, self.kept[view.relation])
        return PairedSide(view, self.joins[view.relation])


def _schema(relation: Kept) -> pa.Schema:
    return arrow_schema(Schema((*relation.columns, *fields(SLICE))))
