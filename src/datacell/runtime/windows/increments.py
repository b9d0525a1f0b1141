"""Evaluation by increments: relations are kept as rows come, boundaries are answered from what they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np

from datacell.algebra.positions import FOREVER, Positions
from datacell.engines.transfers import Account
from datacell.incremental.boundaries import Boundary
from datacell.incremental.plans import Incremental
from datacell.incremental.relations import name
from datacell.runtime.evaluation import Held, PreparedBatch
from datacell.runtime.plans.plans import Plans
from datacell.runtime.storage.firings import Answer
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Axis, Batch, Need
from datacell.runtime.streams.first_stage import Arrived, MadeOf, Wanted
from datacell.runtime.windows.answering import Answering
from datacell.runtime.windows.expiry import Expiry
from datacell.runtime.windows.ingestion import Ingestion
from datacell.runtime.windows.kept_relations import KeptRelations
from datacell.runtime.windows.leaves import Leaves
from datacell.runtime.windows.query_windows import QueryWindows
from datacell.runtime.windows.slicer import Slicer

ROWS_AT_ONCE = 50_000_000
"""On the cluster: rows, each counted at every boundary that shows it, beyond which jobs are better divided."""


class Increments:
    """A split query at work."""

    def __init__(
        self,
        described: Incremental,
        directory: Path,
        baskets: Mapping[str, Basket],
        plans: Plans,
        answer_directory: Callable[[], str],
    ) -> None:
        """`answer_directory` is where executors put the next answer, if that stays on the cluster."""
        self._answer_directory = answer_directory
        self.windows = QueryWindows.of(described.query)
        self.relations = KeptRelations(described, directory, baskets, plans)
        streams = dict.fromkeys(self.windows.streams)
        self.ingestions = {stream: self._ingestion(stream, baskets[stream], plans) for stream in streams}
        self._answering = Answering(described, plans)
        self.leaves = Leaves(described, self.relations, plans)
        self._expiry = Expiry(described, self.relations, self.leaves, plans)
        self._spent, self._answered = 0.0, 0
        """Seconds since the last batch came, and boundaries that were answered since."""
        self._expired = -FOREVER

    def prepare(self, stream: str, batch: Batch) -> PreparedBatch:
        return self.ingestions[stream].prepare(batch)

    def ingest(self, stream: str, batch: Batch, prepared: PreparedBatch) -> None:
        started = perf_counter()
        self.ingestions[stream].ingest(batch, prepared)
        self._spent = perf_counter() - started

    def wanted(self, stream: str, expected: float) -> Sequence[Wanted] | None:
        return self.ingestions[stream].wanted(expected)

    def ingest_made(self, stream: str, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> None:
        started = perf_counter()
        self.ingestions[stream].ingest_made(arrived, made, missed)
        self._spent = perf_counter() - started

    def positions(self, watermark: int, ended: bool) -> Sequence[Positions]:  # noqa: ARG002 - what has come tells
        if self.windows.axis is Axis.NUMBER:
            return [np.empty(0, dtype=np.int64) for _ in self.windows.streams]
        occupied = {stream: ingestion.occupied() for stream, ingestion in self.ingestions.items()}
        return [occupied[stream] for stream in self.windows.streams]

    def at_once(self) -> int:
        if not self.leaves.are_on_cluster():
            return FOREVER
        return max(1, ROWS_AT_ONCE // max(1, self.relations.size()))

    def answer(self, due: Sequence[Boundary]) -> Answer:
        started = perf_counter()
        for ingestion in self.ingestions.values():
            ingestion.flush()
        self.relations.update()
        answer: Answer
        if self.leaves.are_on_cluster():
            answer = self._answering.write(due, self.leaves, self._answer_directory())
        else:
            answer = self._answering.answer(due, self.leaves)
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
        self._expiry.run(boundary)
        if self._answered:
            for ingestion in self.ingestions.values():
                ingestion.chunking.answered(self._spent + perf_counter() - started, self._answered)
        self._answered = 0

    def transfers(self) -> list[tuple[str, Account]]:
        return [(name(number), slices.account) for number, slices in self.relations.slices.items()]

    def held(self) -> Held:
        chunks = max(ingestion.chunking.chunks for ingestion in self.ingestions.values())
        return Held(chunks, self.relations.size())

    def _ingestion(self, stream: str, basket: Basket, plans: Plans) -> Ingestion:
        slices = self.relations.slices
        mine = self.relations.of(stream)
        return Ingestion(basket, {n: (Slicer(n, kept, self.windows.axis, plans), slices[n]) for n, kept in mine})
