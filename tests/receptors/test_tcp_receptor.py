"""The TCP receptor on real sockets: acknowledged is written down, and no sender harms another."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from threading import Thread

import pytest

from datacell.errors import CheckpointError, SourceError
from datacell.receptors import tcp
from datacell.receptors.tcp import TcpListener


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


def test_a_line_that_is_too_long_is_cut_and_spoilt(
    listener: TcpListener, journal: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tcp, "LONGEST_LINE", 100_000)
    with _connect(listener) as sender:
        sender.sendall(b"before\n" + b"y" * 3_000_000 + b"\nafter\n")
        assert _acknowledged(sender, 3) == 3
    first, long, last = journal.content.splitlines()
    assert (first, last) == (b"before", b"after")
    assert long == b"y" * 300 + b",,,"


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
