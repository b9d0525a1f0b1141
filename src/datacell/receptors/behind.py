"""One behind: a batch is taken while Spark writes down what it has read and plans the next.

Spark then counts a batch as read before it was taken, which only what can be read again allows: after a crash
`spark_log` takes that back. There is never more than one batch behind, and what went wrong with it is raised before the
next one begins.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from secrets import token_hex
from threading import Lock

from pyspark import SparkContext


class OneBehind:
    """Of one receptor. Any thread may wait for the batch; who waits first learns what went wrong with it."""

    def __init__(self, name: str) -> None:
        self._worker, self._tag = ThreadPoolExecutor(1, name), f"datacell-{token_hex(8)}"
        self._behind: Future[None] | None = None
        self._lock = Lock()

    def begin(self, context: SparkContext, take: Callable[[], None]) -> None:
        """Take a batch, once the one before is taken."""
        self.finish()

        def tagged() -> None:
            context.addJobTag(self._tag)
            take()

        self._behind = self._worker.submit(tagged)

    def finish(self) -> None:
        """Wait until there is no batch."""
        behind = self._behind
        if behind is None:
            return
        wait([behind])
        with self._lock:
            is_first, self._behind = self._behind is behind, None
        if is_first:
            behind.result()

    def interrupt(self, context: SparkContext) -> None:
        """Let Spark give up what it does for the batch."""
        context.cancelJobsWithTag(self._tag)

    @property
    def is_busy(self) -> bool:
        behind = self._behind
        return behind is not None and not behind.done()

    @property
    def has_failed(self) -> bool:
        """Was a batch not taken, and has nobody learned that yet?"""
        behind = self._behind
        return behind is not None and behind.done() and behind.exception() is not None

    def close(self) -> None:
        """No batch will come any more."""
        self._worker.shutdown(wait=False)
