"""The status line says what does not go on, and why."""

from __future__ import annotations

from datacell.cell.listing import Progress
from datacell.cli.status import line


def test_all_is_well() -> None:
    assert line(Progress(10, 2, None), 5.0) == "5 rows/s in · 2 boundaries answered"


def test_emitters_that_do_not_get_on_and_queries_that_have_stopped() -> None:
    troubles = {"out": "no client is connected to 127.0.0.1:7002", "files": f"No space left{' on it' * 20}\nhint: more"}
    shown = line(Progress(10, 2, None, ("q",), troubles), 5.0)
    assert "· not delivered: out (no client is connected to 127.0.0.1:7002), files (No space left on it" in shown
    assert "hint" not in shown
    assert shown.endswith("…) · stopped: q")
