"""A receptor at work: one Structured Streaming query that hands every micro-batch to a basket.

What can be read again is taken behind Spark (`behind`): then it does not matter that Spark counts it as read before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event, Lock

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from datacell.algebra.definitions import StreamDefinition
from datacell.engines.reasons import SPARK_ERRORS, explained, is_gone, lost
from datacell.errors import CheckpointError, DataCellError, EngineLostError, SourceError
from datacell.receptors.behind import AT_ONCE, Behind, Take
from datacell.receptors.checks import checked, checked_columns
from datacell.receptors.retrying import Retrying
from datacell.receptors.sources import Source, reads_files
from datacell.receptors.spark_log import Note, SparkLog

_IMPASSABLE = "MALFORMED_CSV_RECORD"
"""What Spark says when its csv reader cannot pass a line."""

LONGEST_BATCH = 60.0
"""Seconds that stopping waits for a batch; then it is interrupted, and read again next time."""

MOST_REREADS = 10
"""A batch that is read so often in one way and another and never taken would be read for ever."""

Deposit = Callable[[int, DataFrame], Take]
_OTHER_HEADER = "CSV header"
"""What Spark says of a file whose header is not what it was told to expect."""


@dataclass(frozen=True)
class Reading:
    """How a source is read: these columns of it, or all; and whether rows say where in the source they are."""

    columns: frozenset[str] | None = None
    is_ordered: bool = True

    def has(self, columns: frozenset[str]) -> bool:
        return self.columns is None or columns <= self.columns


class ReadDifferentlyError(DataCellError):
    """A batch was not taken, because it must be read in another way."""

    def __init__(self, reading: Reading) -> None:
        super().__init__("a batch is read again")
        self.reading = reading


class ReadWholeError(ReadDifferentlyError):
    """Some rows of a batch are kept as they came, so all columns are read, of all batches from now on."""

    def __init__(self) -> None:
        super().__init__(Reading())


class LogIsLongError(DataCellError):
    """A batch was not taken, because Spark begins a new log with it."""


class Receptor:
    """Reads a source into a basket by `deposit`. Spark's own log says how far it has read."""

    def __init__(self, stream: StreamDefinition, source: Source, checkpoint: Path, deposit: Deposit) -> None:
        self.stream, self.source, self.checkpoint, self.deposit = stream, source, checkpoint, deposit
        self._query: StreamingQuery | None = None
        self._once = False
        self._reviving, self._stopping = Lock(), Event()
        self._careful = source.careful
        self._is_careful = False
        self._rereads = 0
        self.log, self._taken = SparkLog(checkpoint, source.spool, AT_ONCE if source.can_be_read_again else 0), -1
        self.reading = Reading()
        self.retrying = Retrying()
        self.behind = Behind(f"receptor {stream.name}")

    def start(self, once: bool, taken: int, reading: Reading | None = None, note: Note | None = None) -> None:
        """Read what is there and end, or listen and read on until stopped.

        Batches up to `taken` are in the basket; the note is of the log when the last of them was taken.
        """
        self.log.prepare(taken, note)
        self._taken = taken
        if self.source.listener is not None and not once:
            self.source.listener.start()
        self._once, self.reading = once, reading or Reading()
        self._read()

    @property
    def port(self) -> int | None:
        """Where it listens, if it does."""
        return None if self.source.listener is None else self.source.listener.port

    @property
    def failure(self) -> str | None:
        """Why nothing can be read at present, or nothing be taken."""
        listener = self.source.listener
        return self.retrying.failure or (None if listener is None else listener.failure)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; True if it has come. Raises what went wrong, unless it is tried again."""
        query = self._query
        if query is None:
            return True
        if self.retrying.failure is not None and not self.active:
            self._try_again()
            return False
        try:
            if self.behind.has_failed:
                query.stop()
            ended = query.awaitTermination(None if seconds is None else max(1, int(seconds)))
            if ended or seconds is None:
                self.behind.finish()
        except Exception as error:  # whatever taking raises; Spark tells what its threads raised as its own
            with self._reviving:
                if self._query is query:  # else it was revived while this thread waited, too
                    self._read_again(error)
            return self.retrying.failure is None and self.wait(seconds)
        return bool(ended) or seconds is None

    def revive(self) -> None:
        """Read on, if reading has ended only because it goes on in another way, or because the source had failed."""
        if self._query is not None and not self.active:
            self.wait(1)

    @property
    def active(self) -> bool:
        """Does it read on by itself?"""
        reads = self._query is not None and (self._query.isActive or self.behind.is_busy)
        return reads and not self.behind.has_failed

    def stop(self) -> None:
        """Let the batch at hand be finished, take no other, then stop reading."""
        if self.source.listener is not None:
            self.source.listener.stop()
        if self._query is None:
            return
        self._stopping.set()
        if not self.behind.wait(LONGEST_BATCH):
            self.behind.interrupt()
        self._query.stop()
        self._query = None
        self.behind.close()

    def _read_again(self, error: Exception) -> None:
        """Read on in another way, if that is why reading has ended."""
        why = self.behind.forget() or error
        if isinstance(why, LogIsLongError):
            self.log.begin(self._taken)
            self._read()
            return
        again = self._differently(why)
        if again is None:
            assert isinstance(why, Exception)
            failure = why if isinstance(why, DataCellError) else cannot_read(self.stream, why)
            if self._once or isinstance(failure, CheckpointError | EngineLostError):
                raise failure from None
            if self.retrying.failure is None or self.retrying.is_due:
                self.retrying.failed(failure)
            return
        self.reading = again
        self._rereads += 1
        if self._rereads > MOST_REREADS:
            raise SourceError(f"stream {self.stream.name} stopped: a batch was read {MOST_REREADS} times and not taken")
        self._read()

    def _try_again(self) -> None:
        with self._reviving:
            if self.active or not self.retrying.is_due:
                return
            try:
                self._query = self._started()
            except SPARK_ERRORS as error:
                if is_gone(error):
                    raise lost() from error
                self.retrying.failed(cannot_read(self.stream, error))

    def _read(self) -> None:
        try:
            self._query = self._started()
        except SPARK_ERRORS as error:
            self.stop()
            raise cannot_read(self.stream, error) from error

    def _started(self) -> StreamingQuery:
        self.log.take_back(self._taken)
        behind = self.behind.begin if self.source.can_be_read_again else self.behind.alone
        writer = self._frame().writeStream.foreachBatch(partial(behind, self._take))
        trigger = writer.trigger(availableNow=True) if self._once else writer.trigger(processingTime="0 seconds")
        named = trigger.queryName(f"receptor {self.stream.name}").option("checkpointLocation", str(self.checkpoint))
        return named.start()

    def _frame(self) -> DataFrame:
        """The rows with why each must not enter; its text too, if all columns are read."""
        columns, plain = self.reading.columns, self.source.plain
        if self._is_careful and self._careful is not None:
            frame = self._careful()
        else:
            frame = self.source.frame() if self.reading.is_ordered or plain is None else plain
        if columns is None:
            return checked(frame, self.stream)
        return checked_columns(frame, self.stream, [c.name for c in self.stream.columns if c.name in columns])

    def _differently(self, why: BaseException) -> Reading | None:
        """How to read a batch that was not taken, if that helps; after a line that stops the fast reader, with care."""
        if isinstance(why, ReadDifferentlyError):
            return why.reading
        if _IMPASSABLE in _told(why) and self._careful is not None and not self._is_careful:
            self._is_careful = True
            return Reading()
        return Reading() if _OTHER_HEADER in _told(why) and not self.reading.is_ordered else None

    def _take(self, frame: DataFrame, number: int) -> Take:
        """Make what is wanted of a batch; what this gives takes it."""
        number += self.log.base
        _require_going_on(self._stopping)
        if self.log.is_long(number) and number > self._taken:
            raise LogIsLongError("a new log begins")
        take = self.deposit(number, frame)

        def taken() -> None:
            _require_going_on(self._stopping)
            take()
            if number > self._taken:
                self._taken = number
                self.log.taken()
            self.retrying.worked()
            self._rereads = 0

        return taken


def _require_going_on(stopping: Event) -> None:
    """Once a receptor stops nothing is taken, so Spark will not count it as read."""
    if stopping.is_set():
        raise SourceError("stopped")


def cannot_read(stream: StreamDefinition, error: BaseException) -> DataCellError:
    """What is said of a source that fails."""
    if is_gone(error):
        return lost()
    choices = "repair it, or move it away to go on without it" if reads_files(stream) else "fix the source"
    return SourceError(
        f"stream {stream.name} stopped: {explained(error)}",
        hint=f"{choices}, and run again: with the same checkpoint it goes on where it stopped",
    )


def _told(error: BaseException | None) -> str:
    """An error and what caused it."""
    return "" if error is None else f"{error}\n{_told(error.__cause__)}"
