"""State that is larger than the memory of the driver: millions of keys in each of ten live slices, on Spark.

Spark has 2 GB. The answer is small, two numbers, so that the state is all that is large. A process of its own measures
the case; it has finished if it came to its end in time and counted every row in each of its ten windows.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from datacell.bench.apart import Case, measure
from datacell.bench.effort import Effort
from datacell.bench.outcomes import COLUMNS, headline, line, shown
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.bench.stream_files import Shape, write

HEADLINE = ("finished", "python_mb")
KEYS = {Effort.FULL: 5_000_000, Effort.QUICK: 200_000}
MEMORY = "2g"
QUERY = """
    SELECT count(*) AS keys, sum(n) AS n, sum(total) AS total
    FROM (SELECT k, count(v) AS n, sum(v) AS total FROM s [RANGE 10 MINUTES SLIDE 1 MINUTE] GROUP BY k) AS per_key
"""
_MINUTES = 10
"""Of stream time, and of a window: at the end of the input every slice is live, and has every key."""
_FILES_PER_MINUTE = 10
_PATIENCE = {Effort.FULL: 1_200.0, Effort.QUICK: 150.0}


def run(effort: Effort, progress: Progress) -> Report:
    """A row per key and minute; a micro-batch per minute."""
    keys, rows = KEYS[effort], KEYS[effort] * _MINUTES
    with ExitStack() as stack:
        root = Path(tempfile.mkdtemp(prefix="datacell-bench-"))
        stack.callback(shutil.rmtree, root, ignore_errors=True)
        progress.say(f"writing {rows:,} rows")
        write(root / "files", Shape(rows, _MINUTES * _FILES_PER_MINUTE, 60 * _MINUTES, keys))
        progress.say(f"{keys:,} keys, Spark with {MEMORY}")
        case = Case(str(root), QUERY, _MINUTES * rows, "spark", _FILES_PER_MINUTE, memory=MEMORY)
        outcome = measure(case, _PATIENCE[effort])
        progress.say(f"{keys:,} keys … {shown(rows, outcome)}")
    return Report("large-state", headline([outcome]), ("keys", *COLUMNS), [(keys, *line(rows, outcome))])
