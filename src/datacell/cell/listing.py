"""SHOW: what there is and how it does, as tables; and how far all of it has come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from datacell.emitters.delivery import Delivery
from datacell.runtime.net.running import RunningFactory
from datacell.runtime.net.scheduler import Scheduler
from datacell.sql.statements.statement import Thing


@dataclass(frozen=True)
class Progress:
    """Rows taken, boundaries answered, and the least watermark."""

    rows: int
    boundaries: int
    watermark: datetime | None


def progress(scheduler: Scheduler) -> Progress:
    streams = list(scheduler.streams.values())
    marks = [s.basket.progress.latest - s.definition.lateness for s in streams if s.basket.progress.rows]
    return Progress(
        sum(s.basket.progress.rows for s in streams),
        sum(f.answered for f in scheduler.factories.values()),
        datetime.fromtimestamp(min(marks) / 1_000_000, UTC) if marks else None,
    )


def listed(thing: Thing, scheduler: Scheduler, deliveries: Mapping[str, Delivery]) -> pa.Table:
    match thing:
        case Thing.STREAM:
            return _streams(scheduler)
        case Thing.QUERY:
            return _queries(scheduler)
    return _emitters(deliveries)


def _streams(scheduler: Scheduler) -> pa.Table:
    return _table(
        ("stream", "enabled", "rows", "in basket", "late", "rejected"),
        [
            (
                name,
                stream.enabled,
                stream.basket.progress.rows,
                sum(len(batch.rows) for batch in stream.basket.batches),
                stream.basket.progress.late,
                stream.basket.progress.rejected,
            )
            for name, stream in scheduler.streams.items()
        ],
    )


def _queries(scheduler: Scheduler) -> pa.Table:
    return _table(
        (
            "query",
            "engine",
            "strategy",
            "firings",
            "boundaries",
            "seconds in firings",
            "chunks per slice",
            "kept rows",
            "predicted ms",
            "observed ms",
            "moves",
            "remark",
        ),
        [_query(name, running) for name, running in scheduler.factories.items()],
    )


def _query(name: str, running: RunningFactory) -> tuple[Any, ...]:
    state = running.held()
    return (
        name,
        running.run.placing.engine_names(),
        running.strategy,
        running.output.next_number,
        running.answered,
        running.seconds,
        None if state is None else state.chunks,
        None if state is None else state.rows,
        *_spent(running),
        len(running.run.placing.moves),
        running.remark,
    )


def _spent(running: RunningFactory) -> tuple[float | None, float | None]:
    """Milliseconds of a run of each fragment, all together: predicted from the rows that were seen, and observed."""
    seen = [one for one in running.run.placing.seen() if one.runs > 1]
    return (sum(s.predicted for s in seen), sum(s.observed for s in seen)) if seen else (None, None)


def fragments(running: RunningFactory) -> pa.Table:
    """EXPLAIN ANALYZE: what a query has run, where, and what a run took beside what it should have taken."""
    return _table(
        ("part", "engine", "topmost operator", "runs", "rows", "predicted ms", "observed ms"),
        [
            (s.part, s.site.value, s.operators, s.runs, round(s.rows), s.predicted, s.observed)
            for s in running.run.placing.seen()
        ],
    )


def _emitters(deliveries: Mapping[str, Delivery]) -> pa.Table:
    return _table(
        ("emitter", "guarantee", "delivered", "pending", "failure"),
        [(name, d.emitter.guarantee, d.cursor, d.pending, d.failure) for name, d in deliveries.items()],
    )


def _table(names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> pa.Table:
    columns: list[Any] = list(zip(*rows, strict=True)) if rows else [[] for _ in names]
    return pa.table({name: list(column) for name, column in zip(names, columns, strict=True)})
