"""A table is replaced: between two firings, by a newer version for all running queries that read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from datacell.errors import SqlError
from datacell.runtime.instants.every_instant import AnswersAtEveryInstant, settled
from datacell.runtime.net.factory import Factory, write
from datacell.runtime.net.scheduler import Scheduler


def replace_table(scheduler: Scheduler, table: str, replaced: Callable[[Sequence[Factory]], None]) -> None:
    """Let all that is due be answered; then `replaced` puts a newer version in place for those that read the table."""
    with scheduler.exclusively() as net:
        scheduler.fire()
        readers = net.readers_of_table(table)
        for factory in readers:
            _settle(factory)
        replaced(readers)


def _settle(factory: Factory) -> None:
    """Write what only the older version answers: at every instant answers reach as far as time has come.

    At boundaries and row by row nothing does, once all that is due has been answered.
    """
    if isinstance(factory.evaluation, AnswersAtEveryInstant):
        try:
            write(factory, settled(factory.evaluation, factory.ready))
        except SqlError as error:
            raise SqlError(f"continuous query {factory.name}: {error.message}", hint=error.hint) from None
