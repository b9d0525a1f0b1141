"""A long run under steady load: twenty queries over two streams, one of which comes by TCP and one by `push`.

Every second each stream gets as many rows as there are keys, with that second as their time; so the rows of second s
make boundary s due. What the run takes of its machine is looked at again and again, and how that grows is the result.
`python -m datacell.bench.soak MINUTES` saves it like those of benches; `make soak` does so for an hour.
"""

from __future__ import annotations

import argparse
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread

import numpy as np
import pyarrow as pa

from datacell.bench.latency import second_of
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.bench.vitals import NAMES, Vitals, look, slopes
from datacell.cell.cell import Cell, connect
from datacell.cell.result import Result
from datacell.tools import actuator

KEYS = 1_000
"""Rows of each stream in a second."""

_LOOKS = 60
"""Looks in a run, one every ten seconds at most."""

_KEPT = 100
"""Firings of a query without an emitter: so few that what is kept has reached its bound long before the end."""

_SHOWN = 30
_STREAMS = """
CREATE STREAM pushed (ts TIMESTAMP, k INT, v DOUBLE, WATERMARK FOR ts AS ts);
CREATE STREAM sent (ts TIMESTAMP, k INT, v DOUBLE, WATERMARK FOR ts AS ts)
  WITH (format = 'tcp', port = '0');
CREATE STREAM derived (ts TIMESTAMP, k INT, n BIGINT, WATERMARK FOR ts AS ts);
INSERT INTO derived SELECT window_end AS ts, k, count(*) AS n FROM pushed [FIXED 5 SECONDS SLIDE 5 SECONDS] GROUP BY k;
"""
QUERIES = (
    "SELECT k, avg(v) AS a FROM pushed [RANGE 1 MINUTE SLIDE 1 SECOND] GROUP BY k",
    "SELECT k, max(v) AS a FROM pushed [RANGE 5 MINUTES SLIDE 5 SECONDS] GROUP BY k",
    "SELECT k, stddev(v) AS a FROM sent [RANGE 2 MINUTES SLIDE 5 SECONDS] GROUP BY k",
    "SELECT count(DISTINCT k) AS n FROM sent [RANGE 1 MINUTE SLIDE 5 SECONDS]",
    "SELECT k, v FROM pushed [RANGE 30 SECONDS SLIDE 5 SECONDS] ORDER BY v DESC LIMIT 5",
    "SELECT median(v) AS m FROM sent [RANGE 10 SECONDS SLIDE 5 SECONDS]",
    "SELECT p.k, count(*) AS n FROM pushed [RANGE 10 SECONDS SLIDE 5 SECONDS] p "
    "JOIN sent [RANGE 10 SECONDS SLIDE 5 SECONDS] s ON p.k = s.k WHERE p.v > 0.9 AND s.v > 0.9 GROUP BY p.k",
    "SELECT k, sum(n) AS n FROM derived [RANGE 1 MINUTE SLIDE 5 SECONDS] GROUP BY k",
    "SELECT k, v FROM pushed WHERE v > 0.99",
    "SELECT k, v FROM sent WHERE v > 0.99",
    "SELECT avg(v) AS a FROM sent [ROWS 1000 SLIDE 1000]",
    "SELECT k, max(v) AS a FROM pushed [LANDMARK SLIDE 10 SECONDS RESET EVERY 5 MINUTES] GROUP BY k",
    "SELECT count(*) AS n FROM sent [FIXED 1 MINUTE SLIDE 10 SECONDS]",
    "SELECT k FROM pushed [RANGE 10 SECONDS SLIDE 5 SECONDS] WHERE v > 0.99 "
    "EXCEPT SELECT k FROM sent [RANGE 10 SECONDS SLIDE 5 SECONDS] WHERE v > 0.5",
    "SELECT k, min(v) AS a, count(*) AS n FROM sent [RANGE 1 MINUTE SLIDE 10 SECONDS] WHERE v > 0.5 GROUP BY k",
    "SELECT k, v, rank() OVER (ORDER BY v) AS r FROM pushed [RANGE 5 SECONDS SLIDE 5 SECONDS] WHERE v > 0.99",
    "SELECT count(*) AS n FROM pushed [RANGE 10 SECONDS] WHERE v > 0.999",
    "SELECT k, v FROM sent [RANGE 5 SECONDS] WHERE v > 0.999",
    "SELECT k, avg(v) AS a FROM sent [RANGE 1 MINUTE SLIDE 5 SECONDS] GROUP BY k HAVING avg(v) > 0.6",
)
"""Beside the one that feeds a stream. The first is that whose latency is measured."""

_EMITTERS = """
CREATE EMITTER files FROM q2 WITH (format = 'csv', path = '{directory}/out');
CREATE EMITTER lines FROM q3 WITH (format = 'tcp', port = '0');
"""
"""All other queries have no emitter."""


class Latencies:
    """From a second's rows to the answer of its boundary; called from the delivery's thread."""

    def __init__(self) -> None:
        self._pushed: dict[int, float] = {}
        self._found: list[float] = []
        self._lock = Lock()

    def pushed(self, second: int) -> None:
        with self._lock:
            self._pushed[second] = time.perf_counter()

    def __call__(self, result: Result) -> None:
        now = time.perf_counter()
        seconds = {second_of(end) for end in result.to_arrow()["window_end"].unique().to_pylist()}
        with self._lock:
            self._found += [1000 * (now - self._pushed.pop(s)) for s in seconds if s in self._pushed]

    def taken(self) -> list[float]:
        """Milliseconds of what has come since the last time."""
        with self._lock:
            found, self._found = self._found, []
            return found


def soak(minutes: float, progress: Progress) -> Report:
    with TemporaryDirectory(prefix="datacell-soak-", ignore_cleanup_errors=True) as directory:
        root, latencies = Path(directory), Latencies()
        progress.say("starting Spark")
        with _running(root, latencies) as (cell, connection):
            seen = list(_loaded(cell, connection, latencies, minutes, root / "state", progress))
    return report(seen, minutes)


@contextmanager
def _running(root: Path, latencies: Latencies) -> Iterator[tuple[Cell, socket.socket]]:
    """A cell with everything at work, and a connection to its TCP stream."""
    cell = connect(checkpoint=root / "state", kept_firings=_KEPT)
    try:
        cell.sql(_STREAMS)
        for number, text in enumerate(QUERIES, 1):
            cell.query(text, name=f"q{number}")
        cell.sql(_EMITTERS.format(directory=root))
        cell.query(QUERIES[0], name="timed").on_result(latencies)
        _take(cell)
        cell.start()
        with socket.create_connection(("127.0.0.1", cell.works.intake.receptors["sent"].port or 0)) as connection:
            Thread(target=_hear, args=(connection,), daemon=True).start()
            yield cell, connection
    finally:
        cell.stop()
        cell.spark.stop()


def _take(cell: Cell) -> None:
    """An actuator takes the answers of the TCP emitter, and forgets them."""
    emitter = cell.works.deliveries.running["lines"].emitter
    connection = actuator.subscribe("127.0.0.1", getattr(emitter, "port", 0))
    tuples, acknowledge = actuator.received(connection), actuator.acknowledging(connection)
    Thread(target=lambda: actuator.measure(tuples, acknowledge=acknowledge), daemon=True).start()


def _hear(connection: socket.socket) -> None:
    """Read what the receptor acknowledges."""
    try:
        while connection.recv(1 << 16):
            pass
    except OSError:
        return


def _loaded(
    cell: Cell,
    connection: socket.socket,
    latencies: Latencies,
    minutes: float,
    state: Path,
    progress: Progress,
) -> Iterator[Vitals]:
    """Rows every second, and a look every so often."""
    began, every = time.monotonic(), max(10.0, 60 * minutes / _LOOKS)
    looked = began
    while (now := time.monotonic()) - began < 60 * minutes:
        second = int(time.time())
        rows = rows_of(second)
        latencies.pushed(second)
        cell.push("pushed", rows)
        connection.sendall(lines_of(rows))
        cell.check()
        if now - looked >= every:
            looked = now
            seen = look((now - began) / 60, state, latencies.taken())
            progress.say(", ".join(f"{name} {value:,.1f}" for name, value in zip(NAMES, astuple(seen), strict=True)))
            yield seen
        time.sleep(max(0.0, second + 1 - time.time()))


def rows_of(second: int) -> pa.Table:
    values = np.random.default_rng(second).random(KEYS)
    times = pa.array(np.full(KEYS, second * 1_000_000), pa.timestamp("us", "UTC"))
    return pa.table({"ts": times, "k": pa.array(np.arange(KEYS), pa.int32()), "v": values})


def lines_of(rows: pa.Table) -> bytes:
    """The same rows as lines of csv."""
    columns = (rows["ts"].cast(pa.string()).to_pylist(), rows["k"].to_pylist(), rows["v"].to_pylist())
    return "".join(f"{ts},{k},{v}\n" for ts, k, v in zip(*columns, strict=True)).encode()


def report(seen: Sequence[Vitals], minutes: float) -> Report:
    """How everything grows in an hour once the run has found its pace, and what was seen on the way."""
    headline = slopes(seen, minutes / 3)
    step = max(1, len(seen) // _SHOWN)
    remark = f"{minutes:g} minutes, {2 * KEYS:,} rows/s, {len(QUERIES) + 2} queries; slopes without the first third"
    return Report("soak", headline, NAMES, [astuple(one) for one in seen[::step]], remark)


def main() -> None:
    parser = argparse.ArgumentParser(description="A long run under steady load.")
    parser.add_argument("minutes", type=float, nargs="?", default=60.0)
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results"))
    given = parser.parse_args()
    progress = Progress("soak", 60 * given.minutes, sys.stderr)
    found = soak(given.minutes, progress)
    sys.stdout.write(f"{found.text()}\n")
    progress.say(f"saved as {found.save(given.results)}")


if __name__ == "__main__":
    main()
