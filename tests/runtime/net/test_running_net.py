"""A running net: what expires, what is late, who waits for whom, what a restart changes."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest

from datacell.runtime.net import backpressure
from runtime.netrun import net_of, without_empty
from sample import DATA, answers, at, bind, reference
from window_laws import micros

TIMED = "SELECT k, count(*) AS n FROM s [RANGE 2 SECONDS SLIDE 1 SECOND] GROUP BY k"


def test_rows_expire_as_windows_slide(tmp_path: Path) -> None:
    net = net_of(tmp_path, TIMED)
    for number in range(100):
        row = {"ts": at(number), "k": 1, "v": 1.0, "n": 1}
        net.deposit("s", number, [row])
        assert len(net.streams["s"].basket.batches) <= 6
    assert len(list((tmp_path / "streams" / "s" / "basket").glob("*.arrow"))) <= 6


# seconds   0    1    2    3    4    5    6    7    8    9   10
# rows           *                                            *     then 1.5 again, 8.5 again
# lateness 2: watermark 8 after the row at 10; RANGE 2 SLIDE 1 shows the row at 1.5 last at 3, the one at 8.5 last at 10
def test_a_late_row_is_set_aside_and_one_within_the_lateness_is_not(tmp_path: Path) -> None:
    net = net_of(tmp_path, TIMED)
    for number, second in enumerate((1.0, 10.0, 1.5, 8.5)):
        net.deposit("s", number, [{"ts": at(second), "k": 1, "v": None, "n": None}])
    stream = net.streams["s"]
    assert stream.late.rows()["ts"].to_pylist() == [at(1.5)]
    assert stream.basket.progress.late == 1
    net.scheduler.drain()
    assert {a.boundary for a in net.answers()} == {micros(at(s)) for s in (2, 3, 9, 10, 11, 12)}


def test_a_row_is_not_late_while_a_row_window_still_counts_it(tmp_path: Path) -> None:
    net = net_of(tmp_path, "SELECT k FROM s [ROWS 2 SLIDE 1]")
    for number, second in enumerate((1.0, 100.0, 1.5)):
        net.deposit("s", number, [{"ts": at(second), "k": number, "v": None, "n": None}])
    assert [sorted(a.rows) for a in net.answers()] == [[(0,), (1,)], [(1,), (2,)]]


def test_an_idle_stream_stops_holding_the_other_back(tmp_path: Path) -> None:
    text = (
        "SELECT q.k FROM s [RANGE 1 SECOND SLIDE 1 SECOND] q LEFT JOIN r [RANGE 1 SECOND SLIDE 1 SECOND] p ON p.k = q.k"
    )
    net = net_of(tmp_path, text)
    idle = net.streams["r"]
    object.__setattr__(idle.definition, "idle_timeout", 5_000_000)
    for number, second in enumerate((0.5, 9.5)):
        net.deposit("s", number, [{"ts": at(second), "k": 1, "v": None, "n": None}])
    assert net.answers() == []
    net.clock.advance(6)
    net.scheduler.run()
    assert [a.boundary for a in net.answers()] == [micros(at(1))]


@pytest.mark.parametrize("emission", ["ISTREAM", "DSTREAM"])
def test_changes_go_on_after_a_restart(tmp_path: Path, emission: str) -> None:
    text = f"SELECT {emission} k FROM s [RANGE 3 SECONDS SLIDE 1 SECOND]"
    judge = reference()
    rows = judge.feeds["s"].rows
    for number, row in enumerate(rows):  # every batch in a net of its own, as after a crash
        net_of(tmp_path, text).deposit("s", number, [row])
    last = net_of(tmp_path, text)
    last.scheduler.drain()
    assert without_empty(last.answers()) == without_empty(answers(bind(text)))


@pytest.mark.parametrize("order", ["v DESC", "v DESC LIMIT 2", "n, v"])
def test_answers_come_in_the_order_that_the_query_asks_for(tmp_path: Path, order: str) -> None:
    rows = [(0.1, 1, 2.0, 1), (0.2, 2, 3.0, 1), (0.3, 3, 1.0, 1), (1.1, 4, 9.0, 1)]
    net = net_of(tmp_path, f"SELECT k FROM s [RANGE 2 SECONDS SLIDE 1 SECOND] ORDER BY {order}", {**DATA, "s": rows})
    net.run({"s": [4]})
    firing = net.output.wait(0, 0)
    assert firing is not None
    by_value = {"v DESC": [2, 1, 3, 4, 2, 1, 3, 4], "v DESC LIMIT 2": [2, 1, 4, 2, 4], "n, v": [3, 1, 2, 3, 1, 2, 4, 4]}
    assert firing.rows["k"].to_pylist() == by_value[order]


def test_a_full_basket_waits_for_the_slower_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backpressure, "LARGEST_BASKET", 0)
    text = "SELECT q.k FROM s [RANGE 1 SECOND SLIDE 1 SECOND] q JOIN r [RANGE 1 SECOND SLIDE 1 SECOND] p ON p.k = q.k"
    net = net_of(tmp_path, text)
    for stream in net.streams.values():
        stream.is_read = lambda: True
    net.deposit("s", 0, [{"ts": at(50), "k": 1, "v": None, "n": None}])
    row = {"ts": at(51), "k": 1, "v": None, "n": None}
    waiting = Thread(target=net.deposit, args=("s", 1, [row]), daemon=True)
    waiting.start()
    waiting.join(0.5)
    assert waiting.is_alive()
    net.deposit("r", 0, [{"ts": at(60), "k": 1, "x": None, "c": None}])
    waiting.join(20)
    assert not waiting.is_alive()
