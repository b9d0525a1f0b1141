"""Coalesce and split where they help: what is decided by what is seen, and what a restart makes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from datacell.algebra.positions import FOREVER
from datacell.compile.explain import Format, Stage, explain_query
from datacell.intervals.validity import END
from datacell.runtime.instants import adaptive_coalescing, running_program
from datacell.runtime.instants.adaptive_coalescing import REST, ROUND, SAMPLE, AdaptiveCoalescing
from datacell.runtime.instants.coalesce import StatefulCoalesce
from datacell.runtime.instants.cut_points import CutPoint, CutPoints, Section
from runtime.netrun import NetRun, snapshot
from sample import Values, answers, at, bind, catalog, engine, reference

JOINED = (
    "SELECT q.k, q.m, b.x FROM (SELECT k, max(n) AS m FROM s [RANGE 9 SECONDS] GROUP BY k) q "
    "JOIN r [RANGE 5 SECONDS] b ON q.k = b.k"
)
AGAIN = "SELECT m, count(*) AS c FROM (SELECT k, max(n) AS m FROM s [RANGE 9 SECONDS] GROUP BY k) q GROUP BY m"
CUT = [
    JOINED,
    AGAIN,
    "SELECT k, count(*) AS c FROM s [UNBOUNDED] GROUP BY k",
    "SELECT k, median(v) AS a FROM s [RANGE 9 SECONDS] GROUP BY k",
    "SELECT count(*) AS c FROM s [RANGE 9 SECONDS] WHERE k = 1",
    "SELECT k, max(n) AS m FROM s [FIXED 7 SECONDS] GROUP BY k EXCEPT ALL SELECT k, x FROM r [RANGE 9 SECONDS]",
    "SELECT q.m, p.a FROM (SELECT k, max(n) AS m FROM s [RANGE 9 SECONDS] GROUP BY k) q "
    "LEFT JOIN (SELECT k, median(x) AS a FROM r [RANGE 9 SECONDS] GROUP BY k) p ON q.k = p.k",
]


# Cut points


def test_sections_lie_between_cut_points() -> None:
    cuts = CutPoints([CutPoint(-FOREVER)])
    cuts.add(10, True)
    cuts.cut(20)
    cuts.add(30, False)
    found = list(cuts.sections(10, 30))
    assert found == [Section(-FOREVER, 10, False), Section(10, 20, True), Section(20, 30, True)]
    assert list(cuts.sections(31, END)) == [Section(30, END, False)]


def test_a_cut_point_at_the_same_instant_takes_the_place_of_the_other() -> None:
    cuts = CutPoints([CutPoint(-FOREVER)])
    cuts.add(10, True)
    cuts.add(10, False)
    assert cuts.known == (CutPoint(-FOREVER), CutPoint(10, False))


def test_of_what_was_given_out_only_the_last_cut_point_is_remembered() -> None:
    cuts = CutPoints([CutPoint(-FOREVER, True), CutPoint(10, True), CutPoint(20, False), CutPoint(30, True)])
    cuts.forget(25)
    assert cuts.known == (CutPoint(-FOREVER, False), CutPoint(20, False), CutPoint(30, True))


# What is decided


def rows(count: int) -> pa.Table:
    return pa.table({"n": pa.array(range(count))})


def test_a_sample_is_looked_at_now_and_then() -> None:
    adaptive = AdaptiveCoalescing()
    assert adaptive.passed(rows(SAMPLE - 1)) is None
    sample = adaptive.passed(rows(1))
    assert sample is not None
    assert len(sample) == SAMPLE
    assert not adaptive.is_worth_it(SAMPLE, SAMPLE, now=5)
    assert adaptive.remark(coalesces=False) == f"not coalesced: {SAMPLE} rows would become {SAMPLE}"
    looked = [adaptive.passed(rows(SAMPLE)) is not None for _ in range(2 * REST)]
    assert sum(looked) == 1
    assert looked.index(True) == REST, "it rested, then took a sample that is twice as large"


def test_few_rows_are_not_looked_at() -> None:
    adaptive = AdaptiveCoalescing()
    assert all(adaptive.passed(rows(1)) is None for _ in range(10 * SAMPLE))


def test_between_half_and_most_what_is_stays() -> None:
    adaptive = AdaptiveCoalescing()
    assert not adaptive.is_worth_it(SAMPLE, int(0.6 * SAMPLE), now=0)
    assert adaptive.is_worth_it(SAMPLE, int(0.5 * SAMPLE), now=0)
    adaptive.coalesced(rows(SAMPLE), int(0.6 * SAMPLE))
    assert adaptive.is_over(waiting=0)
    assert adaptive.goes_on(waiting=0)
    adaptive.coalesced(rows(SAMPLE), int(0.9 * SAMPLE))
    assert not adaptive.goes_on(waiting=0)


def test_a_round_is_over_when_the_open_rows_are_few_beside_what_came() -> None:
    adaptive = AdaptiveCoalescing()
    adaptive.coalesced(rows(SAMPLE), 0)
    assert not adaptive.is_over(waiting=SAMPLE // ROUND + 1)
    assert adaptive.is_over(waiting=SAMPLE // ROUND)


def test_rows_that_were_let_go_are_counted_once() -> None:
    adaptive = AdaptiveCoalescing()
    assert adaptive.is_worth_it(4 * SAMPLE, SAMPLE, now=0)
    adaptive.coalesced(rows(SAMPLE), 10)
    assert adaptive.goes_on(waiting=5)
    adaptive.coalesced(rows(SAMPLE), 5)
    assert adaptive.goes_on(waiting=0)
    assert adaptive.seen == (2 * SAMPLE, 15)


# At work


def net_of(directory: Path, text: str, data: dict[str, Values] | None = None) -> NetRun:
    return NetRun(directory, catalog(), reference() if data is None else reference(data), engine(), bind(text))


def coalesced(net: NetRun) -> StatefulCoalesce:
    return next(o for o in net.program.operators if isinstance(o, StatefulCoalesce))


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decide after a few rows."""
    monkeypatch.setattr(adaptive_coalescing, "SAMPLE", 16)
    monkeypatch.setattr(adaptive_coalescing, "REST", 1)


def seconds(net: NetRun, numbers: range, n: int | None = None) -> Iterator[int]:
    """Four rows of each stream in every second; `n` of the first is always the same, or never."""
    for number in numbers:
        times = [number + i / 4 for i in range(4)]
        s = [{"ts": at(t), "k": i % 2, "v": 0.0, "n": n if n is not None else int(4 * t)} for i, t in enumerate(times)]
        net.deposit("s", number, s)
        net.deposit("r", number, [{"ts": at(t), "k": 1, "x": i, "c": ""} for i, t in enumerate(times)])
        yield number


@pytest.mark.usefixtures("soon")
def test_what_seldom_changes_is_coalesced_until_it_changes_often(tmp_path: Path) -> None:
    net = net_of(tmp_path, JOINED)
    for _ in seconds(net, range(30), n=7):
        pass
    place = coalesced(net)
    assert place.cut_points.last.coalesces
    assert net.program.remark().startswith("coalesced since 1970-01-01 00:00:")
    assert place.adaptive is not None
    assert place.adaptive.seen is not None
    came, became = place.adaptive.seen
    assert became < came / 2
    for _ in seconds(net, range(30, 60)):
        pass
    assert not place.cut_points.last.coalesces
    assert net.program.remark().startswith("not coalesced")


@pytest.mark.usefixtures("soon")
def test_coalescing_changes_no_snapshot_and_makes_rows_fewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for name, worth in (("with", 0.5), ("without", -1.0)):
        monkeypatch.setattr(adaptive_coalescing, "WORTH_IT", worth)
        net = net_of(tmp_path / name, JOINED)
        for _ in seconds(net, range(40), n=7):
            pass
        net.scheduler.drain()
        found.append(net.validities())
    joined, passed = found
    assert len(joined) < len(passed) / 2
    for instant in {t for row in passed for t in row[:2]}:
        assert snapshot(joined, instant) == snapshot(passed, instant)


def test_what_waits_too_long_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Key 9 has one row that is valid for an hour; key 1 changes all the time."""
    text = "SELECT k, count(*) AS c FROM s [RANGE 1 HOUR] GROUP BY k"
    found, waiting = [], []
    for most in (100, 1_000_000):
        monkeypatch.setattr(running_program, "MOST_WAITING", most)
        net = net_of(tmp_path / str(most), text)
        net.deposit("s", 0, [{"ts": at(0), "k": 9, "v": 0.0, "n": 0}])
        held = []
        for number in range(1, 60):
            rows = [{"ts": at(number + i / 10), "k": 1, "v": 0.0, "n": 0} for i in range(10)]
            net.deposit("s", number, rows)
            held.append(net.program.waiting())
        waiting.append(max(held))
        left_before_the_end = len(net.validities())
        assert ("cut" in net.program.remark()) == (left_before_the_end > 0) == (most == 100)
        net.scheduler.drain()
        found.append(net.validities())
    assert waiting[0] <= 120
    assert waiting[1] > 500
    cut, whole = found
    assert 0 < len(cut) - len(whole) < len(whole) / 10, "cuts are few beside what waited"
    for instant in {t for row in cut for t in row[:2]}:
        assert snapshot(cut, instant) == snapshot(whole, instant)


def test_what_is_coalesced_on_demand_is_not_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_program, "MOST_WAITING", 5)
    net = net_of(tmp_path, "COALESCE (SELECT k, max(n) AS m FROM s [RANGE 1 MINUTE] GROUP BY k)")
    for number in range(40):
        net.deposit("s", number, [{"ts": at(number), "k": 1 + number % 2, "v": 0.0, "n": number % 2 * number}])
    net.scheduler.drain()
    found = net.validities()
    assert not {(b, row) for b, _, row in found} & {(e, row) for _, e, row in found}


def test_after_the_end_nothing_is_joined_with_what_was_said(tmp_path: Path) -> None:
    net = net_of(tmp_path, "COALESCE (SELECT k FROM s [RANGE 10 SECONDS])")
    for number, when in enumerate((5, 15)):
        net.deposit("s", number, [{"ts": at(when), "k": 1, "v": 0.0, "n": 0}])
        net.scheduler.drain()
    assert net.validities() == [(5_000_000, 15_000_000, (1,)), (15_000_000, 25_000_000, (1,))]


def test_explain_marks_the_places() -> None:
    said = explain_query(bind(JOINED), Stage.INCREMENTAL, Format.TEXT)
    assert "coalesce while worth it\n" in said
    assert "how: while that makes rows clearly fewer a row waits for an equal one" in said


# Restarts


@pytest.mark.parametrize("text", CUT)
def test_a_restart_cuts_as_was_cut(tmp_path: Path, text: str) -> None:
    """Both runs are cut where the first decides by chance; the second is killed after every batch."""
    chance = Random(11)
    data = _data(chance, 60)
    once = net_of(tmp_path / "once", text, data)
    decided: list[list[tuple[int, CutPoint]]] = []
    for number in range(15):
        decided.append(once.cut(chance))
        _batch(once, number)
    once.scheduler.drain()
    expected = once.validities()
    assert any(decided)
    for number, cuts in enumerate(decided):
        again = net_of(tmp_path / "again", text, data)
        for operator, cut in cuts:
            again.program.cut_points[operator].add(cut.at, cut.coalesces)
        _batch(again, number)
    again.scheduler.drain()
    assert Counter(again.validities()) == Counter(expected)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("text", CUT)
def test_with_cut_points_and_restarts_every_snapshot_is_the_reference_s(tmp_path: Path, text: str, seed: int) -> None:
    chance = Random(seed)
    data = _data(chance, 40)
    net = net_of(tmp_path, text, data)
    for number in range(10):
        if chance.random() < 0.4:
            net = net_of(tmp_path, text, data)
        net.cut(chance)
        _batch(net, number)
    net.scheduler.drain()
    found = net.validities()
    assert [v[:2] for v in found] == sorted(v[:2] for v in found)
    for answer in answers(net.query, data=data):
        assert snapshot(found, answer.boundary) == answer.rows, answer.boundary


def _batch(net: NetRun, number: int) -> None:
    for name in ("s", "r"):
        net.deposit(name, number, net.judge.feeds[name].rows[4 * number : 4 * number + 4])


def _data(chance: Random, count: int) -> dict[str, Values]:
    """Rows of few values, nearly in order."""
    times = [max(0.0, number * 1.5 - chance.choice([0, 0.5, 1.5])) for number in range(count)]
    s = [(t, chance.choice([None, 1, 2]), chance.choice([None, 0.5, 2.0]), chance.choice([None, 1, 2])) for t in times]
    r = [(t, chance.choice([1, 2]), chance.choice([None, 1, 2]), "x") for t in times]
    return {"s": s, "r": r, "t": [], "u": []}
