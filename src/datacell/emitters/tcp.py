"""TCP: listens, and sends every client each firing as lines of JSON, which the client acknowledges.

At least once, by the protocol that `docs/protocol.md` describes: a firing has been delivered when a client says so, not
when the network has taken it. What nobody has acknowledged is sent to whoever connects next, from its start. So many
firings, and bytes, may be unacknowledged; then the emitter waits, and says for what.

One thread serves all clients and waits for none. A client that takes nothing of what it is to be sent, or is left far
behind by another that acknowledges, is hung up on; it may come back.
"""

from __future__ import annotations

import selectors
import socket
from contextlib import suppress
from dataclasses import dataclass
from threading import Condition, Thread
from time import monotonic, sleep

from datacell import sockets
from datacell.emitters import columns
from datacell.emitters.outbox import Letter, Outbox
from datacell.emitters.subscriber import MistakeError, Subscriber
from datacell.errors import EmitterError
from datacell.runtime.storage.output import Firing

_LAST_CALL = 5.0
"""Seconds that clients have, at the end, to take what waits for them and to acknowledge it."""

_BREATH = 0.1
"""Seconds before the next try to accept a connection, when there are too many; and between two looks at the time."""

_PATIENT = 5.0
"""Seconds without an acknowledgement that are not worth telling."""


@dataclass(frozen=True)
class Limits:
    """What may be unacknowledged, how many clients there may be, and for how long one may take nothing, in seconds."""

    firings: int = 1_000
    bytes: int = 64 << 20
    clients: int = 100
    silence: float = 30.0


DEFAULT = Limits()


class TcpEmitter:
    guarantee = "at least once"
    takes_files = False

    def __init__(self, host: str, port: int, limits: Limits = DEFAULT) -> None:
        self._server = sockets.listening(host, port, EmitterError)
        self._server.setblocking(False)
        self.host, self.port, self.limits = host, sockets.port_of(self._server), limits
        self.outbox = Outbox(limits.firings, limits.bytes)
        self.subscribers: list[Subscriber] = []
        self._changed = Condition()
        self._closed = False
        self._moved = monotonic()
        self._bell, self._ear = socket.socketpair()
        self._ear.setblocking(False)
        self._bell.setblocking(False)
        self._thread = Thread(target=self._serve, name=f"tcp emitter {self.port}", daemon=True)
        self._thread.start()

    def deliver(self, firing: Firing) -> None:
        """Hand a firing to the clients; an empty one is nothing to them."""
        if not len(firing.rows):
            return
        lines = list(columns.json(firing.rows, f'"__firing": {firing.number}, '))
        end = memoryview(b'{"__end": %d}\n' % firing.number)
        with self._changed:
            if self._closed:
                raise EmitterError("the emitter was closed before anybody took the firing")
            if self.outbox.unacknowledged is None:
                self._moved = monotonic()
            self.outbox.put(Letter(firing.number, (*(block for block in lines if len(block)), end)))
        self._ring()

    def unacknowledged(self) -> int | None:
        with self._changed:
            return self.outbox.unacknowledged

    def has_room(self, seconds: float) -> bool:
        with self._changed:
            self.outbox.make_room()
            return self._changed.wait_for(lambda: self.outbox.has_room, seconds)

    def waits_for(self) -> str | None:
        with self._changed:
            if self.outbox.unacknowledged is None:
                return None
            if not self.subscribers:
                return f"no client is connected to {self.host}:{self.port}"
            silent = monotonic() - self._moved
            if silent < _PATIENT:
                return None
            return f"no client has acknowledged firing {self.outbox.unacknowledged}, for {silent:.0f} s"

    def close(self) -> None:
        """Give what waits a last chance, then hang up."""
        with self._changed:
            self._changed.wait_for(lambda: self.outbox.unacknowledged is None or not self.subscribers, _LAST_CALL)
            self._closed = True
        self._ring()
        self._thread.join(5)

    def _ring(self) -> None:
        with suppress(OSError):  # it has rung already, or nobody is there any more
            self._bell.send(b"!")

    def _serve(self) -> None:
        with selectors.DefaultSelector() as selector, self._server, self._bell, self._ear:
            selector.register(self._server, selectors.EVENT_READ)
            selector.register(self._ear, selectors.EVENT_READ)
            while not self._closed:
                ready = selector.select(_BREATH)
                with self._changed:
                    self._turn(selector, ready)
            for subscriber in self.subscribers:
                subscriber.connection.close()

    def _turn(self, selector: selectors.BaseSelector, ready: list[tuple[selectors.SelectorKey, int]]) -> None:
        """Hear and send once."""
        for key, events in ready:
            if key.fileobj is self._server:
                self._accept(selector)
            elif key.fileobj is self._ear:
                with suppress(OSError):
                    self._ear.recv(4096)
            elif events & selectors.EVENT_READ:
                self._hear(selector, key.data)
        for subscriber in list(self.subscribers):
            self._send(selector, subscriber)
        self.outbox.trim([subscriber.sent for subscriber in self.subscribers])
        self._changed.notify_all()

    def _accept(self, selector: selectors.BaseSelector) -> None:
        try:
            connection, address = self._server.accept()
        except OSError:
            sleep(_BREATH)
            return
        connection.setblocking(False)
        subscriber = Subscriber(connection, f"{address[0]}:{address[1]}", self.outbox.acknowledged)
        if len(self.subscribers) >= self.limits.clients:
            subscriber.tell(b'{"__error": "there are too many clients"}\n')
            connection.close()
            return
        selector.register(connection, selectors.EVENT_READ, subscriber)
        self.subscribers.append(subscriber)

    def _hear(self, selector: selectors.BaseSelector, subscriber: Subscriber) -> None:
        try:
            if not subscriber.hear():
                self._hang_up(selector, subscriber)
        except MistakeError as mistake:
            self._hang_up(selector, subscriber, str(mistake))
        except OSError:
            self._hang_up(selector, subscriber)
        if subscriber.acknowledged > self.outbox.acknowledged:
            self.outbox.acknowledge(subscriber.acknowledged)
            self._moved = monotonic()

    def _send(self, selector: selectors.BaseSelector, subscriber: Subscriber) -> None:
        if self.outbox.missed(subscriber.sent) and not subscriber.is_sending:
            self._hang_up(selector, subscriber, "too slow: others have acknowledged what was not sent here yet")
            return
        try:
            has_all = subscriber.send(self._following)
        except OSError:
            self._hang_up(selector, subscriber)
            return
        if not has_all and monotonic() - subscriber.moved > self.limits.silence:
            self._hang_up(selector, subscriber, "nothing was taken for too long")
            return
        wanted = selectors.EVENT_READ if has_all else selectors.EVENT_READ | selectors.EVENT_WRITE
        if selector.get_key(subscriber.connection).events != wanted:
            selector.modify(subscriber.connection, wanted, subscriber)

    def _following(self, number: int) -> Letter | None:
        """What is sent after this firing; nothing to whom something has been missed."""
        return None if self.outbox.missed(number) else self.outbox.after(number)

    def _hang_up(self, selector: selectors.BaseSelector, subscriber: Subscriber, why: str = "") -> None:
        if subscriber not in self.subscribers:
            return
        self.subscribers.remove(subscriber)
        selector.unregister(subscriber.connection)
        if why and not subscriber.is_sending:  # in the middle of a line it would be part of it
            subscriber.tell(b'{"__error": "%s"}\n' % why.encode())
        subscriber.connection.close()
