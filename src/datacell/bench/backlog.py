"""A backlog: millions of rows in one micro-batch, with the memory that a session has by default.

Each case has a process of its own. It has finished if it came to its end in time and counted every row once.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from datacell.bench.apart import Case, Outcome, measure
from datacell.bench.effort import Effort
from datacell.bench.outcomes import COLUMNS, headline, line, shown
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.bench.stream_files import dense, write

HEADLINE = ("finished", "python_mb")
ROWS = {Effort.FULL: (12_000_000, 50_000_000), Effort.QUICK: (12_000_000,)}
ENGINES = ("auto", "spark")
QUERY = "SELECT k, avg(v) AS a, count(v) AS n, max(v) AS top FROM s [RANGE 1 MINUTE SLIDE 1 MINUTE] GROUP BY k"
_LEAST_RATE = 200_000
"""Rows per second; what is slower is not waited for."""


def run(effort: Effort, progress: Progress) -> Report:
    """1000 keys, two minutes of stream time per million rows, windows that do not overlap."""
    found: dict[tuple[int, str], Outcome] = {}
    with ExitStack() as stack:
        root = Path(tempfile.mkdtemp(prefix="datacell-bench-"))
        stack.callback(shutil.rmtree, root, ignore_errors=True)
        for rows in ROWS[effort]:
            progress.say(f"writing {rows:,} rows")
            write(root / str(rows) / "files", dense(rows))
            for engine in ENGINES:
                outcome = measure(Case(str(root / str(rows)), QUERY, rows, engine), 60 + rows / _LEAST_RATE)
                found[rows, engine] = outcome
                progress.say(f"{rows:,} rows, {engine} … {shown(rows, outcome)}")
            shutil.rmtree(root / str(rows))
    lines = [(rows, engine, *line(rows, outcome)) for (rows, engine), outcome in found.items()]
    return Report("backlog", headline(list(found.values())), ("rows", "engine", *COLUMNS), lines)
