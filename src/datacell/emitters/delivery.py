"""A delivery: an emitter with its own cursor and pace."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TypeAlias

from datacell.emitters.couriers import Couriers
from datacell.emitters.protocol import Acknowledged, Emitter
from datacell.errors import DataCellError, EmitterError
from datacell.runtime.storage import files
from datacell.runtime.storage.output import Firing, Output
from datacell.runtime.storage.seal import damaged

LONGEST_SILENCE = 60.0
"""Seconds without progress after which the end of a run gives a delivery up; a failing one is given up sooner."""

SHORTEST_FAILURE = 10.0

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.1, 30.0
"""Seconds between two tries of a delivery that keeps failing."""

_PATIENCE = 5.0
"""Seconds that the end of a delivery waits for what is being delivered."""

LONG = 10.0
"""Seconds after which it is told that something takes long."""

_LOOK = 0.2
"""Seconds between two looks for what has changed."""

_LOG = logging.getLogger("datacell")


Its: TypeAlias = Callable[[Firing], Firing]


def whole(firing: Firing) -> Firing:
    """All of a firing."""
    return firing


def saved_cursor(path: Path, emitter: str, output: Output, since: int = 0) -> int:
    """The number of the next firing to deliver; a new emitter begins with what is there of its query's answers."""
    if not path.exists():
        return max(since, output.first_number)
    cursor: int = files.read_json(path)["cursor"]
    if cursor > output.next_number:
        raise damaged(output.directory, f"emitter {emitter} has delivered firing {cursor - 1} from it")
    if cursor < output.first_number:
        gone = f"firing {cursor}, which emitter {emitter} has not delivered, is missing from {output.directory}"
        raise damaged(path, f"it is older than the rest, or {gone}")
    return cursor


class Delivery:
    """Delivers the firings of an output. `cursor` is the number of the first one that is not known to be delivered."""

    def __init__(
        self,
        name: str,
        output: Output,
        emitter: Emitter,
        saved: Path,
        couriers: Couriers,
        since: int = 0,
        its: Its = whole,
    ) -> None:
        """`its` says what of a firing is to be delivered."""
        self.name, self.output, self.emitter = name, output, emitter
        self.failure: str | None = None
        self._its = its
        self._saved, self._couriers = saved, couriers
        self.cursor = self._next = saved_cursor(saved, name, output, since)
        self._save(self.cursor)
        self._busy_since: float | None = None
        self._is_told, self._pause = False, _SHORTEST_PAUSE
        self._stopped = Event()

    def start(self) -> None:
        self.output.heard[self] = self.call
        self.call()

    def call(self) -> None:
        """There may be something to deliver."""
        self._couriers.call(self)

    @property
    def pending(self) -> int:
        """Firings that have not been delivered yet."""
        return self.output.next_number - self.cursor

    @property
    def pending_bytes(self) -> int:
        """What has not been delivered yet, as it is kept."""
        return self.output.undelivered(self.cursor)

    @property
    def state(self) -> str:
        """In a word or two."""
        if self.failure is not None:
            return "failing"
        if not self.pending:
            return "up to date"
        return "delivering" if self.trouble() is None else "waiting"

    def trouble(self) -> str | None:
        """Why it does not get on, if it does not; and that others wait for it, if they do."""
        found = self._why()
        if not self.pending or not self.output.is_full():
            return found
        waits = f"the streams of its query wait, because {self.pending_bytes >> 20:,} MB are not delivered"
        return "; ".join(filter(None, (waits, found)))

    def _why(self) -> str | None:
        if self.failure is not None:
            return self.failure
        busy = self._busy_since
        if busy is not None and monotonic() - busy > LONG:
            return f"firing {self._next} takes {monotonic() - busy:.0f} s so far"
        return self.emitter.waits_for() if isinstance(self.emitter, Acknowledged) and self.pending else None

    def finish(self) -> None:
        """Wait until everything is delivered; an error if there is no progress."""
        pending, since = self.pending, monotonic()
        while self.pending:
            if self.pending != pending:
                pending, since = self.pending, monotonic()
            if monotonic() - since > (SHORTEST_FAILURE if self.failure else LONGEST_SILENCE):
                raise EmitterError(
                    f"emitter {self.name} cannot deliver: {self.trouble() or 'it takes too long'}",
                    hint="fix it and run again with the same checkpoint: nothing is lost",
                )
            self._stopped.wait(0.005)

    def stop(self) -> None:
        self._stopped.set()
        self.output.heard.pop(self, None)
        if not self.pending:
            self._couriers.wait_for(self, _PATIENCE)
        self.emitter.close()
        if self._couriers.wait_for(self, _PATIENCE):
            with suppress(DataCellError):  # what is not written down is delivered again
                self._settle()

    def step(self) -> float | None:
        """Deliver the next firing, if there is one, and write down how far it has come."""
        if self._stopped.is_set():
            return None
        try:
            goes_on = self._step()
        except Exception as error:  # whatever a client's code raises must not end the delivery
            return self._failed(error)
        if self._is_told:
            _LOG.warning("emitter %s delivers again", self.name)
        self.failure, self._is_told, self._pause = None, False, _SHORTEST_PAUSE
        return goes_on

    def _step(self) -> float | None:
        firing = self.output.wait(self._next, 0)
        is_waiting = firing is not None and isinstance(self.emitter, Acknowledged) and not self.emitter.has_room(0)
        if firing is not None and not is_waiting:
            self._deliver(firing)
            self._next = firing.number + 1
        self._settle()
        if self.output.next_number > self._next and not is_waiting:
            return 0
        return _LOOK if self.pending else None  # then somebody has to acknowledge something

    def _deliver(self, firing: Firing) -> None:
        self._busy_since = monotonic()
        try:
            self.emitter.deliver(self._its(firing))
        finally:
            self._busy_since = None

    def _settle(self) -> None:
        """Write down how far it has come; whoever keeps firings for it may let go of them only then."""
        open_one = self.emitter.unacknowledged() if isinstance(self.emitter, Acknowledged) else None
        reached = self._next if open_one is None else open_one
        if reached > self.cursor:
            self._save(reached)
            before, self.cursor = self.cursor, reached
            if self.output.standing.moved(before, reached):
                self.output.trim()

    def _save(self, cursor: int) -> None:
        files.save_json(self._saved, {"name": self.name, "cursor": cursor})

    def _failed(self, error: Exception) -> float:
        """It is tried again, ever more slowly; in how many seconds. Logged is the first time, and each long pause."""
        self.failure = str(error) if isinstance(error, DataCellError) else f"{type(error).__name__}: {error}"
        pause, self._pause = self._pause, min(2 * self._pause, _LONGEST_PAUSE)
        if not self._is_told or pause >= LONG:
            told = "emitter %s cannot deliver, %d firings wait and are tried again: %s"
            _LOG.error(told, self.name, self.pending, self.failure)
        self._is_told = True
        return pause
