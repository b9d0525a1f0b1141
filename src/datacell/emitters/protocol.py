"""What an emitter is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

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


@runtime_checkable
class Acknowledged(Emitter, Protocol):
    """An emitter whose client says what it has got: what was handed over has not been delivered before."""

    def unacknowledged(self) -> int | None:
        """The number of the first firing that was handed over and that nobody has acknowledged; None if all are."""

    def has_room(self, seconds: float) -> bool:
        """May another firing be handed over? Waits so long for it."""

    def waits_for(self) -> str | None:
        """Why what was handed over is not acknowledged, if that takes long."""
