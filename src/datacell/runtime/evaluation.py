"""How a query is evaluated at its boundaries: by looking at whole windows anew, or by increments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.plan import Plan, Window
from datacell.algebra.query import TIME_COLUMNS, Query, Timing
from datacell.engines.arrow import arrow_schema
from datacell.engines.protocol import Engine
from datacell.errors import EngineError
from datacell.incremental import boundaries, lift
from datacell.incremental.boundaries import FOREVER, Boundary, Positions
from datacell.runtime.plans.placing import Placing
from datacell.runtime.streams.basket import Axis, Basket, Batch, Need
from datacell.runtime.windows.slices import Made

Tables = Callable[[str], pa.Table]


@dataclass(frozen=True)
class Held:
    """In how many chunks a slice is absorbed at present, and how many rows the relations hold."""

    chunks: int
    rows: int


class Evaluation(Protocol):
    """The logic of a factory that answers at boundaries."""

    strategy: str
    windows: list[Window]
    streams: list[str]
    """The query's windows, and the stream that each stands over."""

    @property
    def fragments(self) -> Mapping[bool, Plan]:
        """What answers one boundary, and what answers many."""

    def ahead(self, stream: str, batch: Batch) -> Made:
        """What can be made of a batch that is about to come, whatever its number, without changing anything."""

    def absorb(self, stream: str, batch: Batch, ahead: Made) -> None:
        """A batch is about to be put into the basket; what is needed of it may be kept already."""

    def positions(self) -> list[Positions]:
        """For each window, sorted positions that tell where its stream has rows."""

    def answer(self, due: Sequence[Boundary]) -> pa.Table:
        """The rows of the answers, each with its boundary, in order."""

    def oldest_needed(self, stream: str, boundary: int) -> list[Need]:
        """What of the stream's raw rows is still needed after this boundary."""

    def expire(self, boundary: int) -> None:
        """Let go of what no boundary after this one needs."""

    def state(self) -> Held | None:
        """What it holds beside the baskets, if anything."""


class Runner:
    """Runs plans with the tables they read: each fragment where it was placed, or on the engine that can do all."""

    def __init__(self, engine: Engine, fallback: Engine, tables: Tables, placing: Placing | None = None) -> None:
        self.engine, self.fallback, self.tables = engine, fallback, tables
        self.placing = placing or Placing.on(engine)
        self._named: dict[int, tuple[Plan, set[str]]] = {}
        """The tables that plans name, by the identity of plans; each stands with its plan, which keeps it alive."""

    def __call__(self, plan: Plan, inputs: Mapping[str, pa.Table]) -> pa.Table:
        everything = {**inputs, **{name: self.tables(name) for name in self._names(plan) - inputs.keys()}}
        placed = self.placing.of(plan, everything)
        begin = perf_counter()
        for number, fragment in enumerate(placed.fragments):
            started = perf_counter()
            answer = everything[fragment.name] = self._on(
                self.placing.engines[fragment.site], fragment.plan, everything
            )
            placed.ran(number, perf_counter() - started, len(answer))
        self.placing.ran(placed, perf_counter() - begin)
        return answer

    def _names(self, plan: Plan) -> set[str]:
        """A factory runs the same plans again and again."""
        if id(plan) not in self._named:
            self._named[id(plan)] = plan, tree.table_names(plan)
        return self._named[id(plan)][1]

    def _on(self, engine: Engine, plan: Plan, inputs: Mapping[str, pa.Table]) -> pa.Table:
        try:
            return engine.run(plan, inputs)
        except EngineError:
            if engine is self.fallback:
                raise
            return self.fallback.run(plan, inputs)


class Reevaluation:
    """Windows are evaluated anew, over the rows of baskets."""

    strategy = "reevaluate"

    def __init__(self, query: Query, baskets: Mapping[str, Basket], run: Runner) -> None:
        self.query, self.baskets, self.run = query, baskets, run
        self.windows = tree.windows(query.plan)
        self.streams = [tree.stream_of(w) for w in self.windows]
        self.fragments = {many: lift.lift(query, many) for many in (False, True)}
        self.axis = Axis.NUMBER if query.timing is Timing.ARRIVALS else Axis.TIME

    def ahead(self, stream: str, batch: Batch) -> Made:  # noqa: ARG002
        return {}

    def absorb(self, stream: str, batch: Batch, ahead: Made) -> None:
        """The rows are needed as they are."""

    def positions(self) -> list[Positions]:
        return [self.baskets[stream].times() for stream in self.streams]

    def answer(self, due: Sequence[Boundary]) -> pa.Table:
        inputs = {lift.BOUNDARIES: self._boundaries(due)}
        for index, stream in enumerate(self.streams):
            shown = [b.shown[index] for b in due]
            start, stop = min(s for s, _ in shown), max(e for _, e in shown)
            rows = self.baskets[stream].between(self.axis, start, stop, lift.POSITION)
            inputs[lift.window_table(index)] = rows
        return self.run(self.fragments[len(due) > 1], inputs)

    def oldest_needed(self, stream: str, boundary: int) -> list[Need]:
        first = 0 if self.axis is Axis.NUMBER else -FOREVER
        return [
            (self.axis, boundaries.oldest_needed(w.window, max(boundary, first)))
            for w, name in zip(self.windows, self.streams, strict=True)
            if name == stream
        ]

    def expire(self, boundary: int) -> None:
        """Baskets expire by themselves."""

    def state(self) -> None:
        """The baskets have everything."""

    def _boundaries(self, due: Sequence[Boundary]) -> pa.Table:
        (time,) = TIME_COLUMNS[self.query.timing]
        schema = arrow_schema(lift.boundaries_schema(time.type, len(self.windows)))
        columns: list[Any] = [[b.end for b in due]]
        for index in range(len(self.windows)):
            columns += [[b.shown[index][side] for b in due] for side in (0, 1)]
        return pa.table([pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)
