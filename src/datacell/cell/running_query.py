"""A continuous query at work, as Python sees it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from datacell.cell.result import Result
from datacell.compile.explain import Format, Stage, explain
from datacell.emitters.callback import CallbackEmitter
from datacell.runtime.net.sharing import others
from datacell.runtime.storage.output import Firing

if TYPE_CHECKING:
    from datacell.cell.cell import Cell

_LOOK = 0.2
"""Seconds between two looks whether the query has stopped."""

_GONE = "results of %s: firings %d to %d were let go before they were read, connect(kept_firings=…) keeps more"

_LOG = logging.getLogger("datacell")


@dataclass(frozen=True)
class RunningQuery:
    """A continuous query at work."""

    cell: Cell
    name: str

    def results(self, timeout: float | None = None) -> Iterator[Result]:
        """What each firing wrote, as it comes; ends when the input has, or when nothing came for `timeout` seconds.

        If the query has stopped, it raises why. Whoever is slow finds the firings within the bound; that others were
        let go is logged, and can be told from the numbers of the results.
        """
        query = self.cell.statements.queries.named(self.name)
        factory, output = query.factory, query.factory.output
        if not output.closed:
            self.cell.start()
        number, since = query.since, monotonic()
        with output.read_along(number) as reads_from:
            while timeout is None or monotonic() - since <= timeout:
                firing = output.wait(number, _LOOK if timeout is None else min(_LOOK, timeout))
                if firing is not None:
                    if number < min(firing.number, output.let_go_below):
                        _LOG.warning(_GONE, self.name, number, firing.number - 1)
                    number, since = firing.number + 1, monotonic()
                    if len((mine := query.its(firing)).rows):
                        yield self._result(mine)
                    reads_from(number)
                elif factory.stopped is not None:
                    raise factory.stopped.error(self.name)
                elif output.closed:
                    return

    def restart(self) -> None:
        """Try it again after it has stopped: it goes on where it was."""
        self.cell.statements.queries.restart(self.name)

    def on_result(self, callback: Callable[[Result], object]) -> None:
        """Call back with what each firing wrote, in order, from a thread of its own; at least once."""

        def deliver(firing: Firing) -> object:
            return callback(self._result(firing)) if len(firing.rows) else None

        name = f"callback {len(self.cell.works.deliveries.running) + 1} of {self.name}"
        self.cell.statements.deliver(name, self.name, CallbackEmitter(deliver))

    def explain(self, stage: str = "optimized", format: str = "text") -> str:
        """The query's plan at a stage; the physical one with the engines that run it now."""
        query = self.cell.statements.queries.named(self.name)
        how = Stage(stage), Format(format), self.name, query.factory.plans.sites()
        return explain(query.factory.compiled, *how, others(query), query.factory.family is not None)

    def _result(self, firing: Firing) -> Result:
        names = self.cell.statements.queries.named(self.name).result_names
        return Result(firing.rows.rename_columns(names), self.cell.spark, firing.number)
