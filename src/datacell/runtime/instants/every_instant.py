"""Answers at every instant, as a factory asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from datacell.algebra.open_ends import OpenEnds
from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.window import Now
from datacell.compile.evaluation import EveryInstant
from datacell.engines.transfers import Account
from datacell.runtime.evaluation import Fired, Held, PreparedBatch, Ready
from datacell.runtime.instants.cut_points import CutPoint
from datacell.runtime.instants.made import MadeRows, narrows
from datacell.runtime.instants.running_program import RunningProgram
from datacell.runtime.plans.plans import Plans
from datacell.runtime.storage.output import Output
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Batch, Need
from datacell.runtime.streams.first_stage import Arrived, MadeOf, Wanted
from datacell.runtime.streams.lateness import AnsweredWindow
from datacell.runtime.versions import KeptVersions


class AnswersAtEveryInstant:
    """A query over windows without SLIDE, and how far it has come."""

    def __init__(self, described: EveryInstant, baskets: Mapping[str, Basket], plans: Plans, output: Output) -> None:
        self.strategy = described.strategy
        saved: dict[str, Any] = {} if output.last is None else output.last.state
        cut_points = tuple(tuple(CutPoint(**c) for c in of_one) for of_one in saved.get("cut_points", ()))
        reached = saved.get("now", -FOREVER), saved.get("released", -FOREVER), cut_points
        self._staged = [
            MadeRows(one, baskets[one.stream], plans, output.directory / "made" / str(number))
            for number, one in enumerate(described.stateless)
        ]
        self._open_ends = OpenEnds()
        self._versions = [
            KeptVersions(
                one.versions,
                plans,
                output.directory / "made" / f"latest-{one.versions.index}",
                baskets[one.versions.stream].last_batch,
                self._open_ends,
            )
            for one in described.program.versions
        ]
        named = ((name, self._of(name), basket) for name, basket in baskets.items())
        self._narrowed = {name for name, made, basket in named if made and narrows(made, basket.schema)}
        """The streams of which less comes to the driver if the first stage makes something of them."""
        self._has_cluster = plans.has_cluster
        since = saved.get("since", -FOREVER)
        self.program = RunningProgram(
            described.program,
            baskets,
            plans,
            *reached,
            staged=self._staged,
            since=since,
            kept=self._versions,
            open_ends=self._open_ends,
        )
        self._recovered = None if output.last is None else output.last.rows
        self._has_fired = False

    def prepare(self, stream: str, batch: Batch) -> PreparedBatch:  # noqa: ARG002
        return {}

    def ingest(self, stream: str, batch: Batch, prepared: PreparedBatch) -> None:  # noqa: ARG002
        """Rows are taken when time has come to them; those of a LATEST window stay for longer than others."""
        for one in self._of(stream):
            one.forget_from(batch.number)
        for versions in self._versions:
            if versions.described.stream == stream:
                versions.forget_from(batch.number)
                versions.put(batch, self.program.now)

    def wanted(self, stream: str, expected: float) -> Sequence[Wanted] | None:
        """What needs no state; the rest is done, and what is kept stays, in the driver."""
        if stream not in self._narrowed or not self._has_cluster:
            return None
        staged = self._of(stream)
        return [one.wanted for one in staged] if all(one.is_for_cluster(expected) for one in staged) else None

    def ingest_made(self, stream: str, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> None:
        for one in self._of(stream):
            one.put(arrived, next(found for wanted, found in made if wanted is one.wanted), missed)

    def is_due(self, ready: Ready) -> bool:
        now = ready()
        return self.program.is_due(now.watermark, now.ended)

    def fire(self, ready: Ready) -> Fired | None:
        """Let time go on to the watermark."""
        now = ready()
        rows = self.program.advance(now.watermark, now.ended)
        return Fired(rows, rows, None, _saved(self.program))

    def keep(self, fired: Fired) -> None:  # noqa: ARG002 - the program has gone on already
        self._has_fired = True

    def oldest_needed(self, stream: str, coming: bool) -> list[Need]:  # noqa: ARG002
        """The rows whose validity reaches what has not been given out."""
        return self.program.sources.oldest_needed(stream, self.program.released)

    def answered_windows(self, stream: str, watermark: int) -> list[AnsweredWindow] | None:
        """A row comes too late once the instant at which it begins has been answered."""
        until = max(watermark, self.program.now)
        return [AnsweredWindow(Now(), until) for name, _ in self.program.program.windows if name == stream]

    def transfers(self) -> list[tuple[str, Account]]:
        return [(one.described.name, one.account) for one in self._staged]

    def expire(self) -> None:
        """Operators let go of rows by themselves."""
        for one in self._staged:
            one.expire(self.program.released)
        for versions in self._versions:
            versions.expire(self.program.released)

    def held(self) -> Held:
        held, sizes = (
            self.program.held(),
            [*(one.size() for one in self._staged), *(one.rows.size() for one in self._versions)],
        )
        return Held(held.chunks, held.rows + sum(rows for rows, _ in sizes), sum(size for _, size in sizes))

    def latest(self) -> pa.Table | None:
        return self.program.latest() if self._has_fired else self._recovered

    def remark(self) -> str:
        return self.program.remark()

    def _of(self, stream: str) -> list[MadeRows]:
        return [one for one in self._staged if one.described.stream == stream]


def settled(answers: AnswersAtEveryInstant, ready: Ready) -> Fired | None:
    """Everything before the instant that time has come to is given out; what follows is answered again."""
    until = max(answers.program.now, ready().watermark)
    if until == -FOREVER:
        return None
    rows = answers.program.settle(until)
    return Fired(rows, rows, None, _saved(answers.program))


def _saved(program: RunningProgram) -> dict[str, Any]:
    cut_points = [[asdict(c) for c in of_one.known] for of_one in program.cut_points]
    reached = {"now": program.now, "released": program.released, "since": program.since}
    return {**reached, "cut_points": cut_points}
