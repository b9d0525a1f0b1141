"""A factory at work: its description and state, the baskets it reads and the output it feeds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

import pyarrow as pa

from datacell.algebra.query import Emission, Timing
from datacell.engines.protocol import Engine
from datacell.errors import EngineError
from datacell.incremental.boundaries import FOREVER, Boundary
from datacell.runtime import factory
from datacell.runtime.basket import Basket
from datacell.runtime.factory import Description, Fired, Readiness, State, Tables
from datacell.runtime.output import Output


class RunningFactory:
    """An action of the net. `ready` says what the factory may count on; `fallback` runs what its engine cannot."""

    def __init__(
        self,
        description: Description,
        baskets: Mapping[str, Basket],
        output: Output,
        tables: Tables,
        ready: Callable[[Description], Readiness],
        fallback: Engine,
    ) -> None:
        self.description, self.baskets, self.output = description, baskets, output
        self.tables, self.ready, self.fallback = tables, ready, fallback
        self.answered = 0
        self.seconds = 0.0
        self.state, self.latest = _recovered(output)
        self._due: list[Boundary] = []

    def enabled(self) -> bool:
        if self.description.query.timing is Timing.ROW_BY_ROW:
            seen = self.state.batches or {}
            return any(self.baskets[s].last_batch > seen.get(s, -1) for s in self.description.streams)
        self._due = factory.due(self.description, self.state, self.baskets, self.ready(self.description))
        return bool(self._due)

    def fire(self) -> None:
        started = time.perf_counter()
        self._fire()
        self.seconds += time.perf_counter() - started

    def _fire(self) -> None:
        fired = self._fired()
        if fired is None:
            batches = {s: self.baskets[s].last_batch for s in self.description.streams}
            self.state = replace(self.state, batches=batches)
            return
        keeps_latest = self.description.query.emission is not Emission.RSTREAM
        self.output.append(fired.rows, _saved(fired.state), fired.latest if keeps_latest else None)
        self.state, self.latest = fired.state, fired.latest
        self.answered += len(self._due)

    def _fired(self) -> Fired | None:
        try:
            return self._run(self.description)
        except EngineError:
            if self.description.engine is self.fallback:
                raise
            return self._run(replace(self.description, engine=self.fallback))

    def _run(self, description: Description) -> Fired | None:
        if description.query.timing is Timing.ROW_BY_ROW:
            return factory.fire_on_rows(description, self.state, self.baskets, self.tables)
        return factory.fire_at(description, self.state, self._due, self.baskets, self.tables)

    def oldest_needed(self, stream: str) -> list[tuple[str, int]]:
        return factory.oldest_needed(self.description, self.state, stream)


def _saved(state: State) -> dict[str, Any]:
    return {k: v for k, v in asdict(replace(state, previous=None)).items() if k != "previous"}


def _recovered(output: Output) -> tuple[State, pa.Table | None]:
    """Where the factory was when it last fired."""
    if output.last is None:
        return State(), None
    saved = output.last.state
    state = State(saved.get("boundary", -FOREVER), saved.get("tail", 0), saved.get("batches"))
    previous = output.latest()
    if previous is not None:
        return replace(state, previous=previous), previous
    return state, factory.latest_of(output.last.rows, state)
