"""Couriers: the threads that hand firings to emitters. There are few of them, however many emitters there are.

An errand is what is to be done for one emitter, step by step, never by two couriers at once. A step that takes long, as
waiting for a client does, holds up nobody: for every courier who is held up another one comes.
"""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from itertools import count
from threading import Condition, Thread
from time import monotonic
from typing import Protocol

AT_WORK = 4
"""Couriers who get on, while there is something to do: what they wait for is mostly the disk."""

HELD_UP = 0.1
"""Seconds in one step after which a courier is held up."""

_IDLE = 5.0
"""Seconds without anything to do after which a courier leaves."""


class Errand(Protocol):
    def step(self) -> float | None:
        """Do a little; in how many seconds to go on, or None: when it is called again. It does not raise."""


class Couriers:
    """Thread-safe. Whoever has something to be done calls for it."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._ready: deque[Errand] = deque()
        self._later: list[tuple[float, int, Errand]] = []
        self._waiting: set[Errand] = set()
        """Those that are in the queue."""
        self._busy: dict[Errand, float] = {}
        """Those that somebody is on, and since when."""
        self._again: set[Errand] = set()
        """Of these, the ones that were called for meanwhile."""
        self._numbers, self._threads, self._is_watched = count(), 0, False

    def call(self, errand: Errand) -> None:
        """There is something to do."""
        with self._changed:
            self._enqueue(errand)

    def is_on(self, errand: Errand) -> bool:
        with self._changed:
            return errand in self._busy

    def wait_for(self, errand: Errand, seconds: float) -> bool:
        """Until nobody is on it any more; False if that takes longer."""
        with self._changed:
            return self._changed.wait_for(lambda: errand not in self._busy, seconds)

    def _enqueue(self, errand: Errand) -> None:
        if errand in self._busy:
            self._again.add(errand)
        elif errand not in self._waiting:
            self._waiting.add(errand)
            self._ready.append(errand)
            if not self._is_watched:
                self._is_watched = True
                Thread(target=self._watch, name="couriers", daemon=True).start()
            self._changed.notify()
            self._hire()

    def _hire(self) -> None:
        """One more, if too few get on."""
        now = monotonic()
        held_up = sum(now - since > HELD_UP for since in list(self._busy.values()))
        if self._ready and self._threads - held_up < AT_WORK:
            self._threads += 1
            Thread(target=self._work, name="courier", daemon=True).start()

    def _watch(self) -> None:
        """What was to be done later is to be done now, and nobody waits for a courier who is held up."""
        with self._changed:
            while self._ready or self._later or self._busy:
                now = monotonic()
                while self._later and self._later[0][0] <= now:
                    self._enqueue(heappop(self._later)[2])
                self._hire()
                next_one = self._later[0][0] - now if self._later else HELD_UP
                self._changed.wait(min(HELD_UP, next_one) if self._ready or self._busy else next_one)
            self._is_watched = False

    def _work(self) -> None:
        with self._changed:
            try:
                while self._ready or self._changed.wait_for(lambda: self._ready, _IDLE):
                    errand = self._ready.popleft()
                    self._waiting.discard(errand)
                    self._busy[errand] = monotonic()
                    self._changed.release()
                    try:
                        pause = errand.step()
                    finally:
                        self._changed.acquire()
                        del self._busy[errand]
                        self._changed.notify_all()
                    self._go_on(errand, pause)
                    if len(self._busy) > AT_WORK and self._threads > len(self._busy) + AT_WORK:
                        return
            finally:
                self._threads -= 1

    def _go_on(self, errand: Errand, pause: float | None) -> None:
        is_called = errand in self._again
        self._again.discard(errand)
        if is_called or pause == 0:
            self._enqueue(errand)
        elif pause is not None:
            heappush(self._later, (monotonic() + pause, next(self._numbers), errand))
