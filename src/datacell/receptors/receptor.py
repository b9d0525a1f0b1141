"""A receptor at work: one Structured Streaming query that hands every micro-batch to a basket."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Event, Lock

from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from datacell.algebra.definitions import StreamDefinition
from datacell.errors import DataCellError, SourceError
from datacell.receptors.checks import checked
from datacell.receptors.reasons import explained
from datacell.receptors.sources import Source

_IMPASSABLE = "MALFORMED_CSV_RECORD"
"""What Spark says when its csv reader cannot pass a line."""

LONGEST_BATCH = 60.0
"""Seconds that stopping waits for a batch; then it is interrupted, and read again next time."""

Deposit = Callable[[int, DataFrame], None]


class Receptor:
    """Reads a source into a basket by `deposit`. Spark's own checkpoint says how far it has read."""

    def __init__(self, stream: StreamDefinition, source: Source, checkpoint: Path, deposit: Deposit) -> None:
        self.stream, self.source, self.checkpoint, self.deposit = stream, source, checkpoint, deposit
        self._query: StreamingQuery | None = None
        self._failure: DataCellError | None = None
        self._once = False
        self._taking, self._stopping = Lock(), Event()
        self._careful = source.careful

    def start(self, once: bool) -> None:
        """Read what is there and end, or listen and read on until stopped."""
        if self.source.listener is not None and not once:
            self.source.listener.start()
        self._once = once
        _forget_a_half_start(self.checkpoint)
        self._read(self.source.frame, once)

    @property
    def port(self) -> int | None:
        """Where it listens, if it does."""
        return None if self.source.listener is None else self.source.listener.port

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; True if it has come. Raises what went wrong."""
        if self._query is None:
            return True
        try:
            ended = self._query.awaitTermination(None if seconds is None else max(1, int(seconds)))
        except StreamingQueryException as error:
            if self._failure is not None:
                raise self._failure from None
            if not self._can_be_more_careful(error):
                raise self._stopped(error) from error
            return self.wait(seconds)
        return bool(ended) or seconds is None

    @property
    def active(self) -> bool:
        return self._query is not None and self._query.isActive

    def stop(self) -> None:
        """Let the batch at hand be finished, take no other, then stop reading."""
        if self.source.listener is not None:
            self.source.listener.stop()
        if self._query is None:
            return
        self._stopping.set()
        if self._taking.acquire(timeout=LONGEST_BATCH):
            self._taking.release()
        self._query.stop()
        self._query = None

    def _read(self, frame: DataFrame, once: bool) -> None:
        writer = checked(frame, self.stream).writeStream.foreachBatch(self._take)
        trigger = writer.trigger(availableNow=True) if once else writer.trigger(processingTime="0 seconds")
        named = trigger.queryName(f"receptor {self.stream.name}").option("checkpointLocation", str(self.checkpoint))
        try:
            self._query = named.start()
        except PySparkException as error:
            self.stop()
            raise self._stopped(error) from error

    def _can_be_more_careful(self, error: StreamingQueryException) -> bool:
        """After a line that the fast reader cannot pass, the batch is read again with care."""
        careful, self._careful = self._careful, None
        if careful is None or _IMPASSABLE not in str(error):
            return False
        self._read(careful, self._once)
        return True

    def _take(self, frame: DataFrame, number: int) -> None:
        with self._taking:
            if self._stopping.is_set():  # not taken, so Spark will not count it as read
                raise SourceError("stopped")
            try:
                self.deposit(number, frame)
            except DataCellError as error:
                self._failure = error
                raise

    def _stopped(self, error: PySparkException) -> SourceError:
        return SourceError(
            f"stream {self.stream.name} stopped: {explained(str(error))}",
            hint="fix the source and run again: with the same checkpoint it goes on where it stopped",
        )


def _forget_a_half_start(checkpoint: Path) -> None:
    """Spark refuses a directory in which it was killed before it had planned a first batch; nothing is lost with it."""
    if checkpoint.is_dir() and not any(path.name.isdigit() for path in (checkpoint / "offsets").glob("*")):
        shutil.rmtree(checkpoint)
