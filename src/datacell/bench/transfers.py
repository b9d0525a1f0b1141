"""Ten times the rows, of the same keys in the same time: what comes to the driver must not grow with them.

Both inputs have as many files and micro-batches; each case has a process of its own. How many rows came to the driver
is what SHOW STREAMS says.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from datacell.bench.apart import Case, Outcome, measure
from datacell.bench.drained import TO_DRIVER
from datacell.bench.effort import Effort
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.bench.stream_files import Shape, write
from datacell.bench.volume import QUERY, WINDOWS_PER_ROW
from datacell.errors import DataCellError

HEADLINE = ("transferred_growth", "memory_growth")
ROWS = {Effort.FULL: (1_000_000, 10_000_000), Effort.QUICK: (400_000, 4_000_000)}
ENGINES = ("auto", "spark")
_FILES, _FILES_PER_BATCH, _SECONDS = 20, 2, 1_200
_PATIENCE = 300.0
Key = tuple[str, int]
"""An engine, and the number of rows."""


def run(effort: Effort, progress: Progress) -> Report:
    """1000 keys, 20 minutes of stream time in 10 micro-batches."""
    found: dict[Key, Outcome] = {}
    with ExitStack() as stack:
        root = Path(tempfile.mkdtemp(prefix="datacell-bench-"))
        stack.callback(shutil.rmtree, root, ignore_errors=True)
        for rows in ROWS[effort]:
            progress.say(f"writing {rows:,} rows")
            write(root / str(rows) / "files", Shape(rows, _FILES, _SECONDS))
            for engine in ENGINES:
                case = Case(str(root / str(rows)), QUERY, WINDOWS_PER_ROW * rows, engine, _FILES_PER_BATCH)
                found[engine, rows] = _measured(case)
                progress.say(f"{engine}, {rows:,} rows … {_shown(found[engine, rows])}")
    return _report(found, ROWS[effort])


def _measured(case: Case) -> Outcome:
    outcome = measure(case, _PATIENCE)
    if not outcome.is_finished:
        raise DataCellError(f"{case.engine}: {outcome.failure}")
    if outcome.to_driver is None:
        raise DataCellError(f"SHOW STREAMS has no column {TO_DRIVER}", hint="this bench needs a runtime that counts")
    return outcome


def _shown(outcome: Outcome) -> str:
    return f"{outcome.to_driver:,} rows to the driver, Python {outcome.python_mb:,.0f} MB, {outcome.seconds:.1f} s"


def _report(found: Mapping[Key, Outcome], sizes: tuple[int, int]) -> Report:
    few, many = sizes
    headline = {
        "transferred_growth": max(
            _growth(found[e, few].to_driver or 0, found[e, many].to_driver or 0) for e in ENGINES
        ),
        "memory_growth": max(_growth(found[e, few].python_mb, found[e, many].python_mb) for e in ENGINES),
    }
    rows = [(engine, size, o.to_driver, o.python_mb, o.seconds) for (engine, size), o in found.items()]
    columns = ("engine", "rows", "rows to driver", "Python MB", "seconds")
    return Report("transfers", headline, columns, rows, "growth: of the worse engine, 1 is none")


def _growth(before: float, after: float) -> float:
    if before == after:
        return 1.0
    return after / before if before else float("inf")
