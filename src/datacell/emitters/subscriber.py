"""A client of a TCP emitter: how much it was sent, and what it says.

It is sent letters one after the other, each whole, and says `ok N` when it has all firings up to number N. What else it
says is a mistake, and so is an acknowledgement of what it was not sent: it is told, and the connection ends.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

from datacell.emitters.outbox import Letter

LONGEST_WORD = 64
"""Bytes of a line that a client may say."""

_ACKNOWLEDGEMENT = re.compile(rb"\s*ok +([0-9]{1,18})\s*")
_CHUNK = 1 << 18
_MOST_AT_ONCE = 8
"""Chunks that are sent to one client before the others have their turn."""


class MistakeError(Exception):
    """What a client says makes no sense."""


class Subscriber:
    """`sent` is the number of the last firing that was sent whole, `acknowledged` that of the last one it has."""

    def __init__(self, connection: socket.socket, address: str, sent: int) -> None:
        self.connection, self.address, self.sent = connection, address, sent
        self.acknowledged = sent
        self.moved = monotonic()
        """When it last took or said something, or had taken all there was."""
        self._letter: Letter | None = None
        self._blocks: list[memoryview] = []
        self._said = b""

    @property
    def is_sending(self) -> bool:
        return self._letter is not None

    def send(self, following: Callable[[int], Letter | None]) -> bool:
        """Send as much as it takes now; False if it takes no more, and there is more."""
        for _ in range(_MOST_AT_ONCE):
            if not self._blocks:
                self._end_letter()
                self._letter = following(self.sent)
                if self._letter is None:
                    self.moved = monotonic()
                    return True
                self._blocks = list(self._letter.blocks)
            try:
                count = self.connection.send(self._blocks[0][:_CHUNK])
            except BlockingIOError:
                return False
            self.moved = monotonic()
            self._blocks[0] = self._blocks[0][count:]
            if not self._blocks[0]:
                self._blocks.pop(0)
        if not self._blocks:
            self._end_letter()
        return False

    def hear(self) -> bool:
        """Take what it says; False if it has hung up."""
        try:
            said = self.connection.recv(4096)
        except BlockingIOError:
            return True
        if not said:
            return False
        self.moved = monotonic()
        *lines, self._said = (self._said + said).split(b"\n")
        if max(map(len, (*lines, self._said))) > LONGEST_WORD:
            raise MistakeError(f"a line of more than {LONGEST_WORD} bytes")
        for line in filter(bytes.strip, lines):
            self._note(line)
        return True

    def tell(self, message: bytes) -> None:
        """Say a last word, if it is taken at once."""
        with suppress(OSError):
            self.connection.send(message)

    def _note(self, line: bytes) -> None:
        found = _ACKNOWLEDGEMENT.fullmatch(line)
        if found is None:
            raise MistakeError("expected a line ok N")
        number = int(found[1])
        if number > self.sent:
            raise MistakeError(f"firing {number} was not sent")
        self.acknowledged = max(self.acknowledged, number)

    def _end_letter(self) -> None:
        if self._letter is not None:
            self.sent, self._letter = self._letter.number, None
