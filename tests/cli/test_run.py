"""`datacell run` as a process of its own."""

from __future__ import annotations

import subprocess
import sys
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
    assert killed(tmp_path, "killed", files // 2, *options) == expected


SCRIPT = """
CREATE STREAM s (i INT, s STRING) WITH (format = 'csv', path = 'in');
CREATE CONTINUOUS QUERY q AS SELECT i FROM s;
CREATE EMITTER e FROM q WITH (format = 'csv', path = 'out', header = 'false');
"""


def test_a_line_that_sparks_reader_cannot_pass_is_no_news(tmp_path: Path) -> None:
    """It is rejected, in a batch that stays on the cluster; and what Spark logs of it stays out of the terminal."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.csv").write_text(f"1,{'x' * 2_000_000}\n{',' * 25_000}\n2,y\n")
    (tmp_path / "script.sql").write_text(SCRIPT)
    command = [sys.executable, "-m", "datacell", "run", "script.sql", "--once", "--engine", "spark"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    found = [part.read_text().split() for part in sorted((tmp_path / "out").glob("part-*"))]
    assert sorted(line for lines in found for line in lines) == ["1", "2"]
