"""A continuous query at work, as Python sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from datacell.cell.result import Result
from datacell.compile.explain import Format, Stage, explain
from datacell.emitters.callback import CallbackEmitter
from datacell.runtime.storage.output import Firing

if TYPE_CHECKING:
    from datacell.cell.cell import Cell


@dataclass(frozen=True)
class RunningQuery:
    """A continuous query at work."""

    cell: Cell
    name: str

    def results(self, timeout: float | None = None) -> Iterator[Result]:
        """What each firing wrote, as it comes; ends when the input has, or when nothing came for `timeout` seconds."""
        output = self.cell.statements.factory(self.name).output
        if not output.closed:
            self.cell.start()
        number = 0
        while (firing := output.wait(number, timeout)) is not None:
            number = firing.number + 1
            if len(firing.rows):
                yield Result(firing.rows, self.cell.spark, firing.number)

    def on_result(self, callback: Callable[[Result], object]) -> None:
        """Call back with what each firing wrote, in order, from a thread of its own; at least once."""

        def deliver(firing: Firing) -> object:
            return callback(Result(firing.rows, self.cell.spark, firing.number)) if len(firing.rows) else None

        name = f"callback {len(self.cell.works.deliveries.running) + 1} of {self.name}"
        self.cell.statements.deliver(name, self.name, CallbackEmitter(deliver))

    def explain(self, stage: str = "optimized", format: str = "text") -> str:
        """The query's plan at a stage; the physical one with the engines that run it now."""
        factory = self.cell.statements.factory(self.name)
        return explain(factory.compiled, Stage(stage), Format(format), self.name, factory.plans.sites())
