"""The outbox of a TCP emitter: firings that nobody has acknowledged yet, and those that a client still has to be sent.

It is bounded. When it is full of firings that nobody has acknowledged, nothing more comes in; when it is full only
because a client is slower than those who acknowledge, that client is left behind.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Letter:
    """A firing as it is sent."""

    number: int
    blocks: tuple[memoryview, ...]

    @property
    def size(self) -> int:
        return sum(map(len, self.blocks))


class Outbox:
    """Letters in the order of their numbers. `acknowledged` is the greatest number that a client has acknowledged."""

    def __init__(self, most_firings: int, most_bytes: int) -> None:
        self.most_firings, self.most_bytes = most_firings, most_bytes
        self.acknowledged = -1
        self.size = 0
        self._gone = -1
        self._letters: deque[Letter] = deque()

    def __len__(self) -> int:
        return len(self._letters)

    @property
    def first(self) -> int | None:
        """The number of the oldest letter."""
        return self._letters[0].number if self._letters else None

    @property
    def unacknowledged(self) -> int | None:
        """The number of the first letter that nobody has acknowledged."""
        return next((letter.number for letter in self._letters if letter.number > self.acknowledged), None)

    @property
    def has_room(self) -> bool:
        """One letter always fits, however large it is."""
        return not self._letters or (len(self) < self.most_firings and self.size < self.most_bytes)

    def put(self, letter: Letter) -> None:
        self._letters.append(letter)
        self.size += letter.size

    def acknowledge(self, number: int) -> None:
        """A client has all letters up to this one."""
        self.acknowledged = max(self.acknowledged, number)

    def after(self, number: int) -> Letter | None:
        """The first letter with a greater number."""
        return next((letter for letter in self._letters if letter.number > number), None)

    def missed(self, number: int) -> bool:
        """Has a letter gone that a client who was sent all up to this number should still have been sent?"""
        return number < self._gone

    def trim(self, sent: Sequence[int]) -> None:
        """Drop what is acknowledged and was sent to every client; `sent` has the last number that each was sent."""
        least = min((self.acknowledged, *sent))
        while self._letters and self._letters[0].number <= least:
            self._drop()

    def make_room(self) -> None:
        """Drop what is acknowledged, also if some clients were not sent it."""
        while not self.has_room and self._letters[0].number <= self.acknowledged:
            self._drop()

    def _drop(self) -> None:
        letter = self._letters.popleft()
        self._gone = letter.number
        self.size -= letter.size
