"""However a run ends, there is no traceback: one message at most, and an exit code that says which end it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import psutil
import pytest

SCRIPT = """
CREATE STREAM s (ts TIMESTAMP, k INT, WATERMARK FOR ts AS ts)
  WITH (format = 'csv', path = '{root}/in', header = 'true');
CREATE CONTINUOUS QUERY q AS SELECT k, count(*) AS n FROM s [RANGE 10 SECONDS SLIDE 1 SECOND] GROUP BY k;
CREATE EMITTER e FROM q WITH (format = 'csv', path = '{root}/out');
"""
LONGEST = 240.0
"""Seconds that anything here may take."""


class Run:
    """`datacell run`, with what it says in files: nobody else holds a pipe open."""

    def __init__(self, root: Path, *options: str) -> None:
        (root / "in").mkdir()
        (root / "in" / "1.csv").write_text("ts,k\n2026-01-01T00:00:01Z,1\n2026-01-01T00:00:09Z,1\n")
        (root / "script.sql").write_text(SCRIPT.format(root=root))
        self.root, self.said = root, root / "said"
        command = [sys.executable, "-m", "datacell", "run", "script.sql", *options]
        with self.said.open("wb") as said:
            self.process = subprocess.Popen(command, cwd=root, stdout=said, stderr=said)
        self.java: psutil.Process | None = None

    def until(self, holds: Callable[[], object]) -> None:
        end = monotonic() + LONGEST
        while not holds():
            assert self.process.poll() is None, self.said.read_text()
            assert monotonic() < end, "it never comes so far"
            sleep(0.05)

    def has_java(self) -> bool:
        """Spark's process, not the one that finds out how to start it."""
        for child in psutil.Process(self.process.pid).children(recursive=True):
            try:
                if child.name() == "java" and any("SparkSubmit" in word for word in child.cmdline()):
                    self.java = child
            except psutil.Error:
                continue
        return self.java is not None

    def has_answered(self) -> bool:
        return self.has_java() and bool(list(self.root.glob("out/part-*")))

    def ended(self) -> tuple[int, list[str]]:
        """The exit code and what was said; nothing that it started is left."""
        code = self.process.wait(LONGEST)
        if self.java is not None:
            self.java.wait(LONGEST)
        return code, self.said.read_text().splitlines()

    def close(self) -> None:
        self.process.kill()
        self.process.wait(LONGEST)
        if self.java is not None and self.java.is_running():
            self.java.kill()


def closing(run: Run, request: pytest.FixtureRequest) -> Run:
    request.addfinalizer(run.close)
    return run


def test_a_run_is_stopped_by_ctrl_c(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    run = closing(Run(tmp_path), request)
    run.until(run.has_answered)
    run.process.send_signal(signal.SIGINT)
    assert run.ended() == (0, ["stopped"])


def test_a_run_is_stopped_while_spark_starts(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    run = closing(Run(tmp_path, "--once"), request)
    run.until(run.has_java)
    run.process.send_signal(signal.SIGINT)
    assert run.ended() == (130, [])


def test_spark_is_killed(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    run = closing(Run(tmp_path), request)
    run.until(run.has_answered)
    assert run.java is not None
    run.java.kill()
    code, said = run.ended()
    assert code == 2
    assert said[0] == "error: Spark has died: its Java process is gone"
    assert [line.partition(":")[0] for line in said] == ["error", "hint"]


@pytest.mark.parametrize("home", ["/nowhere", None, "old"])
def test_without_java(tmp_path: Path, home: str | None) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "JAVA_HOME"} | {"PATH": str(tmp_path)}
    if home == "old":
        home = str(tmp_path / "old")
        (tmp_path / "old" / "bin").mkdir(parents=True)
        (tmp_path / "old" / "bin" / "java").write_text("#!/bin/sh\n")
        (tmp_path / "old" / "bin" / "java").chmod(0o755)
        (tmp_path / "old" / "release").write_text('JAVA_VERSION="1.8.0_302"\n')
    if home is not None:
        environment["JAVA_HOME"] = home
    (tmp_path / "script.sql").write_text("SELECT 1 AS x;")
    command = [sys.executable, "-m", "datacell", "run", "script.sql"]
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=LONGEST
    )
    assert (done.returncode, done.stdout) == (2, "")
    message, hint = done.stderr.splitlines()
    assert message.startswith("error: Spark needs a Java 17 or 21, and ")
    assert {"/nowhere": "/nowhere", None: "no java on the PATH"}.get(home, "Java 8") in message
    assert "datacell doctor" in hint
    told = subprocess.run(
        [*command[:3], "doctor"], env=environment, capture_output=True, text=True, check=False, timeout=LONGEST
    )
    assert told.returncode == 1
    assert message.partition("and ")[2].removeprefix("that is Java ") in told.stdout
