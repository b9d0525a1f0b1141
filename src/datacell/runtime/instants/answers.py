"""Answers at every instant, as a factory asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from datacell.algebra.window import Now
from datacell.compile.evaluation import EveryInstant as Described
from datacell.intervals.validity import FOREVER
from datacell.runtime.evaluation import Fired, Held, Prepared, Ready
from datacell.runtime.instants.cut_points import Turn
from datacell.runtime.instants.every_instant import EveryInstant
from datacell.runtime.plans.plans import Plans
from datacell.runtime.storage.output import Output
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Batch, Need
from datacell.runtime.streams.stream import AnsweredWindow


class AnswersAtEveryInstant:
    """A query over windows without SLIDE, and how far it has come."""

    def __init__(self, described: Described, baskets: Mapping[str, Basket], plans: Plans, output: Output) -> None:
        self.strategy = described.strategy
        saved: dict[str, Any] = {} if output.last is None else output.last.state
        cuts = tuple(tuple(Turn(**cut) for cut in cuts) for cuts in saved.get("turns", ()))
        at = saved.get("now", -FOREVER), saved.get("released", -FOREVER), cuts
        self.program = EveryInstant(described.program, baskets, plans, *at)
        self._recovered = None if output.last is None else output.last.rows
        self._has_fired = False

    def prepare(self, stream: str, batch: Batch) -> Prepared:  # noqa: ARG002
        return {}

    def ingest(self, stream: str, batch: Batch, prepared: Prepared) -> None:
        """Rows are taken when time has come to them."""

    def is_due(self, ready: Ready) -> bool:
        now = ready()
        return self.program.is_due(now.watermark, now.ended)

    def fire(self, ready: Ready) -> Fired | None:
        """Let time go on to the watermark."""
        now = ready()
        rows = self.program.advance(now.watermark, now.ended)
        cuts = [[asdict(cut) for cut in cuts.known] for cuts in self.program.turns]
        saved = {"now": self.program.now, "released": self.program.released, "turns": cuts}
        return Fired(rows, rows, None, saved)

    def keep(self, fired: Fired) -> None:  # noqa: ARG002 - the program has gone on already
        self._has_fired = True

    def oldest_needed(self, stream: str, coming: bool) -> list[Need]:  # noqa: ARG002
        return self.program.oldest_needed(stream)

    def answered_windows(self, stream: str, watermark: int) -> list[AnsweredWindow] | None:
        """A row comes too late once the instant at which it begins has been answered."""
        until = max(watermark, self.program.now)
        return [(Now(), until) for name, _ in self.program.program.windows if name == stream]

    def expire(self) -> None:
        """Operators let go of rows by themselves."""

    def held(self) -> Held:
        return self.program.state()

    def latest(self) -> pa.Table | None:
        return self.program.latest() if self._has_fired else self._recovered

    def remark(self) -> str:
        return self.program.remark()
