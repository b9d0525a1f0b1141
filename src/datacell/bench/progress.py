"""How a bench goes on: lines for a person, and the time that is left for the bench itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TextIO


class Progress:
    """The course of one bench from now on, for so many seconds."""

    def __init__(self, bench: str, seconds: float, out: TextIO, now: Callable[[], float] = time.monotonic) -> None:
        self._bench, self._out, self._now = bench, out, now
        self._started = now()
        self._end = self._started + seconds
        self.is_cut_short = False
        """Whether something was left out because the time was over."""

    @property
    def left(self) -> float:
        """Seconds until the time is over; less than zero afterwards."""
        return self._end - self._now()

    @property
    def is_over(self) -> bool:
        return self.left <= 0

    def say(self, text: str) -> None:
        """A line with the bench's name and the time since it began."""
        minutes, seconds = divmod(int(self._now() - self._started), 60)
        print(f"{self._bench}  {minutes}:{seconds:02d}  {text}", file=self._out, flush=True)

    def turns(self, most: int, least: int = 1, leaving: float = 0.0) -> Iterator[int]:
        """0, 1, …: so many; fewer if meanwhile no more is left than `leaving` seconds; but at least the least."""
        for number in range(most):
            if number >= least and self.left <= leaving:
                self.is_cut_short = True
                return
            yield number
