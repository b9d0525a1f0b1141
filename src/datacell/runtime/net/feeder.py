"""INSERT INTO a stream: the answers of a query become rows of another stream, firing by firing."""

from __future__ import annotations

from collections.abc import Sequence

from datacell.runtime.storage.output import Output
from datacell.runtime.streams.stream import RunningStream


class Feeder:
    """Lets the firings of an output pass a stream's gate, each exactly once: its number is the batch's."""

    def __init__(self, source: str, output: Output, columns: Sequence[str], stream: RunningStream) -> None:
        self.source, self.output, self.columns, self.stream = source, output, list(columns), stream

    waits = False

    @property
    def cursor(self) -> int:
        return self.stream.basket.next_number(self.source)

    def enabled(self) -> bool:
        return self.output.next_number > self.cursor

    def fire(self) -> None:
        firing = self.output.wait(self.cursor, 0)
        if firing is not None:
            self.stream.insert(self.source, firing.number, firing.rows.select(self.columns))
