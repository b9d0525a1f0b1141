"""A factory: a query at work. It fires when its evaluation has something to answer, and puts that into its output."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from datacell.algebra.positions import Positions
from datacell.compile import Compiled
from datacell.compile.evaluation import AtBoundaries, EveryInstant, RowByRow
from datacell.engines.transfers import Account
from datacell.errors import PlanError
from datacell.runtime.evaluation import Evaluation, PreparedBatch, Ready
from datacell.runtime.instants.every_instant import AnswersAtEveryInstant
from datacell.runtime.plans.plans import Plans
from datacell.runtime.row_by_row import AnswersRowByRow
from datacell.runtime.storage.output import Output
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Batch, Need
from datacell.runtime.streams.first_stage import Arrived, MadeOf, Wanted
from datacell.runtime.streams.stream import AnsweredWindow
from datacell.runtime.windows.at_boundaries import AnswersAtBoundaries


class Factory:
    """A transition of the net. `ready` says what it may count on, `remark` why it runs as it does."""

    def __init__(
        self,
        name: str,
        compiled: Compiled,
        evaluation: Evaluation,
        plans: Plans,
        output: Output,
        ready: Ready,
        remark: str = "",
    ) -> None:
        self.name, self.compiled, self.evaluation = name, compiled, evaluation
        self.plans, self.output, self.ready = plans, output, ready
        self.answered = 0
        self.seconds = 0.0
        self._remark = remark

    @property
    def streams(self) -> list[str]:
        return self.compiled.streams

    @property
    def waits(self) -> bool:
        """Does a firing mostly wait, for jobs of Spark?"""
        return self.plans.is_on_spark

    @property
    def remark(self) -> str:
        """Why it runs as it does, and what it has decided since."""
        return "; ".join(filter(None, (self._remark, self.evaluation.remark())))

    def enabled(self) -> bool:
        return self.evaluation.is_due(self.ready)

    def fire(self) -> None:
        started = time.perf_counter()
        fired = self.evaluation.fire(self.ready)
        if fired is not None:
            self.output.append(fired.rows, dict(fired.saved), fired.beside)
            self.evaluation.keep(fired)
            self.answered += fired.answered
        self.seconds += time.perf_counter() - started

    def latest(self) -> pa.Table:
        """The latest answer."""
        found = self.evaluation.latest()
        return self.output.schema.empty_table() if found is None else found

    def transfers(self) -> Iterator[tuple[str, Account]]:
        """All that was transferred for the query, by part."""
        yield from self.evaluation.transfers()
        for prepared in self.plans.prepared():
            yield from ((prepared.name, account) for account in prepared.accounts())
        yield "output", self.output.account

    # What a stream asks of its readers

    def prepare(self, stream: str, batch: Batch) -> PreparedBatch:
        return self.evaluation.prepare(stream, batch)

    def ingest(self, stream: str, batch: Batch, prepared: PreparedBatch | None) -> None:
        self.evaluation.ingest(stream, batch, prepared or {})

    def wanted(self, stream: str, expected: float) -> Sequence[Wanted] | None:
        return self.evaluation.wanted(stream, expected)

    def ingest_made(self, stream: str, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> None:
        self.evaluation.ingest_made(stream, arrived, made, missed)

    def answered_windows(self, stream: str) -> list[AnsweredWindow] | None:
        return self.evaluation.answered_windows(stream, self.ready().watermark)

    def oldest_needed(self, stream: str, coming: bool = False) -> list[Need]:
        return self.evaluation.oldest_needed(stream, coming)


def evaluation_of(compiled: Compiled, baskets: Mapping[str, Basket], plans: Plans, output: Output) -> Evaluation:
    """What was described, at work."""
    match compiled.evaluation:
        case RowByRow() as described:
            return AnswersRowByRow(described, baskets, plans, output)
        case AtBoundaries() as described:
            return AnswersAtBoundaries(described, baskets, plans, output)
        case EveryInstant() as described:
            return AnswersAtEveryInstant(described, baskets, plans, output)
    raise PlanError("a query that is answered once needs no factory")
