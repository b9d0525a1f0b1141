"""Chunks that are combined: fewer rows, the same answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from datacell.runtime.windows.compaction import COMPACTED_FROM
from runtime.windows.seconds import KEYS, counts, increments, kept_rows, net_of, second, stored


@pytest.mark.parametrize(
    "text",
    [
        "SELECT k, max(n) AS m FROM s [LANDMARK SLIDE 1 SECOND] GROUP BY k",
        "SELECT k, n FROM s [PARTITION BY k ROWS 2 SLIDE 1]",
    ],
)
def test_what_never_expires_is_combined(tmp_path: Path, text: str) -> None:
    net = net_of(tmp_path, text)
    for number in range(300):
        second(net, number)
    assert kept_rows(net) <= KEYS * 70
    assert stored(tmp_path)["slices"] <= KEYS * 70


def test_last_rows_that_another_window_needs_stay(tmp_path: Path) -> None:
    pairs = (
        "SELECT a.k, b.n FROM s [PARTITION BY k ROWS 1 SLIDE 1] a, s [PARTITION BY k ROWS 4 SLIDE 1] b WHERE a.k = b.k"
    )
    net = net_of(tmp_path, pairs)
    for number in range(60):
        second(net, number)
    assert sum(net.answers()[-1].rows.values()) == KEYS * 4


@pytest.mark.parametrize(
    "window",
    [
        "LANDMARK FROM TIMESTAMP '1970-01-01 00:00:23Z' SLIDE 1 SECOND RESET EVERY 100 SECONDS",
        "LANDMARK FROM TIMESTAMP '1970-01-01 00:00:23Z' SLIDE 1 SECOND",
        "FIXED 100 SECONDS SLIDE 1 SECOND",
    ],
)
def test_chunks_that_are_combined_stay_within_what_the_window_shows(tmp_path: Path, window: str) -> None:
    net = net_of(tmp_path, f"SELECT count(*) AS c FROM s [{window}]")
    for number in range(23, 90):
        second(net, number)
    evaluation = increments(net)
    (kept,) = evaluation.relations.slices.values()
    assert len(kept.chunks) < COMPACTED_FROM
    assert all(c.oldest <= c.slices.min() and c.slices.max() <= c.latest for c in kept.chunks)
    assert counts(net.answers()) == {end: KEYS * (end - 23) for end in range(24, 88)}
