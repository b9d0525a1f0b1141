"""Time is a parameter: who needs the time of day is given a clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """This instant, with its time zone."""


def _wall() -> datetime:
    return datetime.now(UTC)


class SystemClock:
    """The machine's clock, but one that never goes back.

    While the machine's clock is behind what was told before, this one goes on at half the pace, until they agree.
    """

    def __init__(self, wall: Callable[[], datetime] = _wall, seconds: Callable[[], float] = time.monotonic) -> None:
        self._wall, self._seconds = wall, seconds
        self._told, self._at = wall(), seconds()
        self._lock = Lock()

    def now(self) -> datetime:
        with self._lock:
            wall, at = self._wall(), self._seconds()
            self._told, self._at = max(wall, self._told + timedelta(seconds=at - self._at) / 2), at
            return self._told
