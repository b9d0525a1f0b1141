"""One case in a process of its own, so that its memory and its Spark are its own.

The process is this module: it takes a case as JSON, and says in its last line, as JSON, what came out. It is ended,
with all that it has started, if it takes too long or if whoever waits for it gives up.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from datacell.bench.drained import Drained, drain
from datacell.cell.cell import connect
from datacell.engines.session import session

UNKNOWN = float("nan")
LONGEST_CAUSE = 160
"""Letters; Java's errors are long."""


@dataclass(frozen=True)
class Case:
    """A query over all files of a directory, with what it should count."""

    root: str
    """Where `files` are, and where state may be put."""
    query: str
    total: int
    engine: str
    files_per_batch: int | None = None
    """None: all files are one micro-batch."""
    turns: int = 1
    """Runs in the same session, of which the fastest counts."""
    master: str | None = None
    memory: str | None = None
    """Of Spark; None: what a session has by default."""


@dataclass(frozen=True)
class Outcome:
    """What came out; with a failure, only what is known."""

    seconds: float = UNKNOWN
    python_mb: float = UNKNOWN
    """The most memory that the Python process had. Java is another process."""
    to_driver: int | None = None
    failure: str = ""

    @property
    def is_finished(self) -> bool:
        return not self.failure


def measure(case: Case, patience: float) -> Outcome:
    """Run a case, for so many seconds at most. That it fails is an outcome, too."""
    command = [sys.executable, "-m", "datacell.bench.apart", json.dumps(asdict(case))]
    # A group of its own, so that Java can be ended with it.
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        out, errors = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        _end(process)
        return Outcome(failure=f"not at its end after {patience:.0f} seconds")
    except BaseException:  # also Ctrl-C, which another group does not get
        _end(process)
        raise
    return _said(out.splitlines(), errors.splitlines(), process.returncode)


def _end(process: subprocess.Popen[str]) -> None:
    """End it and what it has started. It has not been waited for, so its number is still its own."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _said(lines: Sequence[str], errors: Sequence[str], code: int) -> Outcome:
    if code == 0 and lines:
        return Outcome(**json.loads(lines[-1]))
    return Outcome(failure=f"ended with {code}: {errors[-1] if errors else 'nothing was said'}")


def outcome(case: Case) -> Outcome:
    """Run a case in this process. Whatever makes it fail is an outcome: Java may be gone."""
    try:
        spark = _session(case.memory) if case.memory is not None else session(case.master)
        drained = min((_turn(case, spark) for _ in range(case.turns)), key=lambda one: one.seconds)
    except Exception as error:
        return Outcome(python_mb=peak_megabytes(), failure=_first_cause(error))
    return Outcome(drained.seconds, peak_megabytes(), drained.to_driver)


def _first_cause(error: BaseException) -> str:
    """What went wrong first: when Java is gone, stopping fails as well."""
    while error.__context__ is not None:
        error = error.__context__
    text = " ".join(str(error).splitlines()[:2])  # the second line has Java's own words
    return f"{type(error).__name__}: {text}"[:LONGEST_CAUSE]


def _turn(case: Case, spark: SparkSession) -> Drained:
    state = tempfile.mkdtemp(prefix="state-", dir=case.root)
    cell = connect(checkpoint=state, spark=spark, engine=case.engine)
    try:
        drained = drain(cell, Path(case.root) / "files", case.query, case.files_per_batch)
    finally:
        cell.stop()
        shutil.rmtree(state, ignore_errors=True)
    drained.check(case.total)
    return drained


def _session(memory: str) -> SparkSession:
    """A session as a user may have one, with so much memory for driver and executors, which are one process here."""
    settings = {"spark.driver.memory": memory, "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    builder = SparkSession.builder.master("local[*]").appName("datacell bench")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def peak_megabytes() -> float:
    """The most memory that this process has had.

    Linux counts in `ru_maxrss` also what the parent had when it started this process; the kernel's own line does not.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = [one for one in status.read_text(encoding="ascii").splitlines() if one.startswith("VmHWM:")]
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)  # macOS: bytes


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(outcome(Case(**json.loads(sys.argv[1]))))) + "\n")
