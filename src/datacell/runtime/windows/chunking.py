"""Eagerness: in how many chunks a slice is absorbed, adapted at run time.

With one chunk a slice is absorbed when it is full, and the answer has to wait for that; with many, little is left to do
when the last row has come, but every chunk costs something. Nobody can tell the best number beforehand: so it starts at
one, is doubled while the response time falls, and settles at the best.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

SLIDES_PER_TRY = 5
"""So many answers are looked at before the next number is tried."""

MOST_CHUNKS = 1024
WORTH_IT = 0.95
"""The response time must fall at least to so much of what it was."""


@dataclass
class Eagerness:
    """`chunks` per slice; `settled` once the best is known."""

    chunks: int = 1
    settled: bool = False
    best: tuple[float, int] | None = None
    _responses: list[float] = field(default_factory=list)
    _slice: int | None = None
    _waiting: int = 0
    _in_slice: int = 0
    _last_slice_rows: int = 0

    def is_due(self, rows: int, slice_: int) -> bool:
        """Rows have come, the last of them in this slice: shall they be absorbed now?"""
        if self._slice is None:
            self._slice = slice_
        self._waiting += rows
        self._in_slice += rows
        if self.is_new(slice_):
            self._slice, self._last_slice_rows, self._in_slice = slice_, self._in_slice, 0
            return True
        return self.chunks > 1 and self._waiting * self.chunks >= self._last_slice_rows

    def is_new(self, slice_: int) -> bool:
        """Do rows of this slice come after all there were? Then those before it are full."""
        return self._slice is not None and slice_ > self._slice

    def absorbed(self) -> None:
        self._waiting = 0

    def answered(self, seconds: float, boundaries: int) -> None:
        """So long after the last row had come was all done. Many boundaries at once say nothing about one."""
        if self.settled or boundaries > 1:
            return
        self._responses.append(seconds)
        if len(self._responses) < SLIDES_PER_TRY:
            return
        response = median(self._responses)
        self._responses.clear()
        if self.best is None or response < WORTH_IT * self.best[0]:
            self.best = (response, self.chunks)
            self.chunks *= 2
            if self.chunks > MOST_CHUNKS:
                self._settle()
        else:
            self._settle()

    def _settle(self) -> None:
        assert self.best is not None
        self.settled, self.chunks = True, self.best[1]
