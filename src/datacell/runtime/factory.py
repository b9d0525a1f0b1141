"""Factories: a query's plan with its state. A factory fires when its input is there, then waits.

Three kinds, by when a query is evaluated: row by row as batches come, at boundaries in time, at arrival numbers. The
description (what to run), the logic (functions of it) and the state (how far it has come) are apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.plan import Plan, Stream, Table
from datacell.algebra.query import TIME_COLUMNS, Emission, Query, Timing
from datacell.engines.arrow import arrow_schema
from datacell.engines.protocol import Engine
from datacell.incremental import boundaries, lift
from datacell.incremental.boundaries import FOREVER, Boundary
from datacell.runtime import changes
from datacell.runtime.basket import NUMBER, TIME, Basket

MOST_BOUNDARIES = 1024
"""In one firing: enough to make its fixed cost vanish, few enough to bound its memory."""

Tables = Callable[[str], pa.Table]


@dataclass(frozen=True)
class Description:
    """What a factory runs: a query, its fragment, the engine for it, and why another engine is not used."""

    name: str
    query: Query
    fragment: Plan
    engine: Engine
    remark: str = ""

    @property
    def streams(self) -> list[str]:
        return sorted({s.name for s in tree.streams(self.query.plan)})


@dataclass(frozen=True)
class State:
    """How far a factory has come: the last boundary it answered, or the last batch of each stream it has seen.

    `tail` is how many of the last firing's rows belong to that boundary; `previous` are these rows, where needed.
    """

    boundary: int = -FOREVER
    tail: int = 0
    batches: Mapping[str, int] | None = None
    previous: pa.Table | None = None


@dataclass(frozen=True)
class Fired:
    """The outcome of a firing: rows to deliver, the relation at the last boundary, the state after it."""

    rows: pa.Table
    latest: pa.Table
    state: State


@dataclass(frozen=True)
class Readiness:
    """What a factory may count on: the least watermark of its streams, and whether the input has ended."""

    watermark: int
    ended: bool


def fragment(query: Query) -> Plan:
    """The relational fragment that a firing runs."""
    if query.timing is Timing.ROW_BY_ROW:
        return tree.transform_up(
            query.plan, lambda n: Table(lift.basket(n.name), n.alias, n.columns) if isinstance(n, Stream) else n
        )
    return lift.lift(query)


def due(factory: Description, state: State, baskets: Mapping[str, Basket], ready: Readiness) -> list[Boundary]:
    """The boundaries that the factory may answer now, oldest first, at most so many as one firing takes."""
    windows = tree.windows(factory.query.plan)
    specs = [w.window for w in windows]
    sources = [baskets[tree.streams(w)[0].name] for w in windows]
    if factory.query.timing is Timing.ARRIVALS:
        arrived = min(basket.progress.rows for basket in sources)
        found = boundaries.due_in_rows(specs, arrived, max(state.boundary, 0))
    else:
        found = boundaries.due_in_time(
            specs,  # type: ignore[arg-type]
            [basket.times() for basket in sources],
            state.boundary,
            ready.watermark,
            ready.ended,
        )
    wanted = (b for b in found if not b.empty or factory.query.emission is not Emission.RSTREAM)
    return list(islice(wanted, MOST_BOUNDARIES))


def fire_at(
    factory: Description, state: State, due_now: Sequence[Boundary], baskets: Mapping[str, Basket], tables: Tables
) -> Fired:
    """Answer the boundaries, all in one engine call."""
    query = factory.query
    evaluated = [b for b in due_now if not b.empty]
    rows = run(factory, {**_windowed(factory, baskets), lift.BOUNDARIES: _table(query, evaluated)}, tables)
    ends = [b.end for b in due_now]
    latest = changes.at(rows, ends[-1]).drop_columns([lift.BOUNDARY])
    after = replace(state, boundary=ends[-1], tail=len(latest))
    if query.emission is Emission.RSTREAM:
        return Fired(rows.drop_columns([lift.BOUNDARY]), latest, after)
    return Fired(changes.changes(query, rows, ends, state.previous), latest, replace(after, previous=latest))


def fire_on_rows(factory: Description, state: State, baskets: Mapping[str, Basket], tables: Tables) -> Fired | None:
    """Answer the batches that have come since the last firing."""
    seen = dict(state.batches or {})
    inputs = {}
    for stream in factory.streams:
        new = [b for b in baskets[stream].batches if b.number > seen.get(stream, -1)]
        rows = pa.concat_tables(b.rows for b in new) if new else baskets[stream].rows().slice(0, 0)
        inputs[lift.basket(stream)] = rows.drop_columns([TIME, NUMBER])
        seen[stream] = baskets[stream].last_batch
    if not any(map(len, inputs.values())):
        return None
    answer = run(factory, inputs, tables)
    return Fired(answer, answer, replace(state, batches=seen))


def run(factory: Description, inputs: Mapping[str, pa.Table], tables: Tables) -> pa.Table:
    named = {n.name for n in tree.descendants(factory.fragment) if isinstance(n, Table)} - inputs.keys()
    return factory.engine.run(factory.fragment, {**inputs, **{name: tables(name) for name in named}})


def oldest_needed(factory: Description, state: State, stream: str) -> list[tuple[str, int]]:
    """What the factory still needs of a stream: a column of its batches and the least value it looks at."""
    if factory.query.timing is Timing.ROW_BY_ROW:
        return []
    column, first = (NUMBER, 0) if factory.query.timing is Timing.ARRIVALS else (TIME, -FOREVER)
    windows = [w.window for w in tree.windows(factory.query.plan) if tree.streams(w)[0].name == stream]
    return [(column, boundaries.oldest_needed(w, max(state.boundary, first))) for w in windows]


def latest_of(rows: pa.Table, state: State) -> pa.Table:
    """The answer at the last boundary, among the rows of a firing."""
    return rows if state.batches is not None else rows.slice(len(rows) - state.tail)


def _windowed(factory: Description, baskets: Mapping[str, Basket]) -> dict[str, pa.Table]:
    column = NUMBER if factory.query.timing is Timing.ARRIVALS else TIME
    found = {}
    for stream in factory.streams:
        rows = baskets[stream].rows()
        position = rows[column]
        found[lift.basket(stream)] = rows.drop_columns([TIME, NUMBER]).append_column(lift.POSITION, position)
    return found


def _table(query: Query, due_now: Sequence[Boundary]) -> pa.Table:
    windows = tree.windows(query.plan)
    (time,) = TIME_COLUMNS[query.timing]
    schema = arrow_schema(lift.boundaries_schema(time.type, len(windows)))
    columns: list[Any] = [[b.end for b in due_now]]
    for index in range(len(windows)):
        columns += [[b.shown[index][side] for b in due_now] for side in (0, 1)]
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)
