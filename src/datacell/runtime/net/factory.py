"""A factory: a query at work, by one name or several (`sharing`). It fires when its evaluation has something to answer.

That it puts into its output.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import pyarrow as pa

from datacell.algebra.positions import FOREVER, Positions
from datacell.compile import Compiled
from datacell.compile.evaluation import AtBoundaries, EveryInstant, RowByRow, Snapshots
from datacell.engines.transfers import Account
from datacell.errors import CheckpointError, EngineLostError, PlanError
from datacell.runtime.evaluation import Evaluation, Fired, PreparedBatch, Ready
from datacell.runtime.instants.every_instant import AnswersAtEveryInstant
from datacell.runtime.instants.snapshots import AnswersWhenSomethingChanges
from datacell.runtime.net.families import Family
from datacell.runtime.net.stopped import Stopped, lost_before, stopped
from datacell.runtime.plans.plans import Plans
from datacell.runtime.row_by_row import AnswersRowByRow
from datacell.runtime.storage.output import Output
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Axis, Batch, Need
from datacell.runtime.streams.first_stage import Arrived, MadeOf, Wanted
from datacell.runtime.streams.lateness import AnsweredWindow
from datacell.runtime.windows.at_boundaries import AnswersAtBoundaries

_LOG = logging.getLogger("datacell")


class Factory:
    """A transition of the net. `ready` says what it may count on, `remark` why it runs as it does.

    A failure is its own: it is `stopped`, fires no more and takes no rows; others do not notice. Only what nobody can
    do without, the checkpoint and the engines themselves, fails for all.
    """

    def __init__(
        self,
        name: str,
        compiled: Compiled,
        baskets: Mapping[str, Basket],
        plans: Plans,
        output: Output,
        ready: Ready,
        remark: str = "",
        family: Family | None = None,
    ) -> None:
        self.family = family
        """The members that it answers, if these are more than queries that ask the same."""
        self.name, self.compiled, self.baskets = name, compiled, baskets
        self.streams, self.tables = compiled.streams, compiled.tables
        self.plans, self.output, self.ready = plans, output, ready
        self.queries: dict[str, int] = {}
        """The queries that it answers, each from the firing of that number on."""
        self.evaluation: Evaluation = evaluation_of(compiled, baskets, plans, output)
        self.stopped: Stopped | None = lost_before(output.directory)
        self.answered = 0
        self.seconds = 0.0
        self._remark = remark

    @property
    def waits(self) -> bool:
        """Does a firing mostly wait, for jobs of Spark?"""
        return self.plans.is_on_spark

    @property
    def remark(self) -> str:
        """Why it runs as it does, and what it has decided since."""
        return "; ".join(filter(None, (self._remark, self.evaluation.remark())))

    def enabled(self) -> bool:
        with self.or_stop():
            return self.stopped is None and self.evaluation.is_due(self.ready)
        return False

    def fire(self) -> None:
        started = time.perf_counter()
        with self.or_stop():
            write(self, self.evaluation.fire(self.ready))
        self.seconds += time.perf_counter() - started

    def expire(self) -> None:
        """Let go of what no later answer needs."""
        if self.stopped is None:
            with self.or_stop():
                self.evaluation.expire()
                if self.family is not None:
                    self.family.expire(self.evaluation)

    @contextmanager
    def or_stop(self) -> Iterator[None]:
        """What goes wrong here stops this query, and nothing else."""
        try:
            yield
        except (CheckpointError, EngineLostError):
            raise
        except Exception as error:  # whatever it is, it is this query's
            place = self.compiled.logical.place
            self.stopped = stopped(known_as(self), error, self.baskets, place)
            _LOG.error("%s", self.stopped.error(known_as(self)))
            _LOG.debug("why %s has stopped", known_as(self), exc_info=error)

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
        if self.stopped is None and self.baskets[stream].comes_whole:
            with self.or_stop():
                return self.evaluation.prepare(stream, batch)
        return {}

    def ingest(self, stream: str, batch: Batch, prepared: PreparedBatch | None) -> None:
        if self.stopped is None:
            with self.or_stop():
                self.evaluation.ingest(stream, batch, prepared or {})

    def wanted(self, stream: str, expected: float) -> Sequence[Wanted] | None:
        """What it has not seen while it is stopped, it needs as it came."""
        if self.stopped is not None:
            return () if self.stopped.is_lost else None
        with self.or_stop():
            return self.evaluation.wanted(stream, expected)
        return None

    def ingest_made(self, stream: str, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> bool:
        if self.stopped is None:
            with self.or_stop():
                self.evaluation.ingest_made(stream, arrived, made, missed)
        return self.stopped is None or self.stopped.is_lost

    def answered_windows(self, stream: str) -> list[AnsweredWindow] | None:
        return self.evaluation.answered_windows(stream, self.ready().watermark)

    def answered_until(self, stream: str) -> int:
        answered = self.evaluation.answered_windows(stream, -FOREVER)
        return max((one.until for one in answered or ()), default=-FOREVER)

    def oldest_needed(self, stream: str, coming: bool = False) -> list[Need]:
        if self.stopped is not None:
            return [(Axis.NUMBER, row) for name, row in self.stopped.kept_from.items() if name == stream]
        return self.evaluation.oldest_needed(stream, coming)


def known_as(factory: Factory) -> str:
    """The name of a query that it answers, for messages."""
    return next(iter(factory.queries), factory.name)


def write(factory: Factory, fired: Fired | None) -> None:
    """Put what a firing gave into the output, and go on from there."""
    if fired is not None:
        factory.output.append(fired.rows, dict(fired.saved), fired.beside)
        factory.evaluation.keep(fired)
        factory.answered += fired.answered


def restart(factory: Factory, plans: Plans) -> None:
    """Let a factory that is stopped go on from what is saved, as after a crash."""
    factory.plans.close()
    factory.plans, factory.stopped = plans, None
    with factory.or_stop():
        factory.evaluation = evaluation_of(factory.compiled, factory.baskets, plans, factory.output)


def evaluation_of(compiled: Compiled, baskets: Mapping[str, Basket], plans: Plans, output: Output) -> Evaluation:
    """What was described, at work."""
    match compiled.evaluation:
        case RowByRow() as described:
            return AnswersRowByRow(described, baskets, plans, output)
        case AtBoundaries() as described:
            return AnswersAtBoundaries(described, baskets, plans, output)
        case EveryInstant() as described:
            return AnswersAtEveryInstant(described, baskets, plans, output)
        case Snapshots() as described:
            return AnswersWhenSomethingChanges(described, baskets, plans, output)
    raise PlanError("a query that is answered once needs no factory")
