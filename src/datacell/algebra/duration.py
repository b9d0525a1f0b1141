"""Lengths of time, in whole microseconds: the chronon of the time domain."""

from __future__ import annotations

MICROSECOND = 1
MILLISECOND = 1_000
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WEEK = 7 * DAY

UNITS = {
    "microsecond": MICROSECOND,
    "millisecond": MILLISECOND,
    "second": SECOND,
    "minute": MINUTE,
    "hour": HOUR,
    "day": DAY,
    "week": WEEK,
}
"""Units of fixed length. Months and years are not here: their length depends on where they start."""


def show(length: int) -> str:
    """``show(90_000_000) == '90 seconds'``: the largest unit that divides the length."""
    unit = next(
        (name for name, size in reversed(UNITS.items()) if length % size == 0 and name != "week"), "microsecond"
    )
    count = length // UNITS[unit]
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
