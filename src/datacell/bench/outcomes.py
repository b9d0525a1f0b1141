"""What is told of cases that may fail: whether they finished, how fast, and with how much memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from datacell.bench.apart import UNKNOWN, Outcome

COLUMNS = ("seconds", "rows/s", "Python MB", "end")


def headline(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The share of cases that finished, and the most memory of a Python process, also of one that failed."""
    known = [outcome.python_mb for outcome in outcomes if not isnan(outcome.python_mb)]
    return {
        "finished": sum(outcome.is_finished for outcome in outcomes) / len(outcomes),
        "python_mb": max(known, default=UNKNOWN),
    }


def line(rows: int, outcome: Outcome) -> tuple[object, ...]:
    """As in a table: what is not known is left empty."""
    figures = (outcome.seconds, rows / outcome.seconds, outcome.python_mb)
    return (*("" if isnan(figure) else figure for figure in figures), outcome.failure or "all rows counted")


def shown(rows: int, outcome: Outcome) -> str:
    if not outcome.is_finished:
        return outcome.failure
    return f"{outcome.seconds:.1f} s, {rows / outcome.seconds:,.0f} rows/s, Python {outcome.python_mb:,.0f} MB"
