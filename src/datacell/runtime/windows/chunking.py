"""Adaptive chunking: in how many chunks a slice is ingested.

With one chunk a slice is ingested when it is full, and the answer has to wait for that; with many, little is left to do
when the last row has come, but every chunk costs something. Nobody can tell the best number beforehand: so it starts at
one and is doubled while the response time falls. Then it stays at the best, and now and then the two numbers beside it
are tried again, because loads change.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

SLIDES_PER_TRY = 5
"""So many answers are looked at before the next number is tried."""

MOST_CHUNKS = 1024
WORTH_IT = 0.95
"""The response time must fall at least to so much of what it was."""

SETTLED_SLIDES = 500
"""So many answers come before a settled number is tried again."""


@dataclass
class AdaptiveChunking:
    """`chunks` per slice; `settled` once the best is known, until it is tried again."""

    chunks: int = 1
    settled: bool = False
    best: tuple[float, int] | None = None
    """The response time and its number of chunks."""
    _responses: list[float] = field(default_factory=list)
    _untried: list[int] = field(default_factory=list)
    _since_settled: int = 0
    _slice: int | None = None
    _waiting: int = 0
    _in_slice: int = 0
    _last_slice_rows: int = 0

    def is_due(self, rows: int, slice_: int) -> bool:
        """Rows have come, the last of them in this slice: shall they be ingested now?"""
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

    def ingested(self) -> None:
        self._waiting = 0

    def answered(self, seconds: float, boundaries: int) -> None:
        """An answer was there so many seconds after its last row. Many boundaries at once say nothing about one."""
        if boundaries > 1:
            return
        if self.settled:
            self._try_again_later()
            return
        self._responses.append(seconds)
        if len(self._responses) < SLIDES_PER_TRY:
            return
        response = median(self._responses)
        self._responses.clear()
        if self._untried:
            self._compare(response)
        elif self.best is None or response < WORTH_IT * self.best[0]:
            self.best = (response, self.chunks)
            self.chunks *= 2
            if self.chunks > MOST_CHUNKS:
                self._settle()
        else:
            self._settle()

    def _try_again_later(self) -> None:
        self._since_settled += 1
        if self._since_settled >= SETTLED_SLIDES and self.best is not None:
            now = self.best[1]
            self.settled, self.best = False, None
            self._untried = list(dict.fromkeys((now, max(1, now // 2), min(2 * now, MOST_CHUNKS))))
            self.chunks = self._untried[0]

    def _compare(self, response: float) -> None:
        """One of the numbers that are tried again was measured."""
        if self.best is None or response < WORTH_IT * self.best[0]:
            self.best = (response, self.chunks)
        self._untried.pop(0)
        if self._untried:
            self.chunks = self._untried[0]
        else:
            self._settle()

    def _settle(self) -> None:
        assert self.best is not None
        self.settled, self.chunks, self._since_settled = True, self.best[1], 0
