"""A delivery: an emitter with its own cursor, pace and thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

from datacell.emitters.protocol import Emitter
from datacell.errors import DataCellError, EmitterError
from datacell.runtime.storage import files
from datacell.runtime.storage.output import Output
from datacell.runtime.storage.seal import damaged

LONGEST_SILENCE = 60.0
"""Seconds without progress after which the end of a run gives a delivery up; a failing one is given up sooner."""

SHORTEST_FAILURE = 10.0

_LONGEST_PAUSE = 30.0
"""Seconds between two tries of a delivery that keeps failing."""


def saved_cursor(path: Path, emitter: str, output: Output) -> int:
    """The number of the next firing to deliver; a new emitter begins with what is there."""
    if not path.exists():
        return output.first_number
    cursor: int = files.read_json(path)["cursor"]
    if cursor > output.next_number:
        raise damaged(output.directory, f"emitter {emitter} has delivered firing {cursor - 1} from it")
    if cursor < output.first_number:
        gone = f"firing {cursor}, which emitter {emitter} has not delivered, is missing from {output.directory}"
        raise damaged(path, f"it is older than the rest, or {gone}")
    return cursor


class Delivery:
    """Delivers the firings of an output. `cursor` is the number of the next one to deliver."""

    def __init__(self, name: str, output: Output, emitter: Emitter, saved: Path, done: Callable[[], None]) -> None:
        self.name, self.output, self.emitter = name, output, emitter
        self.failure: str | None = None
        self._saved, self._done = saved, done
        self.cursor = saved_cursor(saved, name, output)
        self._save()
        self._stopped = Event()
        self._thread = Thread(target=self._run, name=f"emitter {name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def pending(self) -> int:
        """Firings that have not been delivered yet."""
        return self.output.next_number - self.cursor

    def finish(self) -> None:
        """Wait until everything is delivered; an error if there is no progress."""
        pending, since = self.pending, time.monotonic()
        while self.pending:
            if self.pending != pending:
                pending, since = self.pending, time.monotonic()
            if time.monotonic() - since > (SHORTEST_FAILURE if self.failure else LONGEST_SILENCE):
                raise EmitterError(
                    f"emitter {self.name} cannot deliver: {self.failure or 'it takes too long'}",
                    hint="fix it and run again with the same checkpoint: nothing is lost",
                )
            time.sleep(0.005)

    def stop(self) -> None:
        self._stopped.set()
        if self._thread.is_alive() and not self.pending:
            self._thread.join(5)
        self.emitter.close()
        if self._thread.is_alive():
            self._thread.join(5)

    def _run(self) -> None:
        while not self._stopped.is_set():
            firing = self.output.wait(self.cursor, 0.2)
            if firing is None:
                continue
            if not self._try(lambda: self.emitter.deliver(firing)):  # noqa: B023 - called at once
                return
            self.cursor = firing.number + 1
            if not self._try(self._save):
                return
            self._try(self._done)

    def _save(self) -> None:
        files.write_json(self._saved, {"name": self.name, "cursor": self.cursor})

    def _try(self, action: Callable[[], None]) -> bool:
        """Until it works, ever more slowly; False if stopped meanwhile."""
        pause = 0.1
        while not self._stopped.is_set():
            try:
                action()
            except Exception as error:  # whatever a client's code raises must not end the delivery
                self.failure = str(error) if isinstance(error, DataCellError) else f"{type(error).__name__}: {error}"
                self._stopped.wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                self.failure = None
                return True
        return False
