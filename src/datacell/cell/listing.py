"""SHOW: what there is and how it does, as tables; and how far all of it has come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from datacell.algebra import duration
from datacell.compile.explain.subject import one_plan
from datacell.emitters.delivery import Delivery
from datacell.errors import EngineError
from datacell.runtime.net.backpressure import full, undelivered
from datacell.runtime.net.factory import Factory
from datacell.runtime.net.members import Members
from datacell.runtime.net.sharing import NamedQuery, others
from datacell.runtime.net.strategies import told
from datacell.runtime.plans.observed import Observed
from datacell.runtime.storage.output import Output
from datacell.sql.statements.statement import Thing

NO_TROUBLES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Progress:
    """Rows taken, boundaries answered, the least watermark, and which queries and streams have stopped."""

    rows: int
    boundaries: int
    watermark: datetime | None
    stopped: tuple[str, ...] = ()
    troubles: Mapping[str, str] = field(default_factory=dict)
    """The emitters that do not get on, with why."""


def progress(net: Members, failing: Iterable[str] = (), troubles: Mapping[str, str] = NO_TROUBLES) -> Progress:
    streams = list(net.streams.values())
    marks = [s.basket.progress.latest - s.definition.lateness for s in streams if s.basket.progress.rows]
    return Progress(
        sum(s.basket.progress.rows for s in streams),
        sum(f.answered for f in list(net.factories.values())),
        datetime.fromtimestamp(min(marks) / 1_000_000, UTC) if marks else None,
        (*failures(net), *failing),
        troubles,
    )


def failures(net: Members) -> dict[str, EngineError]:
    """The queries that have stopped, with why."""
    stopped = [(factory, factory.stopped) for factory in list(net.factories.values()) if factory.stopped]
    found = {name: why.error(name) for factory, why in stopped for name in factory.queries}
    for feeder in list(net.feeders.values()):
        if feeder.failure is not None and feeder.source not in found:
            found[feeder.source] = EngineError(f"continuous query {feeder.source}: {feeder.failure}")
    return found


def listed(
    thing: Thing,
    net: Members,
    deliveries: Mapping[str, Delivery],
    failing: Mapping[str, str],
    remarks: Mapping[str, str],
    versions: Mapping[str, str],
) -> pa.Table:
    """`failing` are the streams whose source cannot be read at present, with why; `remarks` are about their sources.

    `versions` tells for each query which tables it sees.
    """
    match thing:
        case Thing.STREAM:
            return _streams(net, failing, remarks)
        case Thing.QUERY:
            return _queries(net, versions)
    return _emitters(deliveries)


def _streams(net: Members, failing: Mapping[str, str], remarks: Mapping[str, str]) -> pa.Table:
    return _table(
        ("stream", "enabled", "rows", "in basket", "keeps", "late", "rejected", "to driver", "remark", "failure"),
        [
            (
                name,
                stream.enabled,
                stream.basket.progress.rows,
                sum(len(batch.rows) for batch in stream.basket.batches),
                None if stream.keeper is None else duration.show(stream.keeper.span),
                stream.basket.progress.late,
                stream.basket.progress.rejected,
                stream.basket.account.to_driver.rows,
                "; ".join(filter(None, (stream.remark, remarks.get(name), _waiting(net, name)))),
                failing.get(name),
            )
            for name, stream in list(net.streams.items())
        ],
    )


def _waiting(net: Members, stream: str) -> str:
    """For whom it waits, if its answers are not delivered."""
    found = full(net, stream)
    return "" if found is None else f"waits: {undelivered(found).message}"


def _queries(net: Members, versions: Mapping[str, str]) -> pa.Table:
    return _table(
        (
            "query",
            "state",
            "engine",
            "strategy",
            "firings",
            "let go",
            "boundaries",
            "seconds in firings",
            "chunks per slice",
            "kept rows",
            "late",
            "tables",
            "predicted ms",
            "observed ms",
            "moves",
            "shared",
            "since",
            "remark",
        ),
        [_query(query, net, versions) for query in list(net.queries.values())],
    )


def _query(query: NamedQuery, net: Members, versions: Mapping[str, str]) -> tuple[Any, ...]:
    """What a factory does is told of every query that it answers."""
    factory, held = query.factory, query.factory.evaluation.held()
    return (
        query.name,
        "running" if factory.stopped is None else f"stopped: {factory.stopped.reason}",
        factory.plans.engine_names(),
        factory.evaluation.strategy,
        factory.output.next_number - query.since,
        factory.output.let_go,
        factory.answered,
        factory.seconds,
        None if held is None else held.chunks,
        None if held is None else held.rows,
        net.late_for(query.name),
        versions.get(query.name, ""),
        *_spent(factory),
        len(factory.plans.placements.moves),
        "; ".join(filter(None, (_together(query), told(net.sharing, factory, net.factories.values())))),
        query.answered.after,
        factory.remark,
    )


def _together(query: NamedQuery) -> str:
    number = len(query.factory.queries)
    return one_plan(number, others(query), query.factory.family is not None) if number > 1 else ""


def _spent(factory: Factory) -> tuple[float | None, float | None]:
    """Milliseconds of a run of each fragment, all together: predicted from the rows that were seen, and observed."""
    seen = [one for one in factory.plans.observed() if one.runs > 1]
    return (sum(s.predicted for s in seen), sum(s.milliseconds for s in seen)) if seen else (None, None)


def fragments(factory: Factory) -> pa.Table:
    """EXPLAIN ANALYZE: what a query has run, where, and what a run took beside what it should have taken.

    Rows are those of a run. Of a transfer, rows and bytes are those of all times together. All queries that a factory
    answers have an equal share in what a run takes.
    """
    queries = max(1, len(factory.queries))
    return _table(
        ("part", "engine", "topmost operator", "runs", "rows", "predicted ms", "observed ms", "its share ms", "bytes"),
        [
            (
                s.part,
                _engine(s),
                s.operators,
                s.runs,
                round(s.rows),
                s.predicted,
                s.milliseconds,
                s.milliseconds / queries,
                None,
            )
            for s in factory.plans.observed()
        ]
        + [
            (part, "", f"transfer to the {home}", moved.times, moved.rows, None, None, None, moved.bytes)
            for part, account in factory.transfers()
            for home, moved in (("driver", account.to_driver), ("cluster", account.to_cluster))
            if moved.times
        ],
    )


def _engine(observed: Observed) -> str:
    """Runs that DuckDB could not finish have a line of their own, and so have those in the first stage."""
    if observed.staged:
        return f"{observed.site.value} (first stage)"
    return f"{observed.site.value} (fallback)" if observed.fallback else observed.site.value


def _emitters(deliveries: Mapping[str, Delivery]) -> pa.Table:
    return _table(
        ("emitter", "state", "guarantee", "delivered", "pending", "pending bytes", "at most", "failure"),
        [
            (name, d.state, d.emitter.guarantee, d.cursor, d.pending, d.pending_bytes, _most(d.output), d.trouble())
            for name, d in list(deliveries.items())
        ],
    )


def _most(output: Output) -> int | None:
    return None if output.bound is None else output.bound.undelivered


def _table(names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> pa.Table:
    columns: list[Any] = list(zip(*rows, strict=True)) if rows else [[] for _ in names]
    return pa.table({name: list(column) for name, column in zip(names, columns, strict=True)})
