"""Behind Spark: a batch is made and taken while Spark writes down what it has read and plans the next ones.

What is wanted of a batch is made while the one before is made or taken, so that the fixed costs of one overlap with the
work of the other; each is taken after the one before it, or not at all. Spark then counts batches as read before they
are taken, which only what can be read again allows: after a crash `spark_log` takes that back. After a batch that went
wrong none begins until that is dealt with.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from secrets import token_hex
from threading import Lock

from pyspark import SparkContext
from pyspark.sql import DataFrame

AT_ONCE = 2
"""Batches that are made or taken at the same time; Spark has counted no more than these as read."""

Take = Callable[[], None]
"""Takes a batch of which everything was made that is wanted."""

Make = Callable[[DataFrame, int], Take]


class Behind:
    """Of one receptor. Any thread may wait for its batches, and learns what went wrong with them."""

    def __init__(self, name: str) -> None:
        self._workers, self._tag = ThreadPoolExecutor(AT_ONCE, name), f"datacell-{token_hex(8)}"
        self._alone = Lock()
        self._batches: dict[int, Future[None]] = {}
        self._last_alone: Future[None] | None = None
        self._context: SparkContext | None = None

    def begin(self, make: Make, frame: DataFrame, number: int) -> None:
        """Make and take a batch, once there are not too many."""
        if (oldest := self._batches.get(number - AT_ONCE)) is not None:
            oldest.result()
        for batch in self._all():
            if batch.done():
                batch.result()
        self._batches = {n: batch for n, batch in self._batches.items() if n > number - AT_ONCE}
        self._context = frame.sparkSession.sparkContext
        self._batches[number] = self._workers.submit(self._run, make, frame, number)

    def alone(self, make: Make, frame: DataFrame, number: int) -> None:
        """Make and take a batch before Spark goes on."""
        with self._alone:
            self._last_alone = Future()
            try:
                make(frame, number)()
                self._last_alone.set_result(None)
            except BaseException as error:
                self._last_alone.set_exception(error)
                raise

    def catch_up(self, number: int) -> None:
        """For who makes this batch: wait until the one before is taken; what went wrong with it is raised."""
        if (before := self._batches.get(number - 1)) is not None:
            before.result()

    def finish(self) -> None:
        """Wait until there is no batch; what went wrong is raised, first of the first one."""
        for batch in self._all():
            batch.result()

    def forget(self) -> BaseException | None:
        """Begin again; why the first batch was not taken that was not, if there is one."""
        wait(self._all())
        found = next((why for batch in self._all() if (why := batch.exception()) is not None), None)
        self._batches, self._last_alone = {}, None
        return found

    def wait(self, seconds: float) -> bool:
        """Wait until there is no batch, but for no longer than this."""
        if not self._alone.acquire(timeout=seconds):
            return False
        self._alone.release()
        return not wait(self._all(), seconds).not_done

    def interrupt(self) -> None:
        """Let Spark give up what it does for the batches."""
        if self._context is not None:
            self._context.cancelJobsWithTag(self._tag)

    @property
    def is_busy(self) -> bool:
        return any(not batch.done() for batch in self._all())

    @property
    def has_failed(self) -> bool:
        """Was one of the last batches not taken?"""
        return any(batch.done() and batch.exception() is not None for batch in self._all())

    def close(self) -> None:
        """No batch will come any more."""
        self._workers.shutdown(wait=False)

    def _run(self, make: Make, frame: DataFrame, number: int) -> None:
        before = self._batches.get(number - 1)
        frame.sparkSession.sparkContext.addJobTag(self._tag)
        take = make(frame, number)
        if before is not None:
            before.result()
        take()

    def _all(self) -> list[Future[None]]:
        alone = [] if self._last_alone is None else [self._last_alone]
        return [*alone, *(batch for _, batch in sorted(self._batches.items(), key=lambda one: one[0]))]
