"""A Spark cluster on this machine: a standalone master and its workers, each a process of its own, on the loopback.

It is a real one, with its own executors that can be lost, so that tests and benches need no other. It comes from the
installed PySpark, writes into a temporary directory and nowhere else, and is gone when its block is left, however it is
left. ::

    with StandaloneCluster(workers=2) as cluster:
        cell = datacell.connect(checkpoint, master=cluster.master)
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil
import pyspark

from datacell.errors import EngineError

HOST = "127.0.0.1"
PATIENCE = 90.0
"""Seconds in which a master or a worker has to be there; on a machine that is not overloaded it takes three."""

_LISTENS = re.compile(r"Starting Spark master at (spark://\S+:\d+)")
_REGISTERED = re.compile(r"Successfully registered with master")
_EXECUTOR = "CoarseGrainedExecutorBackend"
_LAST_LINES = 5
_GUARD = 'read line; kill -9 "-$1"; rm -rf "$2"; rmdir "${2%/*}" 2> /dev/null'
"""Waits until this process has ended, even by `kill -9`: then a daemon and what it has started end, too."""

_OURS = ("SPARK_", "PYSPARK_")
"""What the environment says about other clusters is not about this one."""


class Daemon:
    """A master or a worker: a process, and the file that it logs to."""

    def __init__(self, directory: Path, *command: str, on: Sequence[int] = ()) -> None:
        """`on` are the cores of the machine that it may use, with all that it starts; none: all of them."""
        directory.mkdir()
        self.directory, self.log = directory, directory / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [str(spark_home() / "bin" / "spark-class"), *command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=directory,
                env=_environment(directory),
                start_new_session=True,  # Ctrl-C is for whoever started it; it ends with its block
            )
        if on:
            psutil.Process(self.pid).cpu_affinity([*on])
        self._guard = subprocess.Popen(
            ["sh", "-c", _GUARD, "guard", str(self.pid), str(directory)], stdin=subprocess.PIPE, start_new_session=True
        )
        self._children: list[psutil.Process] = []

    @property
    def pid(self) -> int:
        return self.process.pid

    def executors(self) -> list[psutil.Process]:
        """The executors that it runs now."""
        return [child for child in self._look() if _is_executor(child)]

    def kill(self) -> None:
        """End it at once, as `kill -9` does. Its executors notice, and end soon after."""
        self._look()
        self.process.kill()
        self.process.wait()

    def said(self, pattern: re.Pattern[str]) -> re.Match[str]:
        """Wait until it logs something."""
        deadline = time.monotonic() + PATIENCE
        while (found := pattern.search(self._text())) is None:
            if self.process.poll() is not None:
                raise EngineError(f"the cluster does not start: {self._last()}", hint="run `datacell doctor`")
            if time.monotonic() > deadline:
                raise EngineError(f"the cluster does not start within {PATIENCE:.0f} seconds: {self._last()}")
            time.sleep(0.05)
        return found

    def close(self) -> None:
        """End it, and what it has started."""
        self._guard.kill()
        self._guard.communicate()
        self.kill()
        for child in self._children:
            if child.is_running():  # also: the number is not somebody else's by now
                child.kill()
        psutil.wait_procs(self._children, timeout=PATIENCE)

    def _look(self) -> list[psutil.Process]:
        """The processes that it has started; all of them are remembered until they have ended."""
        try:
            now: list[psutil.Process] = psutil.Process(self.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            now = []
        self._children = [child for child in {*self._children, *now} if child.is_running()]
        return now

    def _text(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def _last(self) -> str:
        return "\n".join(self._text().splitlines()[-_LAST_LINES:])


class StandaloneCluster:
    """A master with so many workers, each with so many cores and so much memory for executors.

    By itself a worker of one core has one task at a time, but Java's other threads, which compile and collect garbage,
    use what else the machine has. A worker that is `pinned` has cores of its own and no others, where the system can do
    that: then two workers are to one what they would be on machines of their own.
    """

    def __init__(self, workers: int, cores: int = 1, memory: str = "1g", pinned: bool = False) -> None:
        self._wanted, self._cores, self._memory = workers, cores, memory
        self._pinned = pinned and hasattr(psutil.Process, "cpu_affinity")
        self.directory = Path()
        self._master: Daemon | None = None
        self._count = 0
        self.master = ""
        """What `--master` takes, once it has been started."""
        self.workers: list[Daemon] = []

    def __enter__(self) -> Self:
        self.directory = Path(tempfile.mkdtemp(prefix="datacell-cluster-"))
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def add_workers(self, count: int = 1) -> list[Daemon]:
        """Start more workers, and wait until the master knows them."""
        added = []
        for _ in range(count):
            added.append(self._worker())
            self.workers.append(added[-1])
        for worker in added:
            worker.said(_REGISTERED)
        return added

    @property
    def daemons(self) -> list[Daemon]:
        """The workers, and then the master."""
        return self.workers if self._master is None else [*self.workers, self._master]

    def executors(self) -> list[psutil.Process]:
        """The executors of all workers."""
        return [executor for worker in self.workers for executor in worker.executors()]

    def close(self) -> None:
        """End all processes, workers first, and remove what they wrote."""
        for daemon in self.daemons:
            daemon.close()
        self.workers, self._master = [], None
        shutil.rmtree(self.directory, ignore_errors=True)

    def _start(self) -> None:
        listening = ("--host", HOST, "--port", "0", "--webui-port", "0")
        self._master = Daemon(self.directory / "master", "org.apache.spark.deploy.master.Master", *listening)
        self.master = self._master.said(_LISTENS)[1]
        self.add_workers(self._wanted)

    def _worker(self) -> Daemon:
        directory, first = self.directory / f"worker-{self._count}", self._count * self._cores
        own = [core % (os.cpu_count() or 1) for core in range(first, first + self._cores)] if self._pinned else []
        self._count += 1
        listening = ("--host", HOST, "--port", "0", "--webui-port", "0")
        offered = ("--cores", str(self._cores), "--memory", self._memory, "--work-dir", str(directory / "work"))
        return Daemon(directory, "org.apache.spark.deploy.worker.Worker", *listening, *offered, self.master, on=own)


def spark_home() -> Path:
    """Where the installed Spark is: the package's own, whatever SPARK_HOME says."""
    return Path(pyspark.__file__).parent


def _environment(directory: Path) -> Mapping[str, str]:
    """Everything on the loopback and in the directory, with no configuration of another Spark; Java as usual."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    return inherited | {
        "SPARK_HOME": str(spark_home()),
        "SPARK_CONF_DIR": str(directory),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_LOCAL_DIRS": str(directory / "local"),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # there sooner; they have little to do
        "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
    }


def _is_executor(process: psutil.Process) -> bool:
    try:
        return any(_EXECUTOR in word for word in process.cmdline())
    except psutil.NoSuchProcess:
        return False
