"""The latency that follows from how long a batch takes."""

from __future__ import annotations

import pytest

from datacell.bench.batches import RATE, ROWS, latency


def test_rows_wait_until_their_batch_is_full() -> None:
    assert latency(ROWS, 1.0) == pytest.approx(1.0 + (ROWS - 1) / RATE / 2)
    assert latency(1_000, 0.0) == pytest.approx(999 / RATE / 2)


def test_batches_wait_for_those_before_them() -> None:
    behind = 0.001 - 1 / RATE
    assert latency(1, 0.001) == pytest.approx(0.001 + behind * (ROWS - 1) / 2)
