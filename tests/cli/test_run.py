"""`datacell run` as a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.killing import killed, undisturbed, write_input

ON_CLUSTER = ("--engine", "spark", "--driver-memory", "0")


@pytest.mark.parametrize("options", [(), ON_CLUSTER], ids=["in the driver", "on the cluster"])
def test_a_run_that_is_killed_and_started_again_gives_the_same_output(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Wherever that has its home which is kept."""
    write_input(tmp_path, files=4, rows=20)
    expected, files = undisturbed(tmp_path, *options)
    assert all(expected.values())
    assert killed(tmp_path, "killed", (files // 3, files // 2), *options) == expected
