"""What a second executor adds: `volume`'s query on a standalone cluster of one, then of two workers with a core each.

Master and workers are processes of this machine, and each worker has a core of its own, on which all of its Java runs.
The driver, with DuckDB, has a process beside them and shares the machine's cores with them: on few cores that counts
against the second worker.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from datacell.bench.apart import Case, Outcome, measure
from datacell.bench.effort import Effort
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.bench.stream_files import Shape, dense, write
from datacell.bench.volume import QUERY, WINDOWS_PER_ROW
from datacell.errors import DataCellError
from datacell.tools.standalone import StandaloneCluster

HEADLINE = ("speedup_2",)


@dataclass(frozen=True)
class Bounds:
    """What is measured."""

    shape: Shape
    engines: tuple[str, ...]
    """The headline is about the first."""
    turns: int
    """Of each case; in the first one Java is cold."""


BOUNDS = {
    Effort.FULL: Bounds(dense(120_000_000), ("auto", "spark"), 3),
    Effort.QUICK: Bounds(dense(4_000_000), ("auto",), 2),
}
WORKERS, MEMORY = (1, 2), "1g"
_FILES_PER_BATCH = 48
"""Large micro-batches: what does not get faster by a second worker, some half a second for each, should not decide."""
_PATIENCE = 300.0
Key = tuple[str, int]
"""An engine, and the number of workers."""


def run(effort: Effort, progress: Progress) -> Report:
    """Rows per second of the fastest turn, for each number of workers."""
    bounds = BOUNDS[effort]
    found: dict[Key, float] = {}
    with ExitStack() as stack:
        root = Path(tempfile.mkdtemp(prefix="datacell-bench-"))
        stack.callback(shutil.rmtree, root, ignore_errors=True)
        progress.say(f"writing {bounds.shape.rows:,} rows")
        write(root / "files", bounds.shape)
        for workers in WORKERS:
            progress.say(f"starting a cluster of {workers}")
            with StandaloneCluster(workers=workers, cores=1, memory=MEMORY, pinned=True) as cluster:
                for engine in bounds.engines:
                    found[engine, workers] = _rate(root, bounds, engine, cluster.master)
                    progress.say(f"{engine}, workers: {workers} … {found[engine, workers]:,.0f} rows/s")
    return _report(found, bounds)


def _rate(root: Path, bounds: Bounds, engine: str, master: str) -> float:
    total = WINDOWS_PER_ROW * bounds.shape.rows
    case = Case(str(root), QUERY, total, engine, _FILES_PER_BATCH, bounds.turns, master)
    outcome: Outcome = measure(case, _PATIENCE)
    if not outcome.is_finished:
        raise DataCellError(f"{engine}: {outcome.failure}")
    return bounds.shape.rows / outcome.seconds


def _report(found: Mapping[Key, float], bounds: Bounds) -> Report:
    one, two = WORKERS
    speedups = {engine: found[engine, two] / found[engine, one] for engine in bounds.engines}
    rows = [(e, workers, rate, rate / found[e, one]) for (e, workers), rate in found.items()]
    columns = ("engine", "workers", "rows/s", "over one worker")
    return Report("executors", {"speedup_2": speedups[bounds.engines[0]]}, columns, rows, f"{bounds.shape.rows:,} rows")
