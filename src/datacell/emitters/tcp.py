"""TCP: listens, and sends every subscriber each firing as lines of JSON with the firing's number in `__firing`.

At least once. A firing counts as delivered when one subscriber has taken all of it, so nothing is lost while nobody
listens, and the fastest subscriber sets the pace. A subscriber that is too far behind the fastest, or takes nothing for
too long, is disconnected: it holds up nobody. After that, and after a crash, a firing may be sent again from its start.
"""

from __future__ import annotations

import socket
from collections import deque
from contextlib import suppress
from threading import Condition, Thread
from time import monotonic, sleep

from datacell import sockets
from datacell.emitters import columns
from datacell.errors import EmitterError
from datacell.runtime.storage.output import Firing

LARGEST_QUEUE = 64 << 20
"""Bytes that a subscriber may be behind."""

LONGEST_SILENCE = 30.0
"""Seconds for which a subscriber may take nothing of what waits for it."""

_LAST_CALL = 5.0
"""Seconds that subscribers have, at the end, to take what waits for them."""

_BREATH = 0.1
"""Seconds before the next try to accept a connection, when there are too many."""


class TcpEmitter:
    guarantee = "at least once"
    takes_files = False

    def __init__(self, host: str, port: int, largest_queue: int = LARGEST_QUEUE, silence: float = LONGEST_SILENCE):
        self._server = sockets.listening(host, port, EmitterError)
        self.port = sockets.port_of(self._server)
        self.largest_queue, self.silence = largest_queue, silence
        self.subscribers: list[Subscriber] = []
        self._changed = Condition()
        self._closed = False
        Thread(target=self._accept, name=f"tcp emitter {self.port}", daemon=True).start()

    def deliver(self, firing: Firing) -> None:
        if not len(firing.rows):
            return
        blocks = list(columns.json(firing.rows, f'"__firing": {firing.number}, '))
        while True:
            waited_on = self._put(blocks)
            with self._changed:
                self._changed.wait_for(lambda: self._closed or _has_taken(waited_on) or not _alive(waited_on))  # noqa: B023
            if _has_taken(waited_on):
                return
            if self._closed:
                raise EmitterError("the emitter was closed before anybody took the firing")

    def close(self) -> None:
        """Give what waits a last chance, then hang up."""
        with self._changed:
            self._changed.wait_for(lambda: not any(s.waiting for s in self.subscribers), _LAST_CALL)
            self._closed = True
            self._changed.notify_all()
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def _put(self, blocks: list[memoryview]) -> list[Subscriber]:
        """Queue a firing for all subscribers, once there are any."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or _alive(self.subscribers))
            self.subscribers = _alive(self.subscribers)
            for subscriber in self.subscribers:
                subscriber.put(blocks)
            self._changed.notify_all()
            return list(self.subscribers)

    def _accept(self) -> None:
        while not self._closed:
            try:
                connection, _ = self._server.accept()
            except OSError:
                if self._closed:
                    return
                sleep(_BREATH)
                continue
            connection.settimeout(0.2)
            subscriber = Subscriber(connection, self._changed, self)
            with self._changed:
                self.subscribers = [*_alive(self.subscribers), subscriber]
                self._changed.notify_all()
            Thread(target=subscriber.run, name=f"subscriber of {self.port}", daemon=True).start()

    @property
    def closed(self) -> bool:
        return self._closed


class Subscriber:
    """One connection with what waits for it. `changed` guards everything here."""

    def __init__(self, connection: socket.socket, changed: Condition, emitter: TcpEmitter) -> None:
        self.connection, self.emitter = connection, emitter
        self.waiting = 0
        self.alive = True
        self._changed = changed
        self._queue: deque[memoryview] = deque()

    def put(self, blocks: list[memoryview]) -> None:
        """Queue a firing; a subscriber that is too far behind the others is given up."""
        if self.waiting > self.emitter.largest_queue:
            self.alive = False
            return
        self._queue.extend(blocks)
        self.waiting += sum(map(len, blocks))

    def run(self) -> None:
        """Send what waits, until one side hangs up."""
        try:
            while (block := self._next()) is not None:
                self._send(block)
        except OSError:
            pass
        finally:
            with self._changed:
                self.alive = False
                self._changed.notify_all()
            self.connection.close()

    def _next(self) -> memoryview | None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or not self._wanted, 0.2)
                if not self._wanted:
                    return None
                if self._queue:
                    return self._queue.popleft()
            if self._has_left():
                return None

    def _send(self, block: memoryview) -> None:
        if self._has_left():
            raise ConnectionResetError
        since = monotonic()
        while len(block):
            try:
                sent = self.connection.send(block[: 1 << 18])
            except TimeoutError:
                if not self._wanted or monotonic() - since > self.emitter.silence:
                    raise
                continue
            since, block = monotonic(), block[sent:]
            with self._changed:
                self.waiting -= sent
                if not self.waiting:
                    self._changed.notify_all()

    @property
    def _wanted(self) -> bool:
        return self.alive and not self.emitter.closed

    def _has_left(self) -> bool:
        """Has the other side hung up? What it says is read and ignored."""
        try:
            return self.connection.recv(4096, socket.MSG_DONTWAIT) == b""
        except (BlockingIOError, TimeoutError):
            return False


def _alive(subscribers: list[Subscriber]) -> list[Subscriber]:
    return [s for s in subscribers if s.alive]


def _has_taken(subscribers: list[Subscriber]) -> bool:
    return any(s.alive and not s.waiting for s in subscribers)
