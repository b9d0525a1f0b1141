"""The TCP emitter on real sockets: at least once, and nobody is held up."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from threading import Thread

import pytest

from datacell.emitters.tcp import TcpEmitter
from datacell.errors import EmitterError
from emitters.outputs import eventually, firing


@pytest.fixture
def emitter() -> Iterator[TcpEmitter]:
    made = TcpEmitter("127.0.0.1", 0, largest_queue=1 << 20, silence=1.0)
    yield made
    made.close()


def _subscribe(emitter: TcpEmitter) -> socket.socket:
    before = list(emitter.subscribers)
    connection = socket.create_connection(("127.0.0.1", emitter.port), timeout=10)
    assert eventually(lambda: any(s not in before for s in emitter.subscribers))
    return connection


def _lines(connection: socket.socket, count: int) -> list[dict[str, object]]:
    file = connection.makefile("rb")
    with file:
        return [json.loads(file.readline()) for _ in range(count)]


def test_every_subscriber_gets_every_firing(emitter: TcpEmitter) -> None:
    with _subscribe(emitter) as first, _subscribe(emitter) as second:
        emitter.deliver(firing(0))
        emitter.deliver(firing(1))
        expected = [{"__firing": k, "n": 1000 * k + i, "s": "x"} for k in (0, 1) for i in (0, 1)]
        assert _lines(first, 4) == _lines(second, 4) == expected


def test_a_firing_waits_for_the_first_subscriber(emitter: TcpEmitter) -> None:
    waiting = Thread(target=emitter.deliver, args=(firing(7),))
    waiting.start()
    with _subscribe(emitter) as late:
        assert [row["__firing"] for row in _lines(late, 2)] == [7, 7]
        waiting.join(10)
        assert not waiting.is_alive()


def test_a_subscriber_that_does_not_read_is_cut_off(emitter: TcpEmitter) -> None:
    with _subscribe(emitter), _subscribe(emitter) as fast:
        taken: list[dict[str, object]] = []
        reading = Thread(target=lambda: taken.extend(_lines(fast, 8 * 50_000)))
        reading.start()
        for number in range(8):
            emitter.deliver(firing(number, 50_000))
        reading.join(20)
        assert len(taken) == 8 * 50_000
        assert eventually(lambda: [s.alive for s in emitter.subscribers].count(True) == 1)


def test_a_dead_subscriber_is_given_up_and_its_firing_sent_again(emitter: TcpEmitter) -> None:
    with _subscribe(emitter):
        waiting = Thread(target=emitter.deliver, args=(firing(3, 400_000),))
        waiting.start()
        assert eventually(lambda: not any(s.alive for s in emitter.subscribers))
        with _subscribe(emitter) as second:
            rows = _lines(second, 400_000)
            assert (rows[0]["__firing"], rows[-1]["n"]) == (3, 3000 + 399_999)
        waiting.join(10)
        assert not waiting.is_alive()


def test_a_subscriber_that_left_takes_nothing(emitter: TcpEmitter) -> None:
    _subscribe(emitter).close()
    assert eventually(lambda: not any(s.alive for s in emitter.subscribers))
    waiting = Thread(target=emitter.deliver, args=(firing(4),))
    waiting.start()
    with _subscribe(emitter) as second:
        assert _lines(second, 1)[0]["__firing"] == 4
    waiting.join(10)


def test_close_tells_who_waits() -> None:
    emitter = TcpEmitter("127.0.0.1", 0)
    failures: list[str] = []

    def deliver() -> None:
        try:
            emitter.deliver(firing(0))
        except EmitterError as error:
            failures.append(error.message)

    waiting = Thread(target=deliver)
    waiting.start()
    emitter.close()
    waiting.join(10)
    assert failures == ["the emitter was closed before anybody took the firing"]


def test_a_taken_port_is_a_clear_error(emitter: TcpEmitter) -> None:
    with pytest.raises(EmitterError, match=f"cannot listen on 127.0.0.1:{emitter.port}: Address already in use"):
        TcpEmitter("127.0.0.1", emitter.port)
