"""A course of a bench whose time is moved by hand."""

from __future__ import annotations

import io
from dataclasses import dataclass, field

from datacell.bench.progress import Progress


@dataclass
class Course:
    """`now` is moved by whoever spends time; `out` has the lines that were said."""

    limit: float
    now: float = 1000.0
    out: io.StringIO = field(default_factory=io.StringIO)

    def __post_init__(self) -> None:
        self.progress = Progress("bench", self.limit, self.out, lambda: self.now)

    def spend(self, seconds: float) -> None:
        self.now += seconds

    def lines(self) -> list[str]:
        return self.out.getvalue().splitlines()
