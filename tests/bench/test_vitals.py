"""What a run takes of its machine, and slopes."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from datacell.bench.vitals import NAMES, Vitals, heap_after_collection, look, slopes


def _at(minute: float, value: float) -> Vitals:
    return Vitals(minute, *(value for _ in NAMES[1:]))


def test_a_slope_is_per_hour_and_leaves_out_the_beginning() -> None:
    seen = [_at(0, 900), _at(10, 100), _at(20, 101), _at(30, 102)]
    found = slopes(seen, 10)
    assert list(found) == [f"{name}_per_hour" for name in NAMES[1:]]
    assert all(value == pytest.approx(6) for value in found.values())


def test_a_single_leap_is_no_growth() -> None:
    seen = [_at(minute, 200 if minute < 20 else 600) for minute in range(60)]
    assert all(value == 0 for value in slopes(seen, 0).values())


def test_what_is_not_known_does_not_count() -> None:
    seen = [_at(0, 1), _at(30, math.nan), _at(60, 3)]
    assert slopes(seen, 0)["heap_mb_per_hour"] == pytest.approx(2)
    assert all(math.isnan(value) for value in slopes(seen[:1], 0).values())


def test_a_look_at_this_process(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file").write_bytes(b"x" * (1 << 20))
    seen = look(2.0, tmp_path, [1.0, 2.0, 3.0])
    assert (seen.minute, seen.files, seen.checkpoint_mb, seen.p50_ms) == (2.0, 1, 1.0, 2.0)
    assert seen.python_mb > 10
    assert seen.descriptors >= 3


def test_without_javas_tool_the_heap_is_not_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert math.isnan(heap_after_collection(os.getpid()))
