"""A net without Spark around it: rows are deposited batch by batch, as a receptor would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.definitions import REJECTED
from datacell.algebra.query import Query, Timing
from datacell.algebra.schema import Schema
from datacell.engines.arrow import arrow_schema
from datacell.engines.protocol import Engine
from datacell.incremental.split import split
from datacell.intervals.translate import translate
from datacell.rewrite.rules import optimized
from datacell.runtime.instants.cut_points import Turn
from datacell.runtime.net.factory import Description
from datacell.runtime.net.scheduler import Scheduler
from datacell.runtime.plans.placing import Placing
from datacell.runtime.storage.output import Output
from datacell.sql.catalog import Catalog
from reference import FOREVER, Answer, Feed, Reference, _hashable, micros

Validity = tuple[int, int, tuple[Any, ...]]
"""A row of an answer at every instant: from when until when it is valid, and its values."""

Rows = Sequence[Mapping[str, Any]]
Cuts = Mapping[str, Sequence[int]]
"""For each stream, how many rows come in each batch."""


class HandClock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.instant = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.instant

    def pass_(self, seconds: float) -> None:
        self.instant += timedelta(seconds=seconds)


class NetRun:
    """One query over the streams of a catalog, in a directory."""

    def __init__(
        self,
        directory: Path,
        catalog: Catalog,
        judge: Reference,
        engine: Engine,
        query: Query,
        incremental: bool = False,
        placing: Placing | None = None,
    ) -> None:
        self.judge, self.engine, self.catalog = judge, engine, catalog
        self.clock = HandClock()
        self.scheduler = Scheduler(self.clock)
        for stream in catalog.streams.values():
            self.scheduler.add_stream(stream, directory / "streams" / stream.name, engine.run)
        self.query = optimized(query)
        self.output = Output(directory / "query", arrow_schema(self.query.result))
        at_every_instant = self.query.timing is Timing.EVERY_CHANGE
        sliced = split(self.query) if incremental and tree.windows(self.query.plan) and not at_every_instant else None
        program = translate(self.query) if at_every_instant else None
        description = Description("q", self.query, engine, sliced, placing=placing, program=program)
        self.running = self.scheduler.add_factory(description, self.output, judge.tables.__getitem__, engine)

    def deposit(self, stream: str, number: int, rows: Rows) -> None:
        fields = Schema(self.catalog.streams[stream].fields)
        table = pa.Table.from_pylist(list(map(dict, rows)), schema=arrow_schema(fields))
        self.scheduler.hand_over(stream, number, table, arrow_schema(Schema(REJECTED)).empty_table())
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

    def turn(self, chance: Random) -> list[tuple[int, Turn]]:
        """Let operators turn by chance at the instants that they have come to; which did, and how."""
        assert self.running.instants is not None
        turned = []
        for number, work in enumerate(self.running.instants.work):
            if work.open_rows() is not None and chance.random() < 0.4:
                work.turns.turn(work.before, chance.random() < 0.6)
                turned.append((number, work.turns.last))
        return turned

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
        number = 0
        while (firing := self.output.wait(number, 0)) is not None:
            number = firing.number + 1
            yield from firing.rows.to_pylist()

    def _boundary(self, row: dict[str, Any]) -> int:
        if self.query.timing is Timing.ROW_BY_ROW:
            return 0
        end = row["window_end"]
        return end if self.query.timing is Timing.ARRIVALS else micros(end)

    def _values(self, row: dict[str, Any]) -> tuple[Any, ...]:
        values = (row[name] for name in self.query.plan.schema.names)
        return tuple(round(v, 9) if isinstance(v, float) else _hashable(v) for v in values)


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
