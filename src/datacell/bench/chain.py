"""The thesis' query chain (figures 3.5 and 3.6): each query lets all rows pass to the next one, the worst case.

Through sensor, kernel and actuator, which are processes of their own, and without a kernel between them. And the kernel
alone, whose factories each take a million rows at a firing: by names alone, as the thesis' `SELECT *`, which hands the
same columns on, and with a condition that is looked at for every row, and true.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

from datacell.bench import through_tcp
from datacell.bench.effort import Effort
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.engines.session import session
from datacell.runtime.clock import SystemClock
from datacell.runtime.streams.gate import NOTHING_REJECTED
from datacell.testing import Trial

HEADLINE = ("events_per_factory", "rate_1", "rate_64", "rate_direct")
QUERIES = {Effort.FULL: (1, 2, 4, 8, 16, 32, 64), Effort.QUICK: (1, 64)}
SENT, FIRED, FIRINGS = 100_000, 1_000_000, 7
CONDITIONS = {"SELECT *": "", "a condition": " WHERE v >= 0"}
PAPER_RATE = 22_000
REMARK = (
    "events_per_factory: the least of all chains in the kernel alone (the thesis: 7,000,000); rate: rows/s through the"
    f" kernel with so many queries, and without a kernel (the thesis: {PAPER_RATE:,} without); E(b): of"
    f" {through_tcp.BATCH:,} rows (the thesis: up to 200 ms with 64 queries)"
)


def run(effort: Effort, progress: Progress) -> Report:
    rows: list[tuple[object, ...]] = []
    events: list[float] = []
    for title, condition in CONDITIONS.items():
        for queries in QUERIES[effort]:
            seconds = _firing(queries, condition, progress)
            events.append(FIRED * queries / seconds)
            rows.append((f"kernel alone, {title}", queries, FIRED / seconds, events[-1], "", ""))
            progress.say(f"kernel alone, {title}, {queries} queries: {events[-1]:,.0f} events/s per factory")
    found = _through_tcp(QUERIES[effort], progress)
    for count, one in found.items():
        title = "sensor, kernel, actuator" if count else "sensor, actuator"
        rows.append((title, count, one.rate, "", 1000 * one.elapsed, 1000 * one.latency))
    least, most = min(QUERIES[effort]), max(QUERIES[effort])
    figures = (min(events), found[least].rate, found[most].rate, found[0].rate)
    series: dict[str, list[tuple[float, float]]] = {
        "sensor, kernel, actuator": [(count, one.rate) for count, one in found.items() if count],
        "sensor, actuator": [(least, found[0].rate), (most, found[0].rate)],
        "sensor, actuator in the thesis": [(least, PAPER_RATE), (most, PAPER_RATE)],
    }
    plot = Plot(f"{SENT:,} rows through a chain", series, "queries", "rows/s", log_x=True, log_y=True)
    columns = ("path", "queries", "rows/s", "events/s per factory", "E(b) ms", "L(t) ms")
    return Report("chain", dict(zip(HEADLINE, figures, strict=True)), columns, rows, REMARK, plot)


def _through_tcp(counts: tuple[int, ...], progress: Progress) -> dict[int, through_tcp.Passed]:
    """By number of queries; 0 is without a kernel."""
    with TemporaryDirectory(prefix="datacell-bench-") as directory:
        file = through_tcp.rows_file(Path(directory), SENT)
        found = {0: through_tcp.directly(file, SENT)}
        progress.say(f"sensor to actuator: {found[0].rate:,.0f} rows/s; starting Spark")
        spark = session()
        try:
            through_tcp.through_kernel(spark, file, SENT, 1)  # what Java has still to compile does not count
            for count in counts:
                one = found[count] = through_tcp.through_kernel(spark, file, SENT, count)
                progress.say(f"{count} queries: {one.rate:,.0f} rows/s, E(b) {1000 * one.elapsed:,.0f} ms")
        finally:
            spark.stop()
    return found


def _firing(queries: int, condition: str, progress: Progress) -> float:
    """Seconds of a firing of every query in the chain: the best of some, after two that do not count."""
    stream = "CREATE STREAM s{} (created TIMESTAMP, v INT);"
    text = stream.format(0)
    for number in range(1, queries):
        text += f"{stream.format(number)} INSERT INTO s{number} SELECT * FROM s{number - 1}{condition};"
    text += f"CREATE CONTINUOUS QUERY last AS SELECT * FROM s{queries - 1}{condition}"
    with Trial(text, clock=SystemClock()) as trial:
        schema = trial.stream("s0").gate.schema
        created = pa.array(np.arange(FIRED), schema.field("created").type)
        values = pa.array(np.random.default_rng(1).integers(0, 1 << 30, FIRED), schema.field("v").type)
        batch = pa.table([created, values], schema=schema)
        found = []
        for number in progress.turns(FIRINGS, least=3):
            started = time.perf_counter()
            trial.scheduler.deposit("s0", number, batch, NOTHING_REJECTED)
            found.append(time.perf_counter() - started)
            for factory in trial.scheduler.members.factories.values():
                factory.output.forget(factory.output.next_number)  # as when an emitter, or the next query, has taken it
        (last,) = [rows for rows in [trial.factory("last").output.last] if rows is not None]
        assert last.count == FIRED
        return min(found[2:])
