"""INSERT INTO a stream: the answers of a query become rows of another stream, firing by firing."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from datacell.errors import CheckpointError, EngineError, EngineLostError
from datacell.runtime.storage.output import Output
from datacell.runtime.streams.stream import RunningStream

_LOG = logging.getLogger("datacell")


class Feeder:
    """Lets the firings of an output pass a stream's gate, each exactly once: its number is the batch's.

    Where the gate cannot be evaluated, `failure` says why, and the firing waits until the query is started again.
    """

    def __init__(self, source: str, output: Output, columns: Sequence[str], stream: RunningStream) -> None:
        self.source, self.output, self.columns, self.stream = source, output, list(columns), stream
        self.failure: str | None = None

    waits = False

    @property
    def cursor(self) -> int:
        return self.stream.basket.next_number(self.source)

    def enabled(self) -> bool:
        return self.failure is None and self.output.next_number > self.cursor

    def fire(self) -> None:
        firing = self.output.wait(self.cursor, 0)
        if firing is None:
            return
        try:
            self.stream.insert(self.source, firing.number, firing.rows.select(self.columns))
        except (CheckpointError, EngineLostError):
            raise
        except EngineError as error:
            self.failure = f"its rows cannot enter {self.stream.definition.name}: {error.message}"
            _LOG.error("continuous query %s: %s", self.source, self.failure)
