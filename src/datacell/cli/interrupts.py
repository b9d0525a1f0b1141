"""Ctrl-C and SIGTERM: the first one stops a run in order, another one while it stops ends it at once.

Nothing is lost by either: a run may be killed at any moment.
"""

from __future__ import annotations

import signal
from types import FrameType

from datacell.cli import INTERRUPTED, leave

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def stop_on_signals() -> None:
    """From now on; Spark puts a handler of its own in place when it starts, so it is for before and after that."""
    for number in _SIGNALS:
        signal.signal(number, _interrupt)


def leave_on_signals() -> None:
    """Who is asked again while a run stops does not wait."""
    for number in _SIGNALS:
        signal.signal(number, _leave)


def ignore_signals() -> None:
    """The end has come already."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _leave(number: int, frame: FrameType | None) -> None:
    leave(INTERRUPTED)
