"""Whether a query can keep up with the declared rates, and with which rates it could."""

from __future__ import annotations

from math import sqrt

from datacell.compile.compiled import Compiled, at_rates
from datacell.compile.evaluation import EveryInstant, Snapshots

STEP, ROUNDS = 10.0, 7
"""Rates are looked for in steps of this factor, and then between two of them, so many times by halves."""

_FURTHEST = 1e9


def keeps_up_with(compiled: Compiled) -> float:
    """By how much the streams may be faster (or must be slower) for the query to work all of the time.

    Another rate may mean other engines and homes, and then costs leap: so the rate is enclosed from both sides.
    """

    def keeps_up(factor: float) -> bool:
        return at_rates(compiled, factor).physical.cost.is_feasible

    low = high = 1.0
    while keeps_up(high) and high < _FURTHEST:
        low, high = high, high * STEP
    while not keeps_up(low):
        low, high = low / STEP, low
        if low < 1 / _FURTHEST:
            return 0.0
    for _ in range(ROUNDS):
        middle = sqrt(low * high)
        low, high = (middle, high) if keeps_up(middle) else (low, middle)
    return low


def warning(name: str, compiled: Compiled) -> str:
    """What to tell if a query cannot keep up; nothing if it can, or if no rate is declared."""
    known = compiled.setting.known
    is_declared = any(stream.lower() in known.rates for stream in compiled.streams)
    if (
        not is_declared
        or isinstance(compiled.evaluation, EveryInstant | Snapshots)
        or compiled.physical.cost.is_feasible
    ):
        return ""
    factor = keeps_up_with(compiled)
    rates = ", ".join(f"{factor * known.rate(s):,.0f} rows/s of {s}" for s in compiled.streams)
    needs = f"{compiled.physical.cost.total:.2g} s for a second of input"
    return f"{name} cannot keep up: it needs {needs}; it could with about {rates}"
