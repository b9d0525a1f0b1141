"""The cluster on the loopback leaves nothing behind, however it ends. `tests/cluster` works with one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from datacell.errors import EngineError
from datacell.tools.standalone import PATIENCE, StandaloneCluster

STARTING = """
from datacell.tools.standalone import StandaloneCluster

with StandaloneCluster(workers=1) as cluster:
    print(cluster.directory, *(daemon.pid for daemon in cluster.daemons), flush=True)
    input()
"""


def test_nothing_is_left_of_a_cluster_even_if_who_started_it_was_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTING], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as starter:
        assert starter.stdout is not None
        directory, *pids = starter.stdout.readline().decode().split()
        daemons = [psutil.Process(int(pid)) for pid in pids]
        starter.kill()
    assert len(daemons) == 2
    _, alive = psutil.wait_procs(daemons, timeout=PATIENCE)
    assert not alive
    assert Path(directory).name.startswith("datacell-cluster-")


def test_a_cluster_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    cluster = StandaloneCluster(workers=1)
    with pytest.raises(EngineError, match=r"the cluster does not start: .*/nowhere/bin/java"), cluster:
        pass
    assert not cluster.directory.exists()
