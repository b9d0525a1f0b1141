"""Answers at every instant of a query that is answered as it is written: again whenever something changes.

Between two neighbouring instants at which a row begins or ceases to be valid the snapshots are the same, so the answer
of the first is valid until the second. It is final once the watermark has passed the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise

import numpy as np
import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.query import TIME_COLUMNS
from datacell.algebra.tree import Key
from datacell.algebra.window import Now, WindowSpec
from datacell.compile.evaluation import Snapshots
from datacell.engines.arrow import arrow_type
from datacell.engines.transfers import Account
from datacell.incremental.boundaries import shown_in_time
from datacell.incremental.inputs import WindowRows
from datacell.incremental.lift import POSITION
from datacell.intervals.validity import oldest_valid, valid_to
from datacell.runtime.evaluation import Fired, Held, PreparedBatch, Ready
from datacell.runtime.plans.plans import Plans
from datacell.runtime.storage.output import Output
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Axis, Batch, Need
from datacell.runtime.streams.first_stage import Arrived, MadeOf, Wanted
from datacell.runtime.streams.lateness import AnsweredWindow

MOST = 16
"""Answers in one firing."""


class AnswersWhenSomethingChanges:
    """Keeps nothing but how far it has come; the baskets have the rows."""

    def __init__(self, described: Snapshots, baskets: Mapping[str, Basket], plans: Plans, output: Output) -> None:
        self.strategy, self.baskets, self.query = described.strategy, baskets, described.query
        found = tree.windows(self.query.plan)
        self.windows = [(w.window, tree.stream_of(w)) for w in found]
        self._answer = plans.prepare(*next(described.named()))
        self._schema = output.schema
        self._now = -FOREVER if output.last is None else int(output.last.state["now"])
        self._latest = None if output.last is None else output.last.rows
        self._due: list[tuple[int, int]] = []

    def prepare(self, stream: str, batch: Batch) -> PreparedBatch:  # noqa: ARG002
        return {}

    def ingest(self, stream: str, batch: Batch, prepared: PreparedBatch) -> None:
        """The rows are needed as they are."""

    def wanted(self, stream: str, expected: float) -> Sequence[Wanted] | None:  # noqa: ARG002
        return None

    def ingest_made(self, stream: str, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> None:
        """Nothing was wanted."""

    def is_due(self, ready: Ready) -> bool:
        now = ready()
        until = FOREVER if now.ended else now.watermark
        self._due = list(islice(_stretches(self.windows, self.baskets, self._now, until), MOST))
        return bool(self._due)

    def fire(self, ready: Ready) -> Fired | None:  # noqa: ARG002 - it was asked when it became due
        rows = pa.concat_tables([self._snapshot(since, until) for since, until in self._due])
        until = self._due[-1][1]
        return Fired(rows, rows, until, {"now": until}, len(self._due))

    def keep(self, fired: Fired) -> None:
        self._now, self._latest = fired.state, fired.rows

    def oldest_needed(self, stream: str, coming: bool) -> list[Need]:  # noqa: ARG002
        return [(Axis.TIME, oldest_valid(spec, self._now)) for spec, name in self.windows if name == stream]

    def answered_windows(self, stream: str, watermark: int) -> list[AnsweredWindow] | None:
        """A row comes too late once the instant at which it begins has been answered."""
        return [AnsweredWindow(Now(), max(watermark, self._now)) for _, name in self.windows if name == stream]

    def transfers(self) -> list[tuple[str, Account]]:
        return []

    def expire(self) -> None:
        """Baskets expire by themselves."""

    def held(self) -> Held | None:
        return None

    def latest(self) -> pa.Table | None:
        return self._latest

    def remark(self) -> str:
        return ""

    def _snapshot(self, since: int, until: int) -> pa.Table:
        inputs: dict[Key, pa.Table] = {}
        for index, (spec, stream) in enumerate(self.windows):
            start, stop = shown_in_time(spec, since + 1)  # type: ignore[arg-type]
            inputs[WindowRows(index)] = self.baskets[stream].between(Axis.TIME, start, stop, POSITION)
        rows = self._answer(inputs)
        for number, (field, at) in enumerate(zip(TIME_COLUMNS[self.query.timing], (since, until), strict=True)):
            value = pa.scalar(None if at >= FOREVER else at, pa.int64()).cast(arrow_type(field.type))
            rows = rows.add_column(number, field.name, pa.repeat(value, len(rows)))
        return rows.select(self._schema.names).cast(self._schema)


def _stretches(
    windows: Sequence[tuple[WindowSpec, str]], baskets: Mapping[str, Basket], since: int, until: int
) -> Iterator[tuple[int, int]]:
    """The stretches of time between two instants in which nothing changes and some window shows something."""
    times = [baskets[stream].times() for _, stream in windows]
    ends = [valid_to(spec, t) for (spec, _), t in zip(windows, times, strict=True)]
    instants = np.unique(np.concatenate([*times, *ends]))
    for start, stop in pairwise(map(int, instants[(instants >= since) & (instants <= until)])):
        if any(((t <= start) & (start < e)).any() for t, e in zip(times, ends, strict=True)):
            yield start, stop
