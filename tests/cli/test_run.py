"""`datacell run` as a process of its own."""

from __future__ import annotations

from pathlib import Path

from cli.killing import killed, undisturbed, write_input


def test_a_run_that_is_killed_and_started_again_gives_the_same_output(tmp_path: Path) -> None:
    write_input(tmp_path, files=4, rows=20)
    expected, files = undisturbed(tmp_path)
    assert all(expected.values())
    assert killed(tmp_path, "killed", files // 2) == expected
