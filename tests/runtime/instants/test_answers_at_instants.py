"""Answers at every instant: what leaves when, what is kept, what a restart changes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from datacell.sql import script
from reference import Reference
from runtime.netrun import NetRun, net_of, snapshot
from sample import Values, answers, at, bind, defined, engine
from window_laws import FOREVER


def put(net: NetRun, number: int, seconds: float, k: int = 1, stream: str = "s") -> None:
    rest = {"v": float(number), "n": number} if stream == "s" else {"x": number, "c": "x"}
    net.deposit(stream, number, [{"ts": at(seconds), "k": k, **rest}])


def left(net: NetRun) -> list[tuple[object, ...]]:
    """In seconds."""
    return [(a / 1e6, b / 1e6 if b < FOREVER else float("inf"), *row) for a, b, row in net.validities()]


def test_a_row_leaves_as_soon_as_no_other_can_come_before_it(tmp_path: Path) -> None:
    net = net_of(tmp_path, "SELECT n FROM s [RANGE 10 SECONDS]")
    put(net, 0, 5)
    assert left(net) == []  # with a lateness of 2 seconds the watermark is at 3
    put(net, 1, 8)
    assert left(net) == [(5, 15, 0)]


def test_an_aggregate_leaves_when_its_segment_is_closed(tmp_path: Path) -> None:
    net = net_of(tmp_path, "SELECT count(*) AS c FROM s [RANGE 10 SECONDS]")
    put(net, 0, 1)
    put(net, 1, 4)
    assert left(net) == []
    put(net, 2, 7)
    assert left(net) == [(1, 4, 1)]
    put(net, 3, 13)
    assert left(net) == [(1, 4, 1), (4, 7, 2), (7, 11, 3)]


def test_a_group_waits_for_those_that_began_earlier(tmp_path: Path) -> None:
    net = net_of(tmp_path, "SELECT k, count(*) AS c FROM s [RANGE 10 SECONDS] GROUP BY k")
    for number, (seconds, k) in enumerate([(1, 1), (2, 2), (3, 2), (7, 3)]):
        put(net, number, seconds, k)
    assert left(net) == []  # the segment of key 2 is closed, but that of key 1 began before it
    put(net, 4, 13.5, 3)
    assert left(net) == [(1, 11, 1, 1), (2, 3, 2, 1)]


def test_an_idle_stream_stops_holding_the_others_back(tmp_path: Path) -> None:
    streams = "CREATE STREAM {} (ts TIMESTAMP, k INT, WATERMARK FOR ts AS ts, IDLE TIMEOUT INTERVAL 10 SECONDS);"
    known = defined(streams.format("a") + streams.format("b"))
    query = script.query("SELECT k FROM a [RANGE 5 SECONDS] UNION ALL SELECT k FROM b [RANGE 5 SECONDS]", known)
    net = NetRun(tmp_path, known, Reference({}, {}, engine()), engine(), query)
    net.deposit("b", 0, [{"ts": at(1), "k": 7}])
    net.deposit("a", 0, [{"ts": at(2), "k": 1}, {"ts": at(9), "k": 2}])
    assert left(net) == []
    net.clock.advance(11)
    net.deposit("a", 1, [{"ts": at(9), "k": 3}])
    assert left(net) == [(1, 6, 7), (2, 7, 1)]


def test_a_row_whose_instant_was_answered_is_late(tmp_path: Path) -> None:
    net = net_of(tmp_path, "SELECT n FROM s [RANGE 10 SECONDS]")
    put(net, 0, 5)
    put(net, 1, 8)
    put(net, 2, 5.5)  # the watermark is at 6
    put(net, 3, 6)
    assert net.streams["s"].basket.progress.late == 1
    net.scheduler.drain()
    assert [row[-1] for row in left(net)] == [0, 3, 1]


def test_after_the_end_what_was_said_stays_said(tmp_path: Path) -> None:
    net = net_of(tmp_path, "SELECT k, count(*) AS c FROM s [RANGE 10 SECONDS] GROUP BY k")
    put(net, 0, 5)
    net.scheduler.drain()
    assert left(net) == [(5, 15, 1, 1)]
    put(net, 1, 14)  # up to 15 everything was said
    put(net, 2, 16)
    net.scheduler.drain()
    assert left(net) == [(5, 15, 1, 1), (16, 26, 1, 1)]
    assert net.streams["s"].basket.progress.late == 1


def test_the_latest_answer_is_what_was_valid_last(tmp_path: Path) -> None:
    net = net_of(tmp_path, "SELECT k, count(*) AS c FROM s [RANGE 10 SECONDS] GROUP BY k")
    for number, (seconds, k) in enumerate([(1, 1), (2, 2), (13, 3), (20, 3)]):
        put(net, number, seconds, k)
    assert left(net) == [(1, 11, 1, 1), (2, 12, 2, 1)]
    assert net.factory.latest is not None
    assert net.factory.latest()["k"].to_pylist() == []  # at the last instant before 13 nothing was valid
    put(net, 4, 30)
    net.scheduler.drain()
    assert net.factory.latest()["k"].to_pylist() == [1]


def test_a_stream_without_end_is_valid_forever(tmp_path: Path) -> None:
    net = net_of(tmp_path, "SELECT k, count(*) AS c FROM s [UNBOUNDED] GROUP BY k")
    put(net, 0, 1)
    put(net, 1, 2)
    net.scheduler.drain()
    assert left(net) == [(1, 2, 1, 1), (2, float("inf"), 1, 2)]


def test_the_select_list_may_say_when(tmp_path: Path) -> None:
    net = net_of(tmp_path, "SELECT valid_to, k, valid_from FROM s [RANGE 10 SECONDS]")
    put(net, 0, 1)
    net.scheduler.drain()
    firing = net.output.wait(0, 0)
    assert firing is not None
    assert firing.rows.to_pylist() == [{"valid_to": at(11), "k": 1, "valid_from": at(1)}]


def test_coalesce_joins_equal_rows_that_follow_each_other(tmp_path: Path) -> None:
    net = net_of(tmp_path, "COALESCE (SELECT k, count(*) AS c FROM s [FIXED 2 SECONDS] GROUP BY k)")
    for number, (seconds, k) in enumerate([(0, 1), (2, 1), (2.5, 2), (4, 1), (5, 1), (9, 1)]):
        put(net, number, seconds, k)
    assert left(net) == [(0, 5, 1, 1), (2.5, 4, 2, 1), (5, 6, 1, 2)]
    net.scheduler.drain()
    assert left(net)[3:] == [(9, 10, 1, 1)]


def test_split_lets_an_endless_answer_leave(tmp_path: Path) -> None:
    net = net_of(tmp_path, "SPLIT EVERY 5 SECONDS (SELECT k, count(*) AS c FROM s [UNBOUNDED] GROUP BY k)")
    put(net, 0, 1)
    put(net, 1, 2, k=2)
    put(net, 2, 14)
    assert left(net) == [(1, 5, 1, 1), (2, 5, 2, 1), (5, 10, 1, 1), (5, 10, 2, 1)]
    net.scheduler.drain()
    ends = [(10, 14, 1, 1), (10, 15, 2, 1), (14, 15, 1, 2), (15, float("inf"), 1, 2), (15, float("inf"), 2, 1)]
    assert left(net)[4:] == ends


def test_rows_are_split_as_time_comes(tmp_path: Path) -> None:
    net = net_of(tmp_path, "SPLIT EVERY 4 SECONDS (SELECT n FROM s [RANGE 10 SECONDS])")
    put(net, 0, 1)
    put(net, 1, 8)
    assert left(net) == [(1, 4, 0), (4, 8, 0)]
    net.scheduler.drain()
    assert left(net)[2:] == [(8, 11, 0), (8, 12, 1), (12, 16, 1), (16, 18, 1)]


QUERIES = [
    "SELECT k, avg(v) AS a, count(*) AS c FROM s [RANGE 1 MINUTE] GROUP BY k",
    "SELECT k, median(v) AS a FROM s [RANGE 1 MINUTE] GROUP BY k",
    "SELECT DISTINCT k, n FROM s [RANGE 1 MINUTE]",
    "SELECT a.n, b.n AS m FROM s [RANGE 1 MINUTE] a JOIN s [RANGE 1 MINUTE] b ON a.n = b.n + 1",
    "SELECT k, n FROM s [FIXED 1 MINUTE] EXCEPT SELECT k, x FROM r [RANGE 1 MINUTE]",
    "SELECT sum(v) AS t FROM s [RANGE 1 MINUTE] WHERE k = 1",
]


@pytest.mark.parametrize("text", QUERIES)
def test_what_is_kept_is_proportional_to_the_window(tmp_path: Path, text: str) -> None:
    """Ten minutes of a row every two seconds: a minute has 30, a state at most a few for each of them."""
    net = net_of(tmp_path, text)
    kept, stored = [], []
    for number in range(300):
        put(net, number, 2 * number, k=number % 3)
        put(net, number, 2 * number, k=number % 3, stream="r")
        kept.append(net.factory.evaluation.held().rows)  # type: ignore[union-attr]
        stored.append(sum(len(b.rows) for b in net.streams["s"].basket.batches))
    assert max(kept[150:]) <= max(kept[:150]) + 3
    assert max(kept) <= 5 * 32
    assert max(stored) <= 2 * 31 + 3


RESTARTED = [*QUERIES, "SELECT k, max(n) AS m FROM s [UNBOUNDED] GROUP BY k", "SELECT k, v FROM s [RANGE 9 SECONDS]"]
RESTARTED += [
    f"{shape} (SELECT k, max(n) AS m FROM s [RANGE 9 SECONDS] GROUP BY k)"
    for shape in ("COALESCE", "SPLIT EVERY 2 SECONDS")
]
RESTARTED += ["SELECT k, count(*) AS c FROM (SELECT k, max(n) AS n FROM s [RANGE 9 SECONDS] GROUP BY k) q GROUP BY k"]


@pytest.mark.parametrize("text", RESTARTED)
def test_a_restart_changes_nothing(tmp_path: Path, text: str) -> None:
    chance = Random(3)
    data = {"s": _rows(chance, 60), "r": [(t, k, n, "x") for t, k, _, n in _rows(chance, 60)], "t": [], "u": []}
    once = net_of(tmp_path / "once", text, data)
    once.deposit_all({"s": [4] * 15, "r": [4] * 15})
    once.scheduler.drain()
    expected = once.validities()
    assert expected
    for number in range(15):
        again = net_of(tmp_path / "again", text, data)
        for name in ("s", "r"):
            again.deposit(name, number, once.judge.feeds[name].rows[4 * number : 4 * number + 4])
    again.scheduler.drain()
    assert Counter(again.validities()) == Counter(expected)


def _rows(chance: Random, count: int) -> Values:
    rows = []
    for number in range(count):
        seconds = max(0.0, number * 1.5 - chance.choice([0, 0.5, 1.9]))
        rows.append(
            (seconds, chance.choice([None, 1, 2, 3]), chance.choice([None, 0.5, 2.0]), chance.choice([None, 1, 2]))
        )
    return rows


@pytest.mark.parametrize("window", ["RANGE 7 SECONDS", "FIXED 4 SECONDS", "RANGE 900 MILLISECONDS", "UNBOUNDED", "NOW"])
def test_by_parts_is_as_between_all_end_points(tmp_path: Path, window: str) -> None:
    """The variance does not add up, so the second query is evaluated in the general way."""
    chance = Random(8)
    data = {"s": _rows(chance, 150), "r": [], "t": [], "u": []}
    found = []
    for name, more in (("parts", ""), ("general", ", var_pop(v) AS x")):
        text = f"SELECT k, avg(v) AS a, min(n) AS b, count(*) AS c{more} FROM s [{window}] WHERE n > 0 GROUP BY k"
        net = net_of(tmp_path / name, text, data)
        net.deposit_all({"s": [chance.randint(0, 12) for _ in range(30)]})
        net.scheduler.drain()
        found.append(Counter((a, b, row[:4]) for a, b, row in net.validities()))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT k, avg(v) AS a, count(*) AS c FROM s [{}] GROUP BY k",
        "SELECT count(*) AS c, max(n) AS m FROM s [{}] WHERE k > 1",
        "SELECT a.k, b.x FROM s [{}] a LEFT JOIN r [{}] b ON a.k = b.k",
        "SELECT k, n FROM s [{}] ORDER BY n DESC, k LIMIT 2",
    ],
)
@pytest.mark.parametrize("window", ["RANGE 3 SECONDS", "FIXED 4 SECONDS"])
def test_sampled_at_boundaries_it_is_the_answer_with_slide(tmp_path: Path, text: str, window: str) -> None:
    net = net_of(tmp_path, text.replace("{}", window))
    net.deposit_all({"s": [], "r": []})
    net.scheduler.drain()
    found = net.validities()
    sampled = answers(bind(text.replace("{}", f"{window} SLIDE 1 SECOND")))
    assert sampled
    for answer in sampled:
        assert snapshot(found, answer.boundary - 1) == answer.rows, answer.boundary


def test_plans_are_called_after_what_operators_do(tmp_path: Path) -> None:
    one, other = (f"(SELECT k, max(n) AS m FROM s [{w}] GROUP BY k)" for w in ("RANGE 9 SECONDS", "FIXED 7 SECONDS"))
    net = net_of(tmp_path, f"SELECT a.k, a.m, b.m AS o FROM {one} a JOIN {other} b ON a.k = b.k")
    assert {"aggregate 1", "aggregate 2", "join"} <= set(net.program.program.labels)
    names = [name for name, _ in net.factory.compiled.evaluation.named()]
    assert len(set(names)) == len(names)
    assert {"aggregate 1: events", "aggregate 2: suffixes", "join: new pairs", "answer"} <= set(names)
