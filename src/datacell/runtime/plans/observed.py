"""What was observed of runs."""

from __future__ import annotations

from dataclasses import dataclass

from datacell.placement.operators import Site

_WEIGHT = 0.1


@dataclass
class Recent:
    """A mean of what was seen lately. The first value does not count: engines warm up."""

    value: float = 0.0
    count: int = 0

    def add(self, value: float) -> None:
        self.count += 1
        self.value = value if self.count <= 2 else self.value + _WEIGHT * (value - self.value)


@dataclass(frozen=True)
class Observed:
    """A fragment: what it runs and where, how often, rows and milliseconds of a run, and what was predicted.

    Runs that its own engine could not finish are on Spark's account, as fallbacks.
    """

    part: str
    site: Site
    operators: str
    runs: int
    rows: float
    milliseconds: float
    predicted: float
    fallback: bool = False
    staged: bool = False
    """Did it run in the first stage of its stream? Then its time is that of the stage."""
