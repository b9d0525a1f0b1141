"""A net without Spark around it: rows are deposited batch by batch, as a receptor would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

from datacell.algebra.query import Query, Timing
from datacell.algebra.schema import Schema
from datacell.engines.arrow import arrow_schema
from datacell.engines.protocol import Engine
from datacell.incremental.strategy import Strategy
from datacell.runtime.instants.cut_points import CutPoint
from datacell.runtime.instants.every_instant import AnswersAtEveryInstant
from datacell.runtime.instants.running_program import RunningProgram
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.gate import NOTHING_REJECTED
from datacell.runtime.streams.stream import RunningStream
from datacell.sql.catalog import Catalog
from datacell.testing import HandClock, Trial
from reference import Answer, Reference
from sample import DATA, Values, bind, catalog, engine, reference
from window_laws import FOREVER, Feed, hashable, micros

Validity = tuple[int, int, tuple[Any, ...]]
"""A row of an answer at every instant: from when until when it is valid, and its values."""

Rows = Sequence[Mapping[str, Any]]
Cuts = Mapping[str, Sequence[int]]
"""For each stream, how many rows come in each batch."""


class NetRun:
    """One query over the streams of a catalog, in a directory, with the judge's data."""

    def __init__(
        self,
        directory: Path,
        catalog: Catalog,
        judge: Reference,
        engine: Engine,
        query: Query,
        incremental: bool = False,
        plans: Plans | None = None,
    ) -> None:
        self.judge, self.catalog = judge, catalog
        strategy = Strategy.INCREMENTAL if incremental else Strategy.REEVALUATE
        self.trial = Trial(directory=directory, tables=judge.tables, engine=engine, strategy=strategy)
        for stream in catalog.streams.values():
            self.trial.add_stream(stream)
        self.factory = self.trial.add_query("q", query, plans)
        self.scheduler, self.output = self.trial.scheduler, self.factory.output
        self.query = self.factory.compiled.optimized

    @property
    def clock(self) -> HandClock:
        return self.trial.hand_clock

    @property
    def streams(self) -> dict[str, RunningStream]:
        return self.scheduler.members.streams

    @property
    def program(self) -> RunningProgram:
        """Of a query at every instant."""
        assert isinstance(self.factory.evaluation, AnswersAtEveryInstant)
        return self.factory.evaluation.program

    def deposit(self, stream: str, number: int, rows: Rows) -> None:
        fields = Schema(self.catalog.streams[stream].fields)
        table = pa.Table.from_pylist(list(map(dict, rows)), schema=arrow_schema(fields))
        self.scheduler.hand_over(stream, number, table, NOTHING_REJECTED)
        self.scheduler.check()

    def run(self, cuts: Cuts) -> list[Answer]:
        """Deposit everything, batches of the streams in turn, then end the input."""
        self.deposit_all(cuts)
        self.scheduler.drain()
        return self.answers()

    def deposit_all(self, cuts: Cuts) -> None:
        for batch in self.batches(cuts):
            self.deposit(*batch)

    def batches(self, cuts: Cuts) -> Iterator[tuple[str, int, Rows]]:
        """The batches of the streams in turn."""
        batches = {name: _cut(self.judge.feeds[name], sizes) for name, sizes in cuts.items()}
        for number in range(max(map(len, batches.values()), default=0)):
            for name, parts in batches.items():
                if number < len(parts):
                    yield name, number, parts[number]

    def cut(self, chance: Random) -> list[tuple[int, CutPoint]]:
        """Cut operators by chance at the instants that they have come to; which were, and how they go on."""
        cut = []
        for number, operator in enumerate(self.program.operators):
            has_come = operator.open_rows() is not None and operator.before > -FOREVER
            if has_come and chance.random() < 0.4:
                operator.cut_points.add(operator.before, chance.random() < 0.6)
                cut.append((number, operator.cut_points.last))
        return cut

    def answers(self) -> list[Answer]:
        """What the firings wrote, by boundary; boundaries without rows are not written down."""
        by_boundary: dict[int, Counter[tuple[Any, ...]]] = {}
        for row in self._written():
            by_boundary.setdefault(self._boundary(row), Counter())[self._values(row)] += 1
        return [Answer(boundary, rows) for boundary, rows in sorted(by_boundary.items())]

    def validities(self) -> list[Validity]:
        """What the firings of a query at every instant wrote: rows with their validity, in order."""
        found: list[Validity] = []
        for row in self._written():
            ends = FOREVER if row["valid_to"] is None else micros(row["valid_to"])
            found.append((micros(row["valid_from"]), ends, self._values(row)))
        return found

    def _written(self) -> Iterator[dict[str, Any]]:
        for rows in self.trial.firings("q"):
            yield from rows.to_pylist()

    def _boundary(self, row: dict[str, Any]) -> int:
        if self.query.timing is Timing.ROW_BY_ROW:
            return 0
        end = row["window_end"]
        return end if self.query.timing is Timing.ARRIVALS else micros(end)

    def _values(self, row: dict[str, Any]) -> tuple[Any, ...]:
        values = (row[name] for name in self.query.plan.schema.names)
        return tuple(round(v, 9) if isinstance(v, float) else hashable(v) for v in values)


def net_of(directory: Path, text: str, data: Mapping[str, Values] = DATA) -> NetRun:
    """A query over the sample catalog, whose windows are evaluated again at every boundary."""
    return NetRun(directory, catalog(), reference(data), engine(), bind(text))


def snapshot(rows: Sequence[Validity], instant: int) -> Counter[tuple[Any, ...]]:
    """The rows that are valid at an instant."""
    return Counter(values for begins, ends, values in rows if begins <= instant < ends)


def without_empty(answers: Sequence[Answer]) -> list[Answer]:
    return [a for a in answers if a.rows]


def _cut(feed: Feed, sizes: Sequence[int]) -> list[Rows]:
    parts: list[Rows] = []
    start = 0
    for size in sizes:
        parts.append(feed.rows[start : start + size])
        start += size
    return [*parts, feed.rows[start:]] if start < len(feed.rows) else parts
