"""Coalesced where that makes rows clearly fewer: what is decided by what is seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from datacell.compile.explain import Format, Stage, explain_query
from datacell.runtime.instants import adaptive_coalescing
from datacell.runtime.instants.adaptive_coalescing import REST, ROUND, SAMPLE, AdaptiveCoalescing
from datacell.runtime.instants.coalesce import StatefulCoalesce
from runtime.instants.cut_queries import JOINED
from runtime.netrun import NetRun, net_of, snapshot
from sample import at, bind


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


def test_explain_marks_the_places() -> None:
    said = explain_query(bind(JOINED), Stage.INCREMENTAL, Format.TEXT)
    assert "coalesce while worth it\n" in said
    assert "how: while that makes rows clearly fewer a row waits for an equal one" in said
