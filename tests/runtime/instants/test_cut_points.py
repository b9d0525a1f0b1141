"""Where validities are cut: the cut points, what waits too long, and what a restart makes of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from datacell.algebra.positions import FOREVER
from datacell.intervals.validity import END
from datacell.runtime.instants import running_program
from datacell.runtime.instants.cut_points import CutPoint, CutPoints, Section
from runtime.instants.cut_queries import CUT
from runtime.netrun import NetRun, net_of, snapshot
from sample import Values, answers, at


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
