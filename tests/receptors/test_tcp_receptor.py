"""The TCP receptor on real sockets: acknowledged is written down, and no sender harms another."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from threading import Thread

import pytest

from datacell.errors import CheckpointError, SourceError
from datacell.receptors import tcp
from datacell.receptors.tcp import TOO_LONG, Limits, TcpListener


class Memory:
    """A journal in memory that can be full."""

    def __init__(self) -> None:
        self.content = b""
        self.full = False

    def append(self, content: bytes) -> None:
        if self.full:
            raise CheckpointError("no space left")
        self.content += content

    def size(self) -> int:
        return 0


@pytest.fixture
def journal() -> Memory:
    return Memory()


@pytest.fixture
def listener(journal: Memory, monkeypatch: pytest.MonkeyPatch) -> Iterator[TcpListener]:
    monkeypatch.setattr(tcp, "GROUP_SECONDS", 0.02)
    monkeypatch.setattr(tcp, "_RETRY_SECONDS", 0.05)
    made = TcpListener("127.0.0.1", 0, journal, b",,,")
    made.start()
    yield made
    made.stop()


def _connect(listener: TcpListener) -> socket.socket:
    return socket.create_connection(("127.0.0.1", listener.port), timeout=10)


def _acknowledged(connection: socket.socket, rows: int) -> int:
    """The last acknowledgement: the first that covers so many rows, or the one before the end."""
    last = 0
    with connection.makefile("rb") as answers:
        for answer in answers:
            last = int(answer.removeprefix(b"ok "))
            if last >= rows:
                break
    return last


def test_lines_are_acknowledged_when_written(listener: TcpListener, journal: Memory) -> None:
    with _connect(listener) as sender:
        sender.sendall(b"1,a\n2,b\r\n3")
        assert _acknowledged(sender, 2) == 2
        assert journal.content == b"1,a\n2,b\n"
        sender.sendall(b",c\n")
        assert _acknowledged(sender, 3) == 3
    assert journal.content == b"1,a\n2,b\n3,c\n"


def test_half_a_line_is_not_taken(listener: TcpListener, journal: Memory) -> None:
    with _connect(listener) as sender:
        sender.sendall(b"1\n2\nhalf")
        sender.shutdown(socket.SHUT_WR)
        assert _acknowledged(sender, 99) == 2
    assert journal.content == b"1\n2\n"


def test_many_senders_at_once(listener: TcpListener, journal: Memory) -> None:
    acknowledged: list[int] = []

    def send(name: int) -> None:
        with _connect(listener) as sender:
            for start in range(0, 2000, 100):
                sender.sendall(b"".join(b"%d,%d\n" % (name, i) for i in range(start, start + 100)))
            acknowledged.append(_acknowledged(sender, 2000))

    threads = [Thread(target=send, args=(name,)) for name in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert acknowledged == [2000] * 20
    lines = journal.content.splitlines()
    assert sorted(lines) == sorted(b"%d,%d" % (name, i) for name in range(20) for i in range(2000))
    assert [line for line in lines if line.startswith(b"7,")] == [b"7,%d" % i for i in range(2000)]


def test_garbage_and_silence_harm_nobody(listener: TcpListener, journal: Memory) -> None:
    with _connect(listener) as silent, _connect(listener) as rude, _connect(listener) as good:
        silent.sendall(b"begun")
        rude.sendall(bytes(range(256)) * 100 + b"\n" + b"\n" * 5000)
        good.sendall(b"1\n")
        assert _acknowledged(good, 1) == 1
    assert b"\n1\n" in b"\n" + journal.content
    assert b"begun" not in journal.content


def test_a_sender_that_never_reads_can_go_on(listener: TcpListener, journal: Memory) -> None:
    with _connect(listener) as deaf, _connect(listener) as good:
        for _ in range(300):
            deaf.sendall(b"x\n")
        good.sendall(b"1\n")
        assert _acknowledged(good, 1) == 1
        assert _acknowledged(deaf, 300) == 300


@pytest.fixture
def small(journal: Memory, monkeypatch: pytest.MonkeyPatch) -> Iterator[TcpListener]:
    """A listener that may hold very little."""
    monkeypatch.setattr(tcp, "GROUP_SECONDS", 0.02)
    made = TcpListener("127.0.0.1", 0, journal, b",,,", Limits(line=100_000, waiting=1_000_000, connections=60))
    made.start()
    yield made
    made.stop()


@pytest.mark.parametrize("size", [100_001, 3_000_000], ids=["a little", "much"])
def test_a_line_that_is_too_long_is_cut_and_spoilt(small: TcpListener, journal: Memory, size: int) -> None:
    with _connect(small) as sender:
        sender.sendall(b"before\n" + b"x" * 100_000 + b"\n" + b'"' + b"y" * (size - 1) + b"\nafter\n")
        assert _acknowledged(sender, 4) == 4
    first, just_fits, long, last = journal.content.splitlines()
    assert (first, just_fits, last) == (b"before", b"x" * 100_000, b"after")
    assert long == b"'" + b"y" * 299 + TOO_LONG.encode() + b",,,"


def _last_word(sender: socket.socket) -> bytes:
    """What the listener has said; nothing, if the network has forgotten it since more was sent."""
    try:
        return sender.recv(100)
    except ConnectionError:
        return b""


def test_many_lines_that_never_end_take_little_memory(small: TcpListener, journal: Memory) -> None:
    """60 senders with 90 KB each would be 5.4 MB; 1 MB is allowed, and nobody who ends lines is harmed."""
    with ExitStack() as stack:
        good = stack.enter_context(_connect(small))
        greedy = [stack.enter_context(_connect(small)) for _ in range(59)]
        peak = 0
        for sender in greedy:
            with suppress(ConnectionError):
                sender.sendall(b"z" * 90_000)
            good.sendall(b"1,a\n")
            held = [len(s.partial) for service in [small.service] if service for s in list(service.senders)]
            peak = max(peak, sum(held))
        assert _acknowledged(good, 59) == 59
        assert small.refused >= 40
        assert peak < 1_000_000 + 2 * 90_000
        told, _, _ = select.select(greedy, [], [], 10)
        assert any(_last_word(sender).startswith(b"error all senders together") for sender in told)
    assert journal.content == b"1,a\n" * 59


def test_there_are_no_more_connections_than_allowed(small: TcpListener) -> None:
    with ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(_connect(small)).sendall(b"1\n")
        refused = stack.enter_context(_connect(small))
        assert refused.recv(100) == b"error there are too many connections\n"
        assert small.refused == 1


def test_a_full_disk_holds_acknowledgements_back(listener: TcpListener, journal: Memory) -> None:
    journal.full = True
    with _connect(listener) as sender:
        sender.sendall(b"1\n2\n")
        sender.settimeout(0.4)
        with pytest.raises(TimeoutError):
            sender.recv(10)
        assert listener.failure == "no space left"
        journal.full = False
        sender.settimeout(10)
        assert _acknowledged(sender, 2) == 2
    assert journal.content == b"1\n2\n"
    assert listener.failure is None


def test_stop_hangs_up_after_writing(journal: Memory) -> None:
    listener = TcpListener("127.0.0.1", 0, journal, b"")
    listener.start()
    with _connect(listener) as sender:
        sender.sendall(b"1\n")
        assert _acknowledged(sender, 1) == 1
        listener.stop()
        assert sender.recv(10) == b""
        with pytest.raises(ConnectionRefusedError):
            _connect(listener)


def test_a_taken_port_is_a_clear_error(listener: TcpListener, journal: Memory) -> None:
    with pytest.raises(SourceError, match="Address already in use"):
        TcpListener("127.0.0.1", listener.port, journal, b"").start()
