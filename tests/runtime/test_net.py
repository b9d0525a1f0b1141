"""The net as data, and the parts of a running one: each law on its own, without Spark."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from datacell.errors import CheckpointError, SqlError
from datacell.runtime.net import backpressure
from datacell.runtime.net.petri import Net, Transition, TransitionKind, run_to_quiescence
from datacell.runtime.storage import files
from datacell.runtime.storage.checkpoint import Checkpoint
from datacell.runtime.storage.output import Output
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Axis
from datacell.runtime.streams.side_output import SideOutput
from reference import micros
from runtime.netrun import NetRun, without_empty
from sample import DATA, answers, at, bind, catalog, engine, reference

TIMED = "SELECT k, count(*) AS n FROM s [RANGE 2 SECONDS SLIDE 1 SECOND] GROUP BY k"


def net_of(tmp_path: Path, text: str, data: dict[str, Any] | None = None) -> NetRun:
    judge = reference(data) if data is not None else reference()
    return NetRun(tmp_path, catalog(), judge, engine(), bind(text))


class Counting:
    """An action that is enabled a few times."""

    def __init__(self, times: int, log: list[str], name: str) -> None:
        self.times, self.log, self.name = times, log, name

    def enabled(self) -> bool:
        return self.times > 0

    def fire(self) -> None:
        self.times -= 1
        self.log.append(self.name)


def test_transitions_fire_in_the_order_of_the_arcs_until_none_is_enabled() -> None:
    net = Net().with_transition(Transition("second", TransitionKind.FACTORY, ("middle",), ("end",)))
    net = net.with_transition(Transition("first", TransitionKind.FACTORY, ("start",), ("middle",)))
    log: list[str] = []
    fired = run_to_quiescence(net, {"first": Counting(1, log, "first"), "second": Counting(2, log, "second")})
    assert (fired, log) == (3, ["first", "second", "second"])
    assert net.places == ["end", "middle", "start"]


def test_rows_must_not_run_in_a_circle() -> None:
    net = Net().with_transition(Transition("there", TransitionKind.FACTORY, ("a",), ("b",)))
    with pytest.raises(SqlError, match="circle"):
        net.with_transition(Transition("back", TransitionKind.FACTORY, ("b",), ("a",)))


def basket_of(directory: Path) -> Basket:
    return Basket(directory, pa.schema([("x", pa.int64())]))


def take(basket: Basket, number: int, *values: int) -> None:
    rows = pa.table({"x": pa.array(values, pa.int64())})
    batch = basket.numbered(rows, np.array(values, dtype=np.int64))
    basket.take("receptor", number, batch, [(Axis.NUMBER, 0)], late=0, rejected=0)


def test_a_basket_numbers_arrivals_and_comes_back_as_it_was(tmp_path: Path) -> None:
    basket = basket_of(tmp_path)
    take(basket, 0, 5, 3)
    take(basket, 1)
    take(basket, 2, 9)
    again = basket_of(tmp_path)
    assert again.between(Axis.TIME, 0, 99, "at").to_pydict() == {"x": [5, 3, 9], "at": [5, 3, 9]}
    assert again.between(Axis.NUMBER, 0, 99, "at").to_pydict() == {"x": [5, 3, 9], "at": [1, 2, 3]}
    assert (again.progress, again.holds("receptor", 2), again.holds("receptor", 3)) == (basket.progress, True, False)


def test_a_batch_that_was_only_half_written_is_taken_again(tmp_path: Path) -> None:
    take(basket_of(tmp_path), 0, 1)
    saved = (tmp_path / "progress.json").read_bytes()
    take(basket_of(tmp_path), 1, 2, 3)
    (tmp_path / "progress.json").write_bytes(saved)  # as if the crash had come between the two writes
    basket = basket_of(tmp_path)
    take(basket, 1, 2, 3)
    assert basket_of(tmp_path).between(Axis.NUMBER, 0, 99, "at")["at"].to_pylist() == [1, 2, 3]


def test_a_batch_leaves_when_no_reader_needs_any_of_its_rows(tmp_path: Path) -> None:
    basket = basket_of(tmp_path)
    take(basket, 0, 1, 2)
    take(basket, 1, 2, 7)
    assert basket.expire([(Axis.TIME, 3)]) == 1
    assert [b.rows["x"].to_pylist() for b in basket.batches] == [[2, 7]]
    assert len(list(tmp_path.glob("*.arrow"))) == 1
    assert basket.expire([]) == 1


def test_between_live_batches_others_may_have_left(tmp_path: Path) -> None:
    basket = basket_of(tmp_path)
    for number, values in enumerate([(100,), (95, 96), (101, 102), (103,)]):
        take(basket, number, *values)
    assert basket.expire([(Axis.TIME, 97), (Axis.NUMBER, 6)]) == 1
    assert basket.between(Axis.NUMBER, 5, 7, "at").to_pydict() == {"x": [102, 103], "at": [5, 6]}
    assert basket.between(Axis.NUMBER, 1, 5, "at").to_pydict() == {"x": [100, 101], "at": [1, 4]}
    assert basket.between(Axis.TIME, 101, 103, "at").to_pydict() == {"x": [101, 102], "at": [101, 102]}


def test_rows_set_aside_are_bounded_and_a_batch_put_twice_counts_once(tmp_path: Path) -> None:
    aside = SideOutput(tmp_path / "late.arrow", pa.schema([("x", pa.int64())]))
    for _ in range(2):
        aside.put(0, pa.table({"x": [1, 2]}))
    aside.put(1, pa.table({"x": list(range(20_000))}))
    assert len(aside.rows()) == 10_000
    assert SideOutput(tmp_path / "late.arrow", aside.schema).rows()["x"].to_pylist()[-1] == 19_999


def test_an_output_keeps_its_last_firing_and_goes_on_after_it(tmp_path: Path) -> None:
    output = Output(tmp_path, pa.schema([("x", pa.int64())]))
    for number in range(3):
        output.append(pa.table({"x": [number]}), {"boundary": number})
    output.forget(3)
    again = Output(tmp_path, output.schema)
    assert again.last is not None
    assert (again.last.number, again.last.state, again.next_number) == (2, {"boundary": 2}, 3)


def test_a_temporary_output_writes_only_what_somebody_is_slow_to_take() -> None:
    with files.temporary_directory() as directory:
        output = Output(directory / "output", pa.schema([("x", pa.int64())]))
        for number in range(3):
            output.append(pa.table({"x": [number]}), {"boundary": number})
        taken = [output.wait(number, 0) for number in range(4)]
        assert [None if f is None else f.rows["x"].to_pylist() for f in taken] == [[0], [1], [2], None]
        output.forget(3)
        assert list(output.directory.iterdir()) == []
        output.append(pa.table({"x": [3]}), {"boundary": 3})
        assert not list(output.directory.iterdir())
        assert output.last is not None
        assert output.wait(0, 0) == output.last


def test_a_checkpoint_refuses_a_query_that_has_changed(tmp_path: Path) -> None:
    Checkpoint(tmp_path).admit("query", "hot", "SELECT 1")
    Checkpoint(tmp_path).admit("query", "HOT", "SELECT 1")
    with pytest.raises(CheckpointError, match="hot has changed"):
        Checkpoint(tmp_path).admit("query", "hot", "SELECT 2")


def test_a_directory_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CheckpointError, match="cannot be written"):
        files.write_json(tmp_path / "file" / "below", 1)


@pytest.mark.parametrize("path", ["file", "file/below"])
def test_a_checkpoint_in_the_place_of_a_file_says_so(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CheckpointError, match="cannot be read: Not a directory"):
        Checkpoint(tmp_path / path)


def test_a_damaged_checkpoint_says_so(tmp_path: Path) -> None:
    (tmp_path / "cell.json").write_text("{")
    with pytest.raises(CheckpointError, match="is damaged"):
        Checkpoint(tmp_path)


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
