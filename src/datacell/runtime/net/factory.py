"""Factories: a query's plan with its state. A factory fires when its input is there, then waits.

Four kinds, by when a query is evaluated: row by row as batches come, at boundaries in time, at arrival numbers, at
every instant. The description (what to run), the logic (functions of it) and the state (how far it has come) are apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.plan import Plan
from datacell.algebra.query import Emission, Query, Timing
from datacell.engines.arrow import arrow_schema
from datacell.engines.protocol import Engine
from datacell.incremental import boundaries, lift
from datacell.incremental.boundaries import FOREVER, Boundary
from datacell.incremental.relations import Split
from datacell.intervals.operators import Program
from datacell.runtime.evaluation import Evaluation, Runner
from datacell.runtime.instants.cut_points import Turn
from datacell.runtime.instants.every_instant import EveryInstant
from datacell.runtime.plans.placing import Placing
from datacell.runtime.streams.basket import Basket
from datacell.runtime.windows import changes

MOST_BOUNDARIES = 1024
"""In one firing: enough to make its fixed cost vanish, few enough to bound its memory."""


@dataclass(frozen=True)
class Description:
    """What a factory runs: a query, split if it is evaluated by increments, on an engine, and why so.

    Where `placing` says so, parts of it run on others. A query that is evaluated at every instant has a program.
    """

    name: str
    query: Query
    engine: Engine
    split: Split | None = None
    remark: str = ""
    placing: Placing | None = None
    program: Program | None = None

    @cached_property
    def streams(self) -> list[str]:
        return sorted({s.name for s in tree.streams(self.query.plan)})


@dataclass(frozen=True)
class State:
    """How far a factory has come: the last boundary it answered, or the last batch of each stream it has seen.

    `tail` is how many of the last firing's rows belong to that boundary; `previous` are these rows, where needed. At
    every instant, `boundary` is how far the watermark had come; what begins before `released` was given out; `turns`
    are those of every operator.
    """

    boundary: int = -FOREVER
    tail: int = 0
    released: int = -FOREVER
    batches: Mapping[str, int] | None = None
    previous: pa.Table | None = None
    turns: tuple[tuple[Turn, ...], ...] = ()


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


def due(
    query: Query, state: State, baskets: Mapping[str, Basket], evaluation: Evaluation, ready: Callable[[], Readiness]
) -> list[Boundary]:
    """The boundaries that may be answered now, oldest first, at most so many as one firing takes."""
    specs = [w.window for w in evaluation.windows]
    if query.timing is Timing.ARRIVALS:
        arrived = min(baskets[stream].progress.rows for stream in evaluation.streams)
        found = boundaries.due_in_rows(specs, arrived, max(state.boundary, 0))
    else:
        now = ready()
        found = boundaries.due_in_time(
            specs,  # type: ignore[arg-type]
            evaluation.positions(),
            state.boundary,
            now.watermark,
            now.ended,
        )
    wanted = (b for b in found if not b.empty or query.emission is not Emission.RSTREAM)
    return list(islice(wanted, MOST_BOUNDARIES))


def fire_at(query: Query, state: State, due_now: Sequence[Boundary], evaluation: Evaluation) -> Fired:
    """Answer the boundaries, all at once."""
    evaluated = [b for b in due_now if not b.empty]
    found = evaluation.answer(evaluated) if evaluated else arrow_schema(lift.answer_schema(query)).empty_table()
    ends = [b.end for b in due_now]
    if query.emission is Emission.RSTREAM and len(ends) == 1:
        only = changes.with_time(query, found, ends[0])
        return Fired(only, only, replace(state, boundary=ends[0], tail=len(only)))
    rows = changes.in_order(changes.with_boundary(query, found, evaluated))
    latest = changes.at(rows, ends[-1]).drop_columns([lift.BOUNDARY])
    after = replace(state, boundary=ends[-1], tail=len(latest))
    if query.emission is Emission.RSTREAM:
        return Fired(rows.drop_columns([lift.BOUNDARY]), latest, after)
    return Fired(changes.changes(query, rows, ends, state.previous), latest, replace(after, previous=latest))


def fire_on_rows(
    fragment: Plan, streams: Sequence[str], state: State, baskets: Mapping[str, Basket], run: Runner
) -> Fired | None:
    """Answer the batches that have come since the last firing."""
    seen = dict(state.batches or {})
    inputs = {}
    for stream in streams:
        new = [b for b in baskets[stream].batches if b.number > seen.get(stream, -1)]
        inputs[lift.basket(stream)] = pa.concat_tables([baskets[stream].schema.empty_table(), *(b.rows for b in new)])
        seen[stream] = baskets[stream].last_batch
    if not any(map(len, inputs.values())):
        return None
    answer = run(fragment, inputs)
    return Fired(answer, answer, replace(state, batches=seen))


def fire_until(evaluation: EveryInstant, state: State, ready: Readiness) -> Fired:
    """Let time go on to the watermark."""
    rows = evaluation.advance(ready.watermark, ready.ended)
    turns = tuple(turns.known for turns in evaluation.turns)
    after = replace(state, boundary=evaluation.now, released=evaluation.released, tail=len(rows), turns=turns)
    return Fired(rows, rows, after)


def latest_of(rows: pa.Table, state: State) -> pa.Table:
    """The answer at the last boundary, among the rows of a firing."""
    return rows if state.batches is not None else rows.slice(len(rows) - state.tail)
