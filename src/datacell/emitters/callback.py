"""A Python function that is called with each firing that has rows. At least once: if it raises, it is called again."""

from __future__ import annotations

from collections.abc import Callable

from datacell.runtime.storage.output import Firing


class CallbackEmitter:
    guarantee = "at least once"
    takes_files = False

    def __init__(self, callback: Callable[[Firing], object]) -> None:
        self.callback = callback

    def deliver(self, firing: Firing) -> None:
        if len(firing.rows):
            self.callback(firing)

    def close(self) -> None:
        pass
