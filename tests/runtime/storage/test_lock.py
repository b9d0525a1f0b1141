"""A checkpoint belongs to one run, and to the next one as soon as that has ended, however it ended."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import command
from datacell.errors import CheckpointError
from datacell.runtime.storage import lock

HOLDING = """
import sys
from pathlib import Path
from datacell.runtime.storage.checkpoint import Checkpoint
kept = Checkpoint(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def holder(root: Path) -> subprocess.Popen[str]:
    """Another process that has the checkpoint."""
    started = [sys.executable, "-c", HOLDING, str(root)]
    process = subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_run_ends_at_once_and_says_who_has_the_checkpoint(tmp_path: Path) -> None:
    script = tmp_path / "script.sql"
    script.write_text("SELECT 1;")
    with holder(tmp_path / "state") as first:
        saved = (tmp_path / "state" / "cell.json").read_bytes()
        second = command.run("run", str(script), "--once", "--checkpoint", str(tmp_path / "state"))
        assert (second.code, second.stdout) == (2, "")
        assert f"state is in use by process {first.pid} on {socket.gethostname()}, since 20" in second.stderr
        assert "wait for it, or stop it; or use another directory" in second.stderr
        assert (tmp_path / "state" / "cell.json").read_bytes() == saved
        first.kill()


def test_a_checkpoint_cannot_be_had_twice_in_one_process_either(tmp_path: Path) -> None:
    with (
        lock.held(tmp_path),
        pytest.raises(CheckpointError, match=f"in use by process {os.getpid()}"),
        lock.held(tmp_path),
    ):
        pass
    with lock.held(tmp_path):
        pass


def test_the_lock_of_a_run_that_was_killed_is_taken_over(tmp_path: Path) -> None:
    with holder(tmp_path) as first:
        first.kill()
        first.wait()
    assert str(first.pid) in (tmp_path / "lock").read_text()
    with lock.held(tmp_path):
        assert str(os.getpid()) in (tmp_path / "lock").read_text()
    assert (tmp_path / "lock").read_text() == ""


Change = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.mark.parametrize(
    ("change", "is_free"),
    [
        (lambda of: of, False),
        (lambda of: of | {"started": "1"}, True),
        (lambda of: of | {"pid": 2**22 + 1}, True),
        (lambda of: of | {"host": "elsewhere"}, False),
        (lambda of: of | {"file": [0, 0]}, True),
        (lambda of: {"pid": of["pid"]}, True),
    ],
    ids=["alive", "another process of that number", "no such process", "another host", "a copy", "not a lock"],
)
def test_where_the_system_does_not_tell_the_text_does(tmp_path: Path, change: Change, is_free: bool) -> None:
    """A file system may know nothing of locks that other hosts have."""
    with subprocess.Popen(["sleep", "60"]) as other:
        (tmp_path / "lock").touch()
        about = (tmp_path / "lock").stat()
        file = [about.st_dev, about.st_ino]
        found = {"pid": other.pid, "host": socket.gethostname(), "started": lock.started(other.pid), "since": "today"}
        (tmp_path / "lock").write_text(json.dumps(change(found | {"file": file})))
        refused = nullcontext() if is_free else pytest.raises(CheckpointError, match=f"delete {tmp_path / 'lock'}")
        with refused, lock.held(tmp_path):
            pass
        other.kill()


def test_a_copy_of_a_checkpoint_that_is_in_use_is_free(tmp_path: Path) -> None:
    with holder(tmp_path / "one") as first:
        shutil.copytree(tmp_path / "one", tmp_path / "two")
        with lock.held(tmp_path / "two"):
            pass
        first.kill()
