"""Where whoever brings rows waits: for room in a basket, and for the delivery of answers that its rows lead to."""

from __future__ import annotations

import logging
from collections.abc import Callable
from math import inf
from threading import Condition
from time import monotonic

from datacell.errors import SourceError
from datacell.runtime.net.backpressure import full, undelivered
from datacell.runtime.net.members import Members

LONG = 10.0
"""Seconds without any delivery after which it is told that a stream waits for one."""

_LOG = logging.getLogger("datacell")


class Waiting:
    """Of a net. `changed` is notified when it has come to rest; `check` waits for that, and raises what went wrong."""

    def __init__(self, members: Members, changed: Condition, check: Callable[[], None]) -> None:
        self._members, self._changed, self._check = members, changed, check
        self._patience, self._is_closed = inf, False

    def open(self, patience: float = inf) -> None:
        """Rows may come; who waits for a delivery gives up after so many seconds without any."""
        self._patience, self._is_closed = patience, False

    def close(self) -> None:
        """Nobody waits any more, or brings rows."""
        self._is_closed = True

    def wait_for_room(self, stream: str) -> None:
        """Backpressure: whoever brings rows waits for the net, and for room in the basket."""
        self._check()
        while not self._members.receptions[stream].has_room():
            self._wait()

    def wait_for_delivery(self, stream: str) -> None:
        """Answers that nobody takes are backpressure, too: nothing of them is ever let go."""
        self._check()
        found, since, is_told = full(self._members, stream), monotonic(), False
        while found is not None:
            before = found.output.undelivered()
            self._wait()
            now = full(self._members, stream)
            if now is not found or now.output.undelivered() < before:
                since = monotonic()
            elif monotonic() - since > self._patience:
                raise undelivered(found)
            elif monotonic() - since > LONG and not is_told:
                _LOG.warning("stream %s waits: %s", stream, undelivered(found).message)
                is_told = True
            found = now

    def _wait(self) -> None:
        self._changed.wait(0.1)
        self._check()
        if self._is_closed:
            raise SourceError("stopped")
