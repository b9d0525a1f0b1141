"""The TCP receptor: listens for senders of lines, writes the lines down in groups, and acknowledges what is safe.

Each sender gets a line ``ok N`` after every group that had lines of its: so many of its lines, counted from the
connection's start, are on disk and will be read. A sender that breaks off in the middle of a line has not sent it.
One thread serves everybody and never waits for anybody: what a sender has not read of its acknowledgements is replaced
by the newest. Memory is bounded: a line that is too long is cut off (and rejected later, since it is spoilt on
purpose); when all senders together hold too much of lines that have not ended, the one that holds most is told so and
hung up on; and when the disk or the reader of the spool cannot keep up, nothing more is taken until they can.
"""

from __future__ import annotations

import logging
import selectors
import socket
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from time import monotonic, sleep
from typing import Protocol

from datacell import sockets
from datacell.errors import DataCellError, SourceError

LARGEST_GROUP = 8 << 20
GROUP_SECONDS = 0.1
_RETRY_SECONDS = 1.0
_CHUNK = 1 << 18
_BREATH = 0.01
"""Seconds before the next try to accept a connection, when there are too many."""

_KEPT = 300
"""Bytes that are kept of a line that is too long."""

TOO_LONG = "... cut off, its line is too long"
"""What is put behind them."""

_LOG = logging.getLogger("datacell")


@dataclass(frozen=True)
class Limits:
    """Bytes of a line, of the lines of all senders that have begun and not ended, and of the spool; and senders."""

    line: int = 1 << 20
    waiting: int = 64 << 20
    connections: int = 200
    spool: int = 1 << 30


DEFAULT = Limits()


class Journal(Protocol):
    """Where groups are written down; `append` returns when they are safe."""

    def append(self, content: bytes) -> None: ...

    def size(self) -> int: ...


class Sender:
    """A connection: the beginning of a line, and how many lines have come and are safe."""

    def __init__(self, connection: socket.socket, longest: int) -> None:
        self.connection, self.longest = connection, longest
        self.partial = bytearray()
        self.skipping = False
        self.ended = False
        self.waiting = 0
        self.safe = 0
        self.unsent = b""
        self.newest = b""

    def take(self, data: bytes, spoilt: bytes) -> bytes:
        """The complete lines that have come with these bytes."""
        end = data.rfind(b"\n") + 1
        lines = b""
        if end:
            lines = self._first_lines(data[:end], spoilt)
            data = data[end:]
        if not self.skipping:
            self.partial += data
        if len(self.partial) > self.longest:
            lines += _cut_off(self.partial, spoilt)
            self.partial.clear()
            self.skipping = True
        self.waiting += lines.count(b"\n")
        return lines.replace(b"\r\n", b"\n")

    def _first_lines(self, data: bytes, spoilt: bytes) -> bytes:
        """Complete lines; the first one may have begun earlier, or be the end of one that was cut off already."""
        if self.skipping:
            self.skipping = False
            data = data[data.index(b"\n") + 1 :]
        lines = bytes(self.partial) + data
        self.partial.clear()
        if len(lines) <= self.longest:
            return lines
        found = lines.split(b"\n")[:-1]
        return b"".join(_cut_off(line, spoilt) if len(line) > self.longest else line + b"\n" for line in found)

    def acknowledge(self) -> None:
        self.safe += self.waiting
        self.waiting = 0
        self.newest = b"ok %d\n" % self.safe

    def answer(self) -> None:
        """Send what is to be said, as far as the other side takes it."""
        while self.unsent or self.newest:
            if not self.unsent:
                self.unsent, self.newest = self.newest, b""
            self.unsent = self.unsent[self.connection.send(self.unsent) :]

    @property
    def done(self) -> bool:
        return self.ended and not (self.waiting or self.unsent or self.newest)


def _cut_off(line: bytes | bytearray, spoilt: bytes) -> bytes:
    """The beginning of a line that is too long, as a line that nothing can read."""
    begins = bytes(line[:_KEPT]).replace(b"\r", b" ").replace(b'"', b"'")
    return begins + TOO_LONG.encode() + spoilt + b"\n"


class TcpListener:
    """Serves senders between `start` and `stop`. Port 0 picks a free port: ask for `port` after `start`."""

    def __init__(self, host: str, port: int, journal: Journal, spoilt: bytes, limits: Limits = DEFAULT) -> None:
        self.host, self.port, self.journal, self.spoilt, self.limits = host, port, journal, spoilt, limits
        self.refused = 0
        """Senders that were hung up on because a limit was reached."""
        self.failure: str | None = None
        self.service: Service | None = None
        self._server: socket.socket | None = None
        self._thread: Thread | None = None
        self._stopped = False

    def start(self) -> None:
        self._server = sockets.listening(self.host, self.port, SourceError)
        self._server.setblocking(False)
        self.port = sockets.port_of(self._server)
        self._stopped = False
        self._thread = Thread(target=self._serve, name=f"tcp receptor {self.port}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Write down and acknowledge what has come, then hang up."""
        self._stopped = True
        if self._thread is not None:
            self._thread.join(10)
            self._thread = None

    def _serve(self) -> None:
        assert self._server is not None
        with selectors.DefaultSelector() as selector, self._server as server:
            selector.register(server, selectors.EVENT_READ)
            self.service = Service(self, server, selector)
            self.service.run()


class Service:
    """The loop of one listener while it is started."""

    def __init__(self, listener: TcpListener, server: socket.socket, selector: selectors.BaseSelector) -> None:
        self.listener, self.server, self.selector = listener, server, selector
        self.senders: set[Sender] = set()
        self.blocked: set[Sender] = set()
        self.group = bytearray()
        self.begun = 0
        """Bytes of lines that have not ended."""
        self.due = 0.0
        self.full = False

    def run(self) -> None:
        while not self.listener._stopped:
            patience = max(0.0, self.due - monotonic()) if self.group else 0.5
            for key, _ in self.selector.select(min(patience, 0.2)):
                self._serve(key.data)
            if self.group and (monotonic() >= self.due or (len(self.group) >= LARGEST_GROUP and not self.full)):
                self._write()
            for sender in list(self.blocked):
                self._answer(sender)
        self._write()
        for sender in list(self.senders):
            self._hang_up(sender)

    def _serve(self, sender: Sender | None) -> None:
        if sender is None:
            self._accept()
        elif not self.full:
            self._read(sender)

    def _accept(self) -> None:
        try:
            connection, _ = self.server.accept()
        except OSError:
            sleep(_BREATH)
            return
        connection.setblocking(False)
        if len(self.senders) >= self.listener.limits.connections:
            self._refuse(connection, "there are too many connections")
            connection.close()
            return
        sender = Sender(connection, self.listener.limits.line)
        self.senders.add(sender)
        self.selector.register(connection, selectors.EVENT_READ, sender)

    def _read(self, sender: Sender) -> None:
        try:
            data = sender.connection.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            self._end(sender)
            return
        if not data:
            self._end(sender)
            return
        if not self.group:
            self.due = monotonic() + GROUP_SECONDS
        before = len(sender.partial)
        self.group += sender.take(data, self.listener.spoilt)
        self.begun += len(sender.partial) - before
        if self.begun > self.listener.limits.waiting:
            self._refuse_largest()

    def _end(self, sender: Sender) -> None:
        """No more lines will come; what has come is still written down and acknowledged."""
        sender.ended = True
        self.selector.unregister(sender.connection)
        if sender.done:
            self._hang_up(sender)

    def _write(self) -> None:
        """Write the group down and tell its senders; if that cannot be, take nothing more and try again later."""
        if self.group and not self._written():
            self.due = monotonic() + _RETRY_SECONDS
            self._pause()
            return
        self.group.clear()
        self._resume()
        for sender in list(self.senders):
            if sender.waiting:
                sender.acknowledge()
            self._answer(sender)

    def _written(self) -> bool:
        try:
            if self.listener.journal.size() > self.listener.limits.spool:
                self.listener.failure = "the spool is full: rows come faster than they are read, senders wait"
                return False
            self.listener.journal.append(bytes(self.group))
        except (DataCellError, OSError) as error:
            self.listener.failure = str(error)
            return False
        self.listener.failure = None
        return True

    def _pause(self) -> None:
        if not self.full:
            self.full = True
            for sender in self.senders:
                if not sender.ended:
                    self.selector.unregister(sender.connection)

    def _resume(self) -> None:
        if self.full:
            self.full = False
            for sender in self.senders:
                if not sender.ended:
                    self.selector.register(sender.connection, selectors.EVENT_READ, sender)

    def _answer(self, sender: Sender) -> None:
        """Answer now or later; a sender that has hung up and does not listen gets none."""
        self.blocked.discard(sender)
        try:
            sender.answer()
        except BlockingIOError:
            if not sender.ended:
                self.blocked.add(sender)
                return
        except OSError:
            self._drop(sender)
            return
        if sender.ended:
            self._hang_up(sender)

    def _drop(self, sender: Sender) -> None:
        if not sender.ended:
            self.selector.unregister(sender.connection)
        self._hang_up(sender)

    def _refuse_largest(self) -> None:
        """Of a line that has not ended nothing was promised; what it has sent before is safe or will be."""
        largest = max(self.senders, key=lambda sender: len(sender.partial))
        self._refuse(largest.connection, "all senders together have sent too much without ending a line")
        self.begun -= len(largest.partial)
        largest.partial.clear()
        if not largest.ended:
            self._end(largest)

    def _refuse(self, connection: socket.socket, why: str) -> None:
        if not self.listener.refused:
            _LOG.warning("port %d: %s, some are hung up on", self.listener.port, why)
        self.listener.refused += 1
        with suppress(OSError):
            connection.send(b"error %s\n" % why.encode())

    def _hang_up(self, sender: Sender) -> None:
        if sender in self.senders:
            self.begun -= len(sender.partial)
        self.senders.discard(sender)
        self.blocked.discard(sender)
        with suppress(OSError):
            sender.connection.close()
