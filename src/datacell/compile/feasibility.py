"""Whether a query can keep up with the declared rates, and with which rates it could."""

from __future__ import annotations

from datacell.compile.compiled import Compiled, at_rates
from datacell.compile.evaluation import EveryInstant

ROUNDS, ALIKE, FURTHEST = 6, 1.05, 1000.0
"""How often a rate is looked for, up to which factor one is found, and how far one look may lead."""


def keeps_up_with(compiled: Compiled) -> float:
    """By how much the streams may be faster (or must be slower) for the query to work all of the time.

    Another rate may mean other engines and homes, so what is found is looked at again.
    """
    factor = 1.0
    for _ in range(ROUNDS):
        further = _by_two_points(at_rates(compiled, factor))
        factor *= min(further, FURTHEST)
        if not factor or 1 / ALIKE < further < ALIKE:
            break
    return factor


def _by_two_points(compiled: Compiled) -> float:
    """Costs are a fixed part and one that grows with the rates: two points tell both."""
    whole, half = compiled.physical.cost.total, at_rates(compiled, 0.5).physical.cost.total
    growing = max(2 * (whole - half), 1e-12)
    return max(0.0, (1 - (whole - growing)) / growing)


def warning(name: str, compiled: Compiled) -> str:
    """What to tell if a query cannot keep up; nothing if it can, or if no rate is declared."""
    known = compiled.setting.known
    is_declared = any(stream.lower() in known.rates for stream in compiled.streams)
    if not is_declared or isinstance(compiled.evaluation, EveryInstant) or compiled.physical.cost.is_feasible:
        return ""
    factor = keeps_up_with(compiled)
    rates = ", ".join(f"{factor * known.rate(s):,.0f} rows/s of {s}" for s in compiled.streams)
    needs = f"{compiled.physical.cost.total:.2g} s for a second of input"
    return f"{name} cannot keep up: it needs {needs}; it could with about {rates}"
