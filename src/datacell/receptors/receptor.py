"""A receptor at work: one Structured Streaming query that hands every micro-batch to a basket."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from datacell.errors import DataCellError, SourceError
from datacell.receptors.checks import checked
from datacell.sql.catalog import StreamDefinition

Deposit = Callable[[int, DataFrame], None]


class Receptor:
    """Reads a frame into a basket by `deposit`. Spark's own checkpoint says how far it has read."""

    def __init__(self, stream: StreamDefinition, frame: DataFrame, checkpoint: Path, deposit: Deposit) -> None:
        self.stream, self.frame, self.checkpoint, self.deposit = stream, frame, checkpoint, deposit
        self._query: StreamingQuery | None = None
        self._failure: DataCellError | None = None

    def start(self, once: bool) -> None:
        """Read what is there and end, or read on until stopped."""
        writer = checked(self.frame, self.stream).writeStream.foreachBatch(self._take)
        trigger = writer.trigger(availableNow=True) if once else writer.trigger(processingTime="0 seconds")
        name = f"receptor {self.stream.name}"
        self._query = trigger.queryName(name).option("checkpointLocation", str(self.checkpoint)).start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; True if it has come. Raises what went wrong."""
        if self._query is None:
            return True
        try:
            ended = self._query.awaitTermination(None if seconds is None else max(1, int(seconds)))
        except StreamingQueryException as error:
            if self._failure is not None:
                raise self._failure from None
            message = str(error).strip().splitlines()[0]
            raise SourceError(f"stream {self.stream.name} stopped: {message}") from error
        return bool(ended) or seconds is None

    @property
    def active(self) -> bool:
        return self._query is not None and self._query.isActive

    def stop(self) -> None:
        if self._query is not None:
            self._query.stop()
            self._query = None

    def _take(self, frame: DataFrame, number: int) -> None:
        try:
            self.deposit(number, frame)
        except DataCellError as error:
            self._failure = error
            raise
