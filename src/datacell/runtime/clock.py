"""Time is a parameter: who needs the time of day is given a clock."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """This instant, with its time zone."""


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)
