"""The TCP emitter on real sockets: delivered is what a client has acknowledged, and nobody is held up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from datacell.emitters.couriers import Couriers
from datacell.emitters.delivery import Delivery
from datacell.emitters.tcp import Limits, TcpEmitter
from datacell.errors import EmitterError
from datacell.runtime.storage.output import Output
from emitters.outputs import SCHEMA, delivery, eventually, firing, output
from emitters.tcp_client import Client

SMALL = Limits(firings=3, bytes=1 << 20, clients=3, silence=1)


@pytest.fixture
def emitter() -> Iterator[TcpEmitter]:
    made = TcpEmitter("127.0.0.1", 0, SMALL)
    yield made
    made.close()


def _connected(emitter: TcpEmitter) -> Client:
    client = Client(emitter.port)
    assert eventually(lambda: client.address in [s.address for s in emitter.subscribers])
    return client


def test_every_client_gets_every_firing_with_its_end(emitter: TcpEmitter) -> None:
    with _connected(emitter) as first, _connected(emitter) as second:
        emitter.deliver(firing(0))
        emitter.deliver(firing(1))
        for client in (first, second):
            assert client.line() == {"__firing": 0, "n": 0, "s": "x"}
            assert client.line() == {"__firing": 0, "n": 1, "s": "x"}
            assert client.line() == {"__end": 0}
            assert client.firing() == (1, [1000, 1001])


def test_what_was_read_but_not_acknowledged_is_sent_again(emitter: TcpEmitter) -> None:
    for number in range(3):
        emitter.deliver(firing(number))
    with _connected(emitter) as first:
        assert [first.firing()[0] for _ in range(3)] == [0, 1, 2]
        assert emitter.unacknowledged() == 0
        first.acknowledge(0)
        assert eventually(lambda: emitter.unacknowledged() == 1)
    with _connected(emitter) as again:
        assert [again.firing()[0] for _ in range(2)] == [1, 2]
        again.acknowledge(2)
        assert eventually(lambda: emitter.unacknowledged() is None)


def test_an_acknowledgement_counts_for_all_before(emitter: TcpEmitter) -> None:
    with _connected(emitter) as client:
        for number in (4, 7, 9):
            emitter.deliver(firing(number))
        assert [client.firing()[0] for _ in range(3)] == [4, 7, 9]
        client.say("ok 7\r\n\n")
        assert eventually(lambda: emitter.unacknowledged() == 9)


def test_one_acknowledgement_suffices_and_a_client_that_only_watches_consumes_nothing(emitter: TcpEmitter) -> None:
    with _connected(emitter) as watching, _connected(emitter) as taking:
        for number in range(20):
            assert emitter.has_room(10)
            emitter.deliver(firing(number))
            assert taking.firing()[0] == number
            taking.acknowledge(number)
            assert watching.firing()[0] == number
        assert eventually(lambda: emitter.unacknowledged() is None)


@pytest.mark.parametrize("said", ["ok 5\n", "GET / HTTP/1.1\r\n", "ok\n", "ok -1\n", "x" * 100, "\x00\xff\n"])
def test_a_client_that_makes_no_sense_is_told_and_consumes_nothing(emitter: TcpEmitter, said: str) -> None:
    with _connected(emitter) as client:
        client.say(said)
        assert "__error" in client.line()
        assert client.line() == {}
    emitter.deliver(firing(5))
    assert emitter.unacknowledged() == 5


def test_a_firing_is_acknowledged_only_after_all_of_it_was_sent(emitter: TcpEmitter) -> None:
    emitter.deliver(firing(3, 400_000))
    with _connected(emitter) as hasty:
        hasty.line()
        hasty.acknowledge(3)
        assert eventually(lambda: not emitter.subscribers)
    assert emitter.unacknowledged() == 3


def test_a_client_that_reads_nothing_consumes_nothing(tmp_path: Path) -> None:
    """However much the network takes: the emitter waits, within its bound, and says so."""
    emitter, source = TcpEmitter("127.0.0.1", 0, Limits(firings=100, silence=60)), output(tmp_path, 700)
    running = delivery(tmp_path, source, emitter)
    try:
        with _connected(emitter) as deaf:
            assert eventually(lambda: len(emitter.outbox) == 100)
            assert (running.cursor, running.pending) == (0, 700)
            emitter._moved -= 20
            assert running.state == "waiting"
            assert "no client has acknowledged firing 0, for" in (running.trouble() or "")
            assert [deaf.firing()[0] for _ in range(100)] == list(range(100))
            deaf.acknowledge(99)
            assert eventually(lambda: running.cursor == 100)
        assert eventually(lambda: "no client is connected" in (running.trouble() or ""))
    finally:
        running.stop()


def test_a_client_that_dies_half_way_is_followed_by_one_that_gets_the_rest(tmp_path: Path) -> None:
    emitter, source = TcpEmitter("127.0.0.1", 0, SMALL), output(tmp_path, 9)
    running, seen = delivery(tmp_path, source, emitter), list[int]()
    for last in (2, 4, 6, 8):
        with _connected(emitter) as client:
            seen += [client.firing()[0] for _ in range(3)]
            client.acknowledge(last - 1)  # one less than it got
            assert eventually(lambda: running.cursor == last)  # noqa: B023 - called at once
        assert eventually(lambda: not emitter.subscribers)
    running.stop()
    assert seen == [0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7, 8]


def test_what_is_acknowledged_late_is_not_sent_again_after_a_restart(tmp_path: Path) -> None:
    source = output(tmp_path, 6)
    emitter = TcpEmitter("127.0.0.1", 0, SMALL)
    running = delivery(tmp_path, source, emitter)
    with _connected(emitter) as late:
        assert [late.firing()[0] for _ in range(3)] == [0, 1, 2]
        stopping = Thread(target=running.stop)
        stopping.start()
        late.acknowledge(2)
        stopping.join(20)
    assert not stopping.is_alive()
    again = TcpEmitter("127.0.0.1", 0, SMALL)
    resumed = delivery(tmp_path, Output(source.directory, SCHEMA), again)
    with _connected(again) as client:
        assert [client.firing()[0] for _ in range(3)] == [3, 4, 5]
        client.acknowledge(5)
        assert eventually(lambda: resumed.pending == 0)
    resumed.stop()


def test_empty_firings_need_no_client(tmp_path: Path) -> None:
    source = Output(tmp_path / "output", SCHEMA)
    emitter = TcpEmitter("127.0.0.1", 0, SMALL)
    running = Delivery("e", source, emitter, tmp_path / "e.json", Couriers())
    running.start()
    for _ in range(5):
        source.append(SCHEMA.empty_table(), {})
    assert eventually(lambda: running.pending == 0)
    assert running.state == "up to date"
    running.stop()


def test_a_slow_client_is_left_behind_by_one_that_acknowledges(emitter: TcpEmitter) -> None:
    with _connected(emitter) as slow, _connected(emitter) as fast:
        for number in range(8):
            assert emitter.has_room(10)
            emitter.deliver(firing(number, 50_000))
            assert len(fast.firing()[1]) == 50_000
            fast.acknowledge(number)
        assert eventually(lambda: len(emitter.subscribers) == 1)
        assert slow.firing()[0] == 0


def test_a_client_that_takes_nothing_is_hung_up_on(emitter: TcpEmitter) -> None:
    with _connected(emitter):
        emitter.deliver(firing(3, 400_000))
        assert eventually(lambda: not emitter.subscribers)
        with _connected(emitter) as second:
            number, values = second.firing()
            assert (number, len(values), values[-1]) == (3, 400_000, 3000 + 399_999)


def test_there_are_no_more_clients_than_allowed(emitter: TcpEmitter) -> None:
    first, second, third = (_connected(emitter) for _ in range(3))
    with first, second, third, Client(emitter.port) as refused:
        assert refused.line() == {"__error": "there are too many clients"}
        assert refused.line() == {}


def test_a_closed_emitter_says_so() -> None:
    emitter = TcpEmitter("127.0.0.1", 0)
    emitter.close()
    with pytest.raises(EmitterError, match="closed before anybody took"):
        emitter.deliver(firing(0))


def test_a_taken_port_is_a_clear_error(emitter: TcpEmitter) -> None:
    with pytest.raises(EmitterError, match=f"cannot listen on 127.0.0.1:{emitter.port}: Address already in use"):
        TcpEmitter("127.0.0.1", emitter.port)
