"""SHOW: what there is and how it does, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from datacell.emitters.delivery import Delivery
from datacell.runtime.running import RunningFactory
from datacell.runtime.scheduler import Scheduler


def streams(scheduler: Scheduler) -> pa.Table:
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


def queries(scheduler: Scheduler) -> pa.Table:
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
            "remark",
        ),
        [_query(name, running) for name, running in scheduler.factories.items()],
    )


def _query(name: str, running: RunningFactory) -> tuple[Any, ...]:
    description, state = running.description, running.held()
    return (
        name,
        description.engine.name,
        running.strategy,
        running.output.next_number,
        running.answered,
        running.seconds,
        None if state is None else state.chunks,
        None if state is None else state.rows,
        description.remark,
    )


def emitters(deliveries: Mapping[str, Delivery]) -> pa.Table:
    return _table(
        ("emitter", "guarantee", "delivered", "pending", "failure"),
        [(name, d.emitter.guarantee, d.cursor, d.pending, d.failure) for name, d in deliveries.items()],
    )


def _table(names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> pa.Table:
    columns: list[Any] = list(zip(*rows, strict=True)) if rows else [[] for _ in names]
    return pa.table({name: list(column) for name, column in zip(names, columns, strict=True)})
