"""Answers row by row: every batch is answered when it comes, by itself."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from datacell.algebra.tree import Key
from datacell.compile.evaluation import RowByRow
from datacell.incremental.inputs import BasketRows
from datacell.runtime.evaluation import Fired, Held, PreparedBatch, Ready
from datacell.runtime.plans.plans import Plans
from datacell.runtime.storage.output import Output
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Axis, Batch, Need
from datacell.runtime.streams.stream import AnsweredWindow

BatchesSeen = Mapping[str, int]
"""The last batch of each stream that was answered."""


class AnswersRowByRow:
    """A query that keeps nothing but how far it has seen its streams."""

    def __init__(self, described: RowByRow, baskets: Mapping[str, Basket], plans: Plans, output: Output) -> None:
        self.strategy, self.baskets = described.strategy, baskets
        self._answer = plans.prepare(*next(described.named()))
        last = output.last
        self.seen: BatchesSeen = {} if last is None else dict(last.state["batches"])
        self._latest = None if last is None else last.rows

    def prepare(self, stream: str, batch: Batch) -> PreparedBatch:  # noqa: ARG002
        return {}

    def ingest(self, stream: str, batch: Batch, prepared: PreparedBatch) -> None:
        """The rows are answered when they are in the basket."""

    def is_due(self, ready: Ready) -> bool:  # noqa: ARG002 - rows are enough
        return any(basket.last_batch > self.seen.get(name, -1) for name, basket in self.baskets.items())

    def fire(self, ready: Ready) -> Fired | None:  # noqa: ARG002
        inputs: dict[Key, pa.Table] = {BasketRows(name): self._new(name) for name in self.baskets}
        seen = {name: basket.last_batch for name, basket in self.baskets.items()}
        if not any(map(len, inputs.values())):
            self.seen = seen
            return None
        answer = self._answer(inputs)
        return Fired(answer, answer, seen, {"batches": seen})

    def keep(self, fired: Fired) -> None:
        self.seen, self._latest = fired.state, fired.latest

    def oldest_needed(self, stream: str, coming: bool) -> list[Need]:  # noqa: ARG002
        return [(Axis.NUMBER, 0)] if coming else []

    def answered_windows(self, stream: str, watermark: int) -> list[AnsweredWindow] | None:  # noqa: ARG002
        return None

    def expire(self) -> None:
        """Baskets expire by themselves."""

    def held(self) -> Held | None:
        return None

    def latest(self) -> pa.Table | None:
        return self._latest

    def remark(self) -> str:
        return ""

    def _new(self, stream: str) -> pa.Table:
        basket = self.baskets[stream]
        new = [b.rows for b in basket.batches if b.number > self.seen.get(stream, -1)]
        return pa.concat_tables([basket.schema.empty_table(), *new])
