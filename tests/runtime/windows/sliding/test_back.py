"""Suffixes of the block before: made in one call per block, and kept when chunks are combined."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from datacell.placement.operators import Site
from datacell.runtime.windows.sliding.back import Back
from runtime.windows.seconds import AVERAGE, KEYS, increments, net_of, second
from sample import at


@pytest.fixture
def suffixed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many starts suffixes were made for, each time."""
    made: list[int] = []
    make = Back._suffixed

    def noting(self: Back, pieces: Any, starts: Any, *rest: Any) -> Any:
        made.append(len(starts))
        return make(self, pieces, starts, *rest)

    monkeypatch.setattr(Back, "_suffixed", noting)
    return made


def test_suffixes_outlive_that_chunks_are_combined(tmp_path: Path, suffixed: list[int]) -> None:
    """A row in each of four batches per second, ingested as they come: there are soon more chunks than slices."""
    net = net_of(tmp_path, AVERAGE.replace("10 SECONDS", "20 SECONDS"))
    evaluation = increments(net)
    (kept,) = evaluation.relations.slices.values()
    evaluation.ingestions["s"].chunking.chunks, evaluation.ingestions["s"].chunking.settled = 16, True
    combined = 0
    for number in range(400):
        before = len(kept.chunks)
        net.deposit("s", number, [{"ts": at(number / 4), "k": 1, "v": 1.5, "n": number}])
        combined += len(kept.chunks) < before - 4
    assert combined > 1
    assert len(suffixed) == 5, "one time for each block"
    assert all(row[-1] == 1.5 for a in net.answers() for row in a.rows)


def test_a_segment_takes_the_few_starts_that_would_be_left_for_another(tmp_path: Path, suffixed: list[int]) -> None:
    net = net_of(tmp_path, AVERAGE)
    net.factory.plans.call_overhead_rows = {Site.DUCKDB: 8 * KEYS}
    for number in range(52):
        second(net, number)
    assert suffixed == [9, 10, 10, 10, 10], "one time for each block"
