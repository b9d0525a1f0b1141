"""Ctrl-C and SIGTERM: one stops a run in order; another one while it stops, or one while Spark starts, ends it at once.

Nothing is lost by either: a run may be killed at any moment.
"""

from __future__ import annotations

import signal
from types import FrameType

from datacell.cli import INTERRUPTED, leave

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def stop_on_signals() -> None:
    """From now on; for after Spark has started, because it puts a handler of its own in place then."""
    for number in _SIGNALS:
        signal.signal(number, _interrupt)


def leave_on_signals() -> None:
    """Nothing is waited for: before a run there is nothing to stop, and who asks again while it stops does not wait."""
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
