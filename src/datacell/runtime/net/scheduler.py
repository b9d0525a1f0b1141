"""The scheduler: fires what is enabled, whenever rows have come, time has passed or the input has ended.

One thing happens at a time. A batch is taken, the net runs to quiescence, then the next one is taken; a receptor may
read it meanwhile, and slices may be made of it, which changes nothing yet. Factories that do not feed each other and
mostly wait for Spark fire at the same time, which nobody can tell. So a boundary that is due is answered before
any later row is seen, a full basket is backpressure on its receptor, and how batches of different streams interleave is
the only freedom there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Condition, RLock

import pyarrow as pa

from datacell.runtime.clock import Clock
from datacell.runtime.net.expiry import expire
from datacell.runtime.net.members import Members
from datacell.runtime.net.petri import run_to_quiescence
from datacell.runtime.net.reception import Offered, OfferedStaged
from datacell.runtime.net.sharing import Sharing
from datacell.runtime.net.waiting import Waiting

MOST_AT_ONCE = 8
"""Firings on Spark at the same time: enough for their fixed costs to overlap, few enough for a cluster's scheduler."""


class Scheduler:
    """Drives the members of a net. Its lock guards everything in it."""

    def __init__(self, clock: Clock, sharing: Sharing = Sharing.AUTO) -> None:
        self.members = Members(clock, sharing)
        self._lock = RLock()
        self._changed = Condition(self._lock)
        self._worker = ThreadPoolExecutor(1, "net")
        self._beside = ThreadPoolExecutor(MOST_AT_ONCE, "beside")
        self._is_firing = False
        self._failure: BaseException | None = None
        self.waiting = Waiting(self.members, self._changed, self.check)
        """Where whoever brings rows waits."""

    @contextmanager
    def exclusively(self) -> Iterator[Members]:
        """The members of the net, between two firings."""
        with self._lock:
            yield self.members

    def deposit(self, stream: str, number: int, rows: pa.Table, rejected: pa.Table) -> None:
        """Take a batch from a receptor and let the net run to quiescence."""
        with self._lock:
            self._take(stream, Offered(number, rows, rejected))
            self.run()

    def hand_over(self, stream: str, number: int, rows: pa.Table, rejected: pa.Table) -> None:
        """Take a batch; the net runs while the receptor reads the next one and slices are made of it."""
        prepared = self.members.streams[stream].prepare(rows)
        self.offer(stream, Offered(number, rows, rejected, prepared))

    def offer(self, stream: str, offered: Offered | OfferedStaged) -> bool:
        """The same with a batch of which everything was made that can be before it is taken; False if it was not."""
        with self._lock:
            taken = self._take(stream, offered)
            self._is_firing = True
            self._worker.submit(self._run_beside)
        return taken

    def insert(self, stream: str, text: str, rows: Callable[[], pa.Table]) -> None:
        """Carry out an INSERT statement and fire what its rows enable; of the text's executions each counts once."""
        with self._lock:
            self.waiting.wait_for_room(stream)
            self.members.drained = False
            self.members.streams[stream].execute(text, rows)
            self.fire()

    def wait(self) -> None:
        """Until the net has come to rest after the last batch."""
        with self._lock:
            while self._is_firing:
                self._changed.wait()

    def check(self) -> None:
        """Wait, and raise what went wrong."""
        with self._lock:
            self.wait()
            failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def holds(self, stream: str, number: int) -> bool:
        """Was the batch taken before? Only the receptor that asks takes any, so it need not wait for the net."""
        return self.members.receptions[stream].holds(number)

    def drain(self) -> None:
        """The input has ended: close every window."""
        with self._lock:
            self.members.drained = True
            self.fire()

    def fire(self) -> None:
        """Fire what is enabled, and let go of nothing: other readers may still be to come."""
        with self._lock:
            for stream in self.members.streams.values():
                stream.check()
            run_to_quiescence(self.members.net, self.members.actions(), self._beside)

    def run(self) -> None:
        """Fire what is enabled, then let go of the rows that nobody needs."""
        with self._lock:
            self.fire()
            expire(self.members)
            self._changed.notify_all()

    def tick(self) -> None:
        """Time passes also when no rows come: idle streams stop holding others back, arrival time goes on."""
        if any(s.idle() or s.definition.event_time is None for s in list(self.members.streams.values())):
            self.run()

    def _take(self, stream: str, offered: Offered | OfferedStaged) -> bool:
        self.waiting.wait_for_delivery(stream)
        self.waiting.wait_for_room(stream)  # last: who waits lets others bring rows, which may fill the basket
        reception = self.members.receptions[stream]
        reception.offer(offered)
        if not reception.enabled():
            return True
        self.members.drained = False
        return reception.fire()

    def _run_beside(self) -> None:
        with self._lock:
            try:
                self.run()
            except BaseException as failure:  # raised where the next batch is taken
                self._failure = failure
            finally:
                self._is_firing = False
                self._changed.notify_all()
