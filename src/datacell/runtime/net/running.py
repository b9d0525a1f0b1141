"""A factory at work: its description and state, the baskets it reads and the output it feeds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.query import Emission, Timing
from datacell.algebra.window import Now
from datacell.engines.protocol import Engine
from datacell.incremental import lift
from datacell.incremental.boundaries import FOREVER, Boundary
from datacell.incremental.relations import Kept, name
from datacell.runtime.evaluation import Evaluation, Held, Reevaluation, Runner, Tables
from datacell.runtime.instants.cut_points import Turn
from datacell.runtime.instants.every_instant import EveryInstant
from datacell.runtime.net import factory
from datacell.runtime.net.factory import Description, Fired, Readiness, State
from datacell.runtime.storage.output import Output
from datacell.runtime.streams.basket import Axis, Basket, Batch, Need
from datacell.runtime.streams.stream import AnsweredWindow
from datacell.runtime.windows.increments import Increments
from datacell.runtime.windows.slices import Made


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
        self.description, self.baskets, self.output, self.ready = description, baskets, output, ready
        self.run = Runner(description.engine, fallback, tables, description.placing)
        self.answered = 0
        self.seconds = 0.0
        self.state, self._latest = _recovered(output)
        self.evaluation: Evaluation | None = None
        self._due: list[Boundary] = []
        self.instants: EveryInstant | None = None
        query = description.query
        if query.timing is Timing.ROW_BY_ROW:
            self._row_fragment = lift.row_fragment(query)
        elif description.program is not None:
            at = self.state.boundary, self.state.released, self.state.turns
            self.instants = EveryInstant(description.program, baskets, self.run, *at)
        elif description.split is None:
            self.evaluation = Reevaluation(query, baskets, self.run)
        else:
            self.evaluation = Increments(description.split, output.directory / "slices", baskets, self.run)
        self.run.placing.names |= self._names()

    def _names(self) -> dict[int, str]:
        """What the plans are called where people read of them."""
        if self.description.program is not None:
            return {id(plan): "at every instant" for plan in self.description.program.fragments()}
        if self.evaluation is None:
            return {id(self._row_fragment): "answer"}
        answers = {id(plan): "answer" for plan in self.evaluation.fragments.values()}
        relations = () if self.description.split is None else self.description.split.relations
        for number, relation in enumerate(relations):
            answers[id(relation.plan)] = name(number)
            if isinstance(relation, Kept) and relation.alone is not None:
                answers[id(relation.alone)] = name(number)
        return answers

    def prepare(self, stream: str, batch: Batch) -> Made:
        """What can be made of a batch that is about to come."""
        return {} if self.evaluation is None else self.evaluation.ahead(stream, batch)

    def ingest(self, stream: str, batch: Batch, prepared: Made | None) -> None:
        """A batch is about to be put into the basket."""
        if self.evaluation is not None:
            self.evaluation.absorb(stream, batch, prepared or {})

    @property
    def latest(self) -> pa.Table | None:
        """The latest answer, if there is one."""
        return self._latest if self.instants is None or not self.answered else self.instants.latest()

    def answered_until(self) -> int:
        """Up to when rows come too late, because what they would change has been answered."""
        watermark = self.ready(self.description).watermark
        return watermark if self.instants is None else max(watermark, self.instants.now)

    def answered_windows(self, stream: str) -> list[AnsweredWindow] | None:
        """The windows over a stream with how far each has been answered; None if every row counts.

        At every instant, a row comes too late once the instant at which it begins has been answered.
        """
        query = self.description.query
        if query.timing not in (Timing.BOUNDARIES, Timing.EVERY_CHANGE):
            return None
        until = self.answered_until()
        windows = (w.window for w in tree.windows(query.plan) if tree.stream_of(w) == stream)
        return [(Now() if self.instants is not None else w, until) for w in windows]  # type: ignore[misc]

    @property
    def strategy(self) -> str:
        evaluation = self.evaluation or self.instants
        return Timing.ROW_BY_ROW.value if evaluation is None else evaluation.strategy

    @property
    def remark(self) -> str:
        """Why it runs as it does, and what it has decided since."""
        decided = "" if self.instants is None else self.instants.remark()
        return "; ".join(filter(None, (self.description.remark, decided)))

    def held(self) -> Held | None:
        """What it holds beside the baskets, if anything."""
        evaluation = self.evaluation or self.instants
        return None if evaluation is None else evaluation.state()

    def enabled(self) -> bool:
        if self.instants is not None:
            ready = self.ready(self.description)
            return self.instants.is_due(ready.watermark, ready.ended)
        if self.evaluation is None:
            seen = self.state.batches or {}
            return any(self.baskets[s].last_batch > seen.get(s, -1) for s in self.description.streams)
        asked = partial(self.ready, self.description)
        self._due = factory.due(self.description.query, self.state, self.baskets, self.evaluation, asked)
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
        self.state, self._latest = fired.state, fired.latest
        self.answered += 1 if self.instants is not None else len(self._due)

    def _fired(self) -> Fired | None:
        if self.instants is not None:
            return factory.fire_until(self.instants, self.state, self.ready(self.description))
        if self.evaluation is None:
            streams = self.description.streams
            return factory.fire_on_rows(self._row_fragment, streams, self.state, self.baskets, self.run)
        return factory.fire_at(self.description.query, self.state, self._due, self.evaluation)

    def oldest_needed(self, stream: str, coming: bool = False) -> list[Need]:
        """What the factory still needs of a stream's raw rows; who answers row by row needs all of a `coming` batch."""
        if self.instants is not None:
            return self.instants.oldest_needed(stream)
        if self.evaluation is None:
            return [(Axis.NUMBER, 0)] if coming else []
        return self.evaluation.oldest_needed(stream, self.state.boundary)

    def expire(self) -> None:
        """Let go of what no later boundary needs."""
        if self.evaluation is not None and self.state.boundary != -FOREVER:
            self.evaluation.expire(self.state.boundary)


def _saved(state: State) -> dict[str, Any]:
    turns = [[asdict(turn) for turn in turns] for turns in state.turns]
    return {k: v for k, v in vars(state).items() if k != "previous"} | {"turns": turns}


def _recovered(output: Output) -> tuple[State, pa.Table | None]:
    """Where the factory was when it last fired."""
    if output.last is None:
        return State(), None
    saved = output.last.state
    state = State(
        saved.get("boundary", -FOREVER),
        saved.get("tail", 0),
        saved.get("released", -FOREVER),
        saved.get("batches"),
        turns=tuple(tuple(Turn(**turn) for turn in turns) for turns in saved.get("turns", ())),
    )
    previous = output.latest()
    if previous is not None:
        return replace(state, previous=previous), previous
    return state, factory.latest_of(output.last.rows, state)
