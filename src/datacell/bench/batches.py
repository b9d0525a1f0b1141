"""How large a batch should be, for 10 to 1000 queries (figure 3.7a of the thesis): average latency of a row.

A sensor makes 100,000 rows at its pace. A row waits until its batch is full, the batch until the one before it has been
answered, and then it is processed: what that takes is measured, the best of several batches. The latency
L(t) = D(t) - C(t) of every row follows from that. Baskets are separate, as in the thesis.
"""

from __future__ import annotations

import numpy as np

from datacell.bench.effort import Effort
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.bench.selections import Ranges, best, selections
from datacell.runtime.net.sharing import Sharing

HEADLINE = ("best_batch_1000", "gain_1000")
QUERIES = {Effort.FULL: (10, 100, 1000), Effort.QUICK: (10, 1000)}
SIZES = {Effort.FULL: (1, 10, 100, 1_000, 10_000, 100_000), Effort.QUICK: (1, 1_000, 100_000)}
ROWS, RATE = 100_000, 22_000.0
"""The sensor of the thesis reaches 22,000 rows/s."""
MOST_BATCHES, MOST_SECONDS = 20, 8.0
REMARK = (
    "best_batch_1000: the size of least latency with 1000 queries (the thesis: 1000); gain_1000: latency row by row"
    " over the least one (the thesis: some three orders of magnitude)"
)


def run(effort: Effort, progress: Progress) -> Report:
    """The same queries answer batches of all sizes, one size after the other."""
    rows: list[tuple[object, ...]] = []
    series: dict[str, list[tuple[float, float]]] = {}
    for queries in QUERIES[effort]:
        with selections(queries, Sharing.SEPARATE, Ranges.RANDOM) as running:
            for size in SIZES[effort]:
                (seconds,) = best([running], size, MOST_BATCHES, MOST_SECONDS, progress)
                found = latency(size, seconds)
                rows.append((queries, size, 1000 * seconds, 1000 * found, size / seconds))
                series.setdefault(f"{queries} queries", []).append((size, found))
                progress.say(f"{queries} queries, batches of {size:,}: {1000 * seconds:.1f} ms each, {found:.3g} s")
    many = dict(series[f"{max(QUERIES[effort])} queries"])
    least = min(many, key=lambda size: many[size])
    headline = {"best_batch_1000": least, "gain_1000": many[1] / many[least]}
    columns = ("queries", "rows per batch", "ms per batch", "latency ms", "rows/s")
    plot = Plot(
        f"average latency of {ROWS:,} rows at {RATE:,.0f} rows/s", series, "rows per batch", "seconds", True, True
    )
    return Report("batches", headline, columns, rows, REMARK, plot)


def latency(size: int, seconds: float) -> float:
    """The average over all rows, if every batch of so many takes so long, one after the other."""
    created = np.arange(ROWS) / RATE
    full = created[size - 1 :: size]
    number = np.arange(len(full))
    done = np.maximum.accumulate(full - number * seconds) + (number + 1) * seconds
    return float(np.mean(np.repeat(done, size) - created))
