"""What an emitter is."""

from __future__ import annotations

from typing import Protocol

from datacell.runtime.storage.output import Firing, Takes


class Emitter(Protocol):
    guarantee: str
    """What a client can count on, in words: "exactly once", "at least once"."""

    @property
    def takes_files(self) -> Takes:
        """Can executors write for it what has its home on the cluster?"""

    def deliver(self, firing: Firing) -> None:
        """Hand over what a firing wrote; it may be empty."""

    def close(self) -> None:
        """There will be no more."""
