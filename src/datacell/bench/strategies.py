"""The thesis' strategies for 10 to 1000 queries (its figure 3.7b): batches of 1000 rows, until all have answered.

The thesis selects random ranges of 10 %, which overlap, and lets a query take them from those after it all the same.
Here what queries of a chain want must not overlap: so their ranges lie side by side, and the other strategies are
measured with both kinds.
"""

from __future__ import annotations

from contextlib import ExitStack

from datacell.bench.effort import Effort
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.bench.selections import Ranges, best, selections
from datacell.runtime.net.sharing import Sharing

HEADLINE = ("separate_to_shared", "chained_to_shared")
QUERIES = {Effort.FULL: (10, 30, 100, 300, 1000), Effort.QUICK: (10, 100)}
ROWS, MOST_BATCHES, MOST_SECONDS = 1_000, 40, 15.0
LINES = (
    (Sharing.SEPARATE, Ranges.RANDOM),
    (Sharing.SHARED, Ranges.RANDOM),
    (Sharing.AUTO, Ranges.RANDOM),
    (Sharing.SEPARATE, Ranges.DISJOINT),
    (Sharing.SHARED, Ranges.DISJOINT),
    (Sharing.CHAINED, Ranges.DISJOINT),
)
REMARK = (
    "headline: a batch's seconds by the strategy over those by shared baskets, with the most queries, their ranges side"
    " by side; in the thesis shared baskets take least, then partial deletes, and separate ones most"
)


def run(effort: Effort, progress: Progress) -> Report:
    """Every strategy with the same queries, each in a net of its own; they take turns."""
    rows: list[tuple[object, ...]] = []
    series: dict[str, list[tuple[float, float]]] = {}
    last: dict[tuple[Sharing, Ranges], float] = {}
    for queries in QUERIES[effort]:
        for (sharing, ranges), seconds in zip(LINES, _seconds(queries, progress), strict=True):
            name = f"{sharing.value}, {ranges.value}"
            rows.append((queries, sharing.value, ranges.value, 1000 * seconds, 1e6 * seconds / queries))
            series.setdefault(name, []).append((queries, 1000 * seconds))
            last[sharing, ranges] = seconds
            progress.say(f"{queries} queries, {name}: {1000 * seconds:.1f} ms a batch")
    shared = last[Sharing.SHARED, Ranges.DISJOINT]
    headline = {
        "separate_to_shared": last[Sharing.SEPARATE, Ranges.DISJOINT] / shared,
        "chained_to_shared": last[Sharing.CHAINED, Ranges.DISJOINT] / shared,
    }
    columns = ("queries", "strategy", "ranges", "ms per batch", "µs per query and batch")
    title = f"until all queries have answered a batch of {ROWS:,} rows"
    plot = Plot(title, series, "queries", "milliseconds", log_x=True, log_y=True)
    return Report("strategies", headline, columns, rows, REMARK, plot)


def _seconds(queries: int, progress: Progress) -> list[float]:
    """Of a batch, by each strategy."""
    with ExitStack() as stack:
        nets = [stack.enter_context(selections(queries, *line)) for line in LINES]
        progress.say(f"{queries} queries are at work by {len(nets)} strategies")
        return best(nets, ROWS, MOST_BATCHES, MOST_SECONDS, progress)
