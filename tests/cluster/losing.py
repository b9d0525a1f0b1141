"""A run whose cluster loses an executor, then a worker: run as a script it does so at many moments.

``python tests/cluster/losing.py 5`` does it to five runs of the queries of ``tests/cli/killing.py``, and compares the
output of each with that of a run that loses nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from cli.killing import output, parts, start, undisturbed, write_input
from datacell.tools.standalone import StandaloneCluster

LONGEST = 600.0
"""Seconds after which a run is taken to hang."""


def options(cluster: StandaloneCluster) -> tuple[str, ...]:
    return ("--engine", "spark", "--master", cluster.master)


def disturbed(root: Path, name: str, cluster: StandaloneCluster, first: int, second: int) -> dict[str, list[str]]:
    """Its output if an executor is lost when it has written so many files, and a worker when so many.

    The cluster has another worker afterwards.
    """
    out = root / name
    process = start(root, out, root / f"{name}-state", *options(cluster))
    try:
        _wait(process, lambda: parts(out) >= first and bool(cluster.workers[0].executors()))
        for executor in cluster.workers[0].executors():
            executor.kill()
        _wait(process, lambda: parts(out) >= second)
        cluster.workers.pop(1).close()
        assert process.wait(LONGEST) == 0
    finally:
        process.kill()
        process.wait()
    cluster.add_workers()
    return output(out)


def _wait(process: subprocess.Popen[bytes], condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONGEST
    while not condition():
        assert process.poll() is None, "it has ended before anything was lost"
        assert time.monotonic() < deadline, "it does not get on"
        time.sleep(0.02)


def main(times: int) -> None:
    root = Path(tempfile.mkdtemp(prefix="datacell-losing-", dir=os.environ.get("TMPDIR")))
    write_input(root)
    with StandaloneCluster(workers=2) as cluster:
        expected, files = undisturbed(root, *options(cluster))
        print(f"undisturbed: {files} files, lines { ({k: len(v) for k, v in expected.items()}) }", flush=True)
        for number in range(times):
            first = files * number // (2 * times)
            second = first + files // 4
            same = disturbed(root, f"disturbed-{number}", cluster, first, second) == expected
            said = "same output" if same else "DIFFERENT OUTPUT"
            print(f"executor lost after {first} files, worker after {second}: {said}", flush=True)
            if not same:
                sys.exit(1)
    shutil.rmtree(root)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
