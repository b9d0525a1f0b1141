"""A delivery: an emitter with its own cursor, pace and thread."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic

from datacell.emitters.protocol import Acknowledged, Emitter
from datacell.errors import DataCellError, EmitterError
from datacell.runtime.storage import files
from datacell.runtime.storage.output import Firing, Output
from datacell.runtime.storage.seal import damaged

LONGEST_SILENCE = 60.0
"""Seconds without progress after which the end of a run gives a delivery up; a failing one is given up sooner."""

SHORTEST_FAILURE = 10.0

_LONGEST_PAUSE = 30.0
"""Seconds between two tries of a delivery that keeps failing."""

LONG = 10.0
"""Seconds after which it is told that something takes long."""

_LOOK = 0.2
"""Seconds between two looks for what has changed."""

_LOG = logging.getLogger("datacell")


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
        self, name: str, output: Output, emitter: Emitter, saved: Path, done: Callable[[], None], since: int = 0
    ) -> None:
        self.name, self.output, self.emitter = name, output, emitter
        self.failure: str | None = None
        self._saved, self._done = saved, done
        self.cursor = self._next = saved_cursor(saved, name, output, since)
        self._save(self.cursor)
        self._busy_since: float | None = None
        self._is_told = False
        self._stopped = Event()
        self._thread = Thread(target=self._run, name=f"emitter {name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def pending(self) -> int:
        """Firings that have not been delivered yet."""
        return self.output.next_number - self.cursor

    @property
    def state(self) -> str:
        """In a word or two."""
        if self.failure is not None:
            return "failing"
        if not self.pending:
            return "up to date"
        return "delivering" if self.trouble() is None else "waiting"

    def trouble(self) -> str | None:
        """Why it does not get on, if it does not."""
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
        if self._thread.is_alive() and not self.pending:
            self._thread.join(5)
        self.emitter.close()
        if self._thread.is_alive():
            self._thread.join(5)
        if not self._thread.is_alive():
            with suppress(DataCellError):  # what is not written down is delivered again
                self._settle()

    def _run(self) -> None:
        while not self._stopped.is_set():
            firing = self.output.wait(self._next, _LOOK)
            if firing is not None and self._may_go_on():
                if not self._try(lambda: self._deliver(firing)):  # noqa: B023 - called at once
                    return
                self._next = firing.number + 1
            if not self._try(self._settle):
                return

    def _may_go_on(self) -> bool:
        return not isinstance(self.emitter, Acknowledged) or self.emitter.has_room(_LOOK)

    def _deliver(self, firing: Firing) -> None:
        self._busy_since = monotonic()
        try:
            self.emitter.deliver(firing)
        finally:
            self._busy_since = None

    def _settle(self) -> None:
        """Write down how far it has come; whoever keeps firings for it may let go of them only then."""
        open_one = self.emitter.unacknowledged() if isinstance(self.emitter, Acknowledged) else None
        reached = self._next if open_one is None else open_one
        if reached > self.cursor:
            self._save(reached)
            self.cursor = reached
            self._done()

    def _save(self, cursor: int) -> None:
        files.write_json(self._saved, {"name": self.name, "cursor": cursor})

    def _try(self, action: Callable[[], None]) -> bool:
        """Until it works, ever more slowly; False if stopped meanwhile."""
        pause = 0.1
        while not self._stopped.is_set():
            try:
                action()
            except Exception as error:  # whatever a client's code raises must not end the delivery
                self.failure = str(error) if isinstance(error, DataCellError) else f"{type(error).__name__}: {error}"
                self._tell(pause)
                self._stopped.wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                if self._is_told:
                    _LOG.warning("emitter %s delivers again", self.name)
                self.failure, self._is_told = None, False
                return True
        return False

    def _tell(self, pause: float) -> None:
        """In the log, when it begins to fail and each time that it has to wait long."""
        if not self._is_told or pause >= LONG:
            told = "emitter %s cannot deliver, %d firings wait and are tried again: %s"
            _LOG.error(told, self.name, self.pending, self.failure)
        self._is_told = True
