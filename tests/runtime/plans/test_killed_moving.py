"""``kill -9`` while a query moves from engine to engine: nothing is lost, nothing is repeated."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import datacell
from runtime import drawn

TESTS = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{Path(datacell.__file__).parent.parent}{os.pathsep}{TESTS}"}


def start(directory: Path, seed: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, drawn.__file__, str(directory), str(seed)], env=ENVIRONMENT)


def firings(directory: Path) -> int:
    return len(list((directory / "queries" / "q").glob("*.arrow")))


@pytest.mark.parametrize("moment", [3, 20, 37])
def test_killed_while_it_moves(tmp_path: Path, moment: int) -> None:
    calm = drawn.net(tmp_path / "calm", None)
    drawn.to_the_end(calm)
    process = start(tmp_path / "killed", 1)
    while firings(tmp_path / "killed") < moment:
        assert process.poll() is None, "it has ended before it was killed"
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert firings(tmp_path / "killed") < firings(tmp_path / "calm")
    assert start(tmp_path / "killed", 2).wait(120) == 0
    assert drawn.net(tmp_path / "killed", None).answers() == calm.answers()
