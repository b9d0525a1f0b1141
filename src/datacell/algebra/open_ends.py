"""Open ends: of a row that is valid until something happens, which has not come yet.

In the place of its end such a row has a number that is greater than every instant and that no other row has at the
time: so whoever only asks whether the row has ended already, need not know about it. Once the end is known, it takes
the place of the number wherever the row is. `Ended` says which numbers have become known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from datacell.algebra.positions import FOREVER, Positions

FIRST = FOREVER + 2
"""The least open end: after FOREVER, and after the instant after that, which stands for the end of all input."""

_NONE: Positions = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Ended:
    """Open ends, sorted, and when it was."""

    numbers: Positions
    at: Positions

    def __bool__(self) -> bool:
        return len(self.numbers) > 0

    def __add__(self, other: Ended) -> Ended:
        if not other:
            return self
        return ended(np.concatenate([self.numbers, other.numbers]), np.concatenate([self.at, other.at]))

    def known(self, ends: Positions) -> Positions:
        """These ends, with those that have become known."""
        if not self or not len(ends):
            return ends
        place = np.minimum(np.searchsorted(self.numbers, ends), len(self.numbers) - 1)
        return np.where(self.numbers[place] == ends, self.at[place], ends)


NOTHING_ENDED = Ended(_NONE, _NONE)


def ended(numbers: Positions, at: Positions) -> Ended:
    order = np.argsort(numbers)
    return Ended(numbers[order], at[order])


class OpenEnds:
    """Hands out open ends, each once."""

    def __init__(self) -> None:
        self._next = FIRST

    def take(self, count: int) -> Positions:
        self._next += count
        return np.arange(self._next - count, self._next, dtype=np.int64)


def is_open(ends: Positions) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.asarray(ends >= FIRST)
