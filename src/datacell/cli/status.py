"""The live line under a running script: rows per second, boundaries answered, how far time is behind."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from threading import Event, Thread
from typing import TYPE_CHECKING, TextIO

from datacell.plain_text import harmless_line

if TYPE_CHECKING:
    from datacell.cell.cell import Cell
    from datacell.cell.listing import Progress

_PERIOD = 0.5
"""Seconds between two looks."""

_LONGEST_REASON = 60


class StatusLine:
    """Shown on a terminal only; quiet otherwise."""

    def __init__(self, cell: Cell, stream: TextIO) -> None:
        self.cell, self.stream = cell, stream
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="status", daemon=True)

    def __enter__(self) -> StatusLine:
        if self.stream.isatty():
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(2)
            self.stream.write("\r\x1b[K")

    def _run(self) -> None:
        rows, then = 0, time.monotonic()
        while not self._stopped.wait(_PERIOD):
            progress, now = self.cell.progress(), time.monotonic()
            rate = (progress.rows - rows) / (now - then)
            rows, then = progress.rows, now
            self.stream.write(f"\r\x1b[K{harmless_line(line(progress, rate))}")
            self.stream.flush()


def line(progress: Progress, rate: float) -> str:
    text = f"{rate:,.0f} rows/s in · {progress.boundaries:,} boundaries answered"
    if progress.watermark is not None:
        text += f" · watermark {_ago(progress.watermark)}"
    if progress.troubles:
        text += f" · not delivered: {', '.join(f'{n} ({_short(why)})' for n, why in progress.troubles.items())}"
    if progress.stopped:
        text += f" · stopped: {', '.join(progress.stopped)}"
    return text


def _short(reason: str) -> str:
    """The first line of a reason, or as much of it as leaves room for others."""
    first = reason.partition("\n")[0]
    return first if len(first) <= _LONGEST_REASON else f"{first[:_LONGEST_REASON]}…"


def _ago(instant: datetime) -> str:
    seconds = (datetime.now(UTC) - instant).total_seconds()
    if abs(seconds) < 120:
        return f"{seconds:.1f} s behind the clock"
    return f"at {instant:%Y-%m-%d %H:%M:%S}"
