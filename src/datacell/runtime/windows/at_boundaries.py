"""Answers at boundaries, in time or at arrival numbers: all that are due at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import pyarrow as pa

from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.query import Emission, Query, Timing
from datacell.algebra.sessions import Sessions
from datacell.compile.evaluation import AtBoundaries
from datacell.engines.arrow import arrow_schema
from datacell.engines.protocol import Files
from datacell.engines.transfers import Account
from datacell.incremental import boundaries, lift
from datacell.incremental.boundaries import Boundary, Validities
from datacell.incremental.plans import Incremental, Reevaluated
from datacell.runtime.evaluation import Fired, Held, PreparedBatch, Ready
from datacell.runtime.plans.memory import row_bytes
from datacell.runtime.plans.plans import Plans
from datacell.runtime.storage.firings import Answer
from datacell.runtime.storage.output import Output, loaded
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Batch, Need
from datacell.runtime.streams.first_stage import Arrived, MadeOf, Wanted
from datacell.runtime.streams.lateness import AnsweredWindow
from datacell.runtime.windows import changes
from datacell.runtime.windows.increments import Increments
from datacell.runtime.windows.query_windows import QueryWindows
from datacell.runtime.windows.reevaluation import Reevaluation
from datacell.runtime.windows.sessions import SessionWindows

SMALL = 0.1
"""Of what the driver may hold: an answer that takes no more comes to the driver, whoever takes it."""

MOST_BOUNDARIES = 1024
"""In one firing: enough to make its fixed cost vanish, few enough to bound its memory."""


MOST_ANSWERS = 8 * MOST_BOUNDARIES
"""In one firing: boundaries, each counted for every query that it is answered for."""


@dataclass(frozen=True)
class Reached:
    """The last boundary that was answered, and how many of the last firing's rows belong to it.

    `previous` is the relation there, where changes are asked for.
    """

    boundary: int = -FOREVER
    tail: int = 0
    previous: pa.Table | None = None

    def saved(self) -> dict[str, int]:
        return {"boundary": self.boundary, "tail": self.tail}


class WindowStrategy(Protocol):
    """How windows are evaluated: again, or by increments."""

    def prepare(self, stream: str, batch: Batch) -> PreparedBatch: ...

    def ingest(self, stream: str, batch: Batch, prepared: PreparedBatch) -> None: ...

    def wanted(self, stream: str, expected: float) -> Sequence[Wanted] | None: ...

    def ingest_made(self, stream: str, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> None: ...

    def positions(self, watermark: int, ended: bool) -> Sequence[Positions | Validities]:
        """For each window, sorted positions that tell where its stream has rows, or when these are valid."""

    def at_once(self) -> int:
        """Boundaries that may be answered at once."""

    def answer(self, due: Sequence[Boundary]) -> Answer:
        """The rows of the answers, each with its boundary, in order."""

    def oldest_needed(self, stream: str, boundary: int) -> list[Need]:
        """What of the stream's raw rows is still needed after this boundary."""

    def expire(self, boundary: int) -> None:
        """Let go of what no boundary after this one needs."""

    def held(self) -> Held | None: ...

    def transfers(self) -> list[tuple[str, Account]]: ...


class AnswersAtBoundaries:
    """A query over windows with SLIDE, and how far it has come."""

    def __init__(self, described: AtBoundaries, baskets: Mapping[str, Basket], plans: Plans, output: Output) -> None:
        self.query: Query = described.query
        self.strategy, self.baskets = described.strategy, baskets
        self.windows = QueryWindows.of(self.query)
        self._output, self._memory, self._askers = output, plans.memory, plans.askers
        self.reached, self._latest = _recovered(output)
        self.windowing: WindowStrategy = _strategy(described, baskets, plans, output, lambda: self.reached.boundary)
        self._due: list[Boundary] = []

    def prepare(self, stream: str, batch: Batch) -> PreparedBatch:
        return self.windowing.prepare(stream, batch)

    def ingest(self, stream: str, batch: Batch, prepared: PreparedBatch) -> None:
        self.windowing.ingest(stream, batch, prepared)

    def wanted(self, stream: str, expected: float) -> Sequence[Wanted] | None:
        return self.windowing.wanted(stream, expected)

    def ingest_made(self, stream: str, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> None:
        self.windowing.ingest_made(stream, arrived, made, missed)

    def is_due(self, ready: Ready) -> bool:
        most = min(MOST_BOUNDARIES, max(1, MOST_ANSWERS // self._askers()), self.windowing.at_once())
        self._due = list(islice(self._wanted(ready), most))
        return bool(self._due)

    def fire(self, ready: Ready) -> Fired | None:  # noqa: ARG002 - it was asked when it became due
        evaluated = [b for b in self._due if not b.empty]
        schema, ends = arrow_schema(lift.answer_schema(self.query)), [b.end for b in self._due]
        found: Answer = self.windowing.answer(evaluated) if evaluated else schema.empty_table()
        if isinstance(found, Files):
            size = found.count * row_bytes(self._output.schema)
            if self.query.emission is Emission.RSTREAM and size > self._memory.limit * SMALL:
                return _fired(self._due, found, found, None)
            found = self._output.fetch(found, schema)
        if self.query.emission is Emission.RSTREAM and len(ends) == 1:
            only = changes.with_time(self.query, found, ends[0])
            return _fired(self._due, only, only, None)
        rows = changes.in_order(changes.with_boundary(self.query, found, evaluated))
        latest = changes.at(rows, ends[-1]).drop_columns([lift.BOUNDARY])
        if self.query.emission is Emission.RSTREAM:
            return _fired(self._due, rows.drop_columns([lift.BOUNDARY]), latest, None)
        return _fired(self._due, changes.changes(self.query, rows, ends, self.reached.previous), latest, latest)

    def keep(self, fired: Fired) -> None:
        self.reached, self._latest = fired.state, fired.latest

    def oldest_needed(self, stream: str, coming: bool) -> list[Need]:  # noqa: ARG002
        return self.windowing.oldest_needed(stream, self.reached.boundary)

    def answered_windows(self, stream: str, watermark: int) -> list[AnsweredWindow] | None:
        if self.query.timing is Timing.ARRIVALS:
            return None
        until, slides = max(watermark, self.reached.boundary), self.windows.slides
        return [AnsweredWindow(spec, until, slides) for spec in self.windows.over(stream)]  # type: ignore[arg-type]

    def transfers(self) -> list[tuple[str, Account]]:
        return self.windowing.transfers()

    def expire(self) -> None:
        if self.reached.boundary != -FOREVER:
            self.windowing.expire(self.reached.boundary)

    def held(self) -> Held | None:
        return self.windowing.held()

    def latest(self) -> pa.Table | None:
        if isinstance(self._latest, Files):
            rows = loaded(self._latest, arrow_schema(lift.answer_schema(self.query)), self._output.account)
            return changes.at(rows, self.reached.boundary).drop_columns([lift.BOUNDARY])
        return self._latest

    def remark(self) -> str:
        return ""

    def _wanted(self, ready: Ready) -> Iterator[Boundary]:
        """The boundaries that may be answered now, oldest first."""
        specs = self.windows.specs
        if self.query.timing is Timing.ARRIVALS:
            arrived = min(self.baskets[stream].progress.rows for stream in self.windows.streams)
            found = boundaries.due_in_rows(specs, arrived, max(self.reached.boundary, 0))
        else:
            now = ready()
            if isinstance(self.windowing, SessionWindows):
                return (b for b in self.windowing.due(now.watermark, now.ended) if b.end > self.reached.boundary)
            found = boundaries.due_in_time(
                specs,  # type: ignore[arg-type]
                self.windowing.positions(now.watermark, now.ended),
                self.reached.boundary,
                now.watermark,
                now.ended,
            )
        return (b for b in found if not b.empty or self.query.emission is not Emission.RSTREAM)


def _fired(due: Sequence[Boundary], rows: Answer, latest: Answer, previous: pa.Table | None) -> Fired:
    tail = 0 if isinstance(latest, Files) else len(latest)
    reached = Reached(due[-1].end, tail, previous)
    return Fired(rows, latest, reached, reached.saved(), len(due), previous)


def _strategy(
    described: AtBoundaries,
    baskets: Mapping[str, Basket],
    plans: Plans,
    output: Output,
    answered: Callable[[], int],
) -> Reevaluation | Increments | SessionWindows:
    match described.plans:
        case Incremental() as incremental:
            directory = output.directory / "slices"
            return Increments(incremental, directory, baskets, plans, lambda: output.directory_of_next)
        case Reevaluated(sessions=Sessions()) as reevaluated:
            return SessionWindows(reevaluated, baskets, plans, output.directory / "made", answered)
        case reevaluated:
            return Reevaluation(reevaluated, baskets, plans, output.directory / "made", answered)


def _recovered(output: Output) -> tuple[Reached, Answer | None]:
    """Where the query was when it last fired, and the latest answer."""
    if output.last is None:
        return Reached(), None
    boundary, tail = output.last.state["boundary"], output.last.state["tail"]
    previous = output.latest()
    if previous is not None:
        return Reached(boundary, tail, previous), previous
    rows = output.last.content
    if isinstance(rows, Files):
        return Reached(boundary, tail), rows
    return Reached(boundary, tail), rows.slice(len(rows) - tail)
