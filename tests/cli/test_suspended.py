"""A run whose processes are suspended, as by a laptop that sleeps, goes on when they are woken."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SCRIPT = """
CREATE STREAM s (i INT) WITH (format = 'csv', path = '{root}/in', header = 'true');
CREATE CONTINUOUS QUERY q AS SELECT i FROM s;
CREATE EMITTER out FROM q WITH (format = 'csv', path = '{root}/out');
"""
SHORT = "spark.network.timeout 4s\nspark.executor.heartbeatInterval 1s\n"
"""With these Spark would give its executor up while it sleeps."""

SLEEP = 9


def test_a_run_that_was_suspended_goes_on(tmp_path: Path) -> None:
    for name in ("conf", "in"):
        (tmp_path / name).mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text(SHORT)
    (tmp_path / "script.sql").write_text(SCRIPT.format(root=tmp_path))
    command = [sys.executable, "-m", "datacell", "run", str(tmp_path / "script.sql")]
    _write(tmp_path, 1)
    process = subprocess.Popen(
        command, start_new_session=True, env={**os.environ, "SPARK_CONF_DIR": str(tmp_path / "conf")}
    )
    try:
        assert _comes(process, tmp_path, 1)
        os.killpg(process.pid, signal.SIGSTOP)
        time.sleep(SLEEP)
        os.killpg(process.pid, signal.SIGCONT)
        for number in (2, 3):
            _write(tmp_path, number)
            assert _comes(process, tmp_path, number)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)


def _write(root: Path, number: int) -> None:
    hidden = root / "in" / f".{number}.csv"
    hidden.write_text(f"i\n{number}\n")
    hidden.rename(root / "in" / f"{number}.csv")


def _comes(process: subprocess.Popen[bytes], root: Path, number: int) -> bool:
    """Is it in the output, within two minutes and before the run ends?"""
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        if any(str(number) in part.read_text().split() for part in (root / "out").glob("part-*.csv")):
            return True
        time.sleep(0.1)
    return False
