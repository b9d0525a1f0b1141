"""Runs that break at every durable operation, and their restarts: as a module it does so at all of them.

``PYTHONPATH=tests python -m crashes.crashing`` takes all scenarios, ``… join instants`` these, ``… join/4`` every
fourth break, others each day, ``… join/4+1`` those from the second one on. One run of a scenario is watched, and what
is on the disk before each operation is kept: that is what a kill at this moment leaves. From there it is run again: its
output has to be that of the run that nobody disturbed. Spark's own operations lie between ours: of what it has written
since the last one of ours some may be missing. What fails is another run's, in which that operation does.
"""

from __future__ import annotations

import logging
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path

from pyspark.sql import SparkSession

import datacell
from cli.killing import write_input
from crashes.disk import Break, Operation, WatchedDisk, failing_at
from datacell.engines.session import session

_STREAMS = """
CREATE STREAM a (ts TIMESTAMP, k INT, v DOUBLE, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
  WITH (format = 'csv', path = '{root}/a', header = 'true', maxFilesPerTrigger = '1');
CREATE STREAM b (ts TIMESTAMP, k INT, w DOUBLE, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
  WITH (format = 'csv', path = '{root}/b', header = 'true', maxFilesPerTrigger = '1');
"""
_SUMS = "SELECT k, sum(v) AS total, count(*) AS n FROM a [RANGE 3 SECONDS SLIDE 2 SECONDS] GROUP BY k"
_PAIRS = """
SELECT x.k, max(x.v + y.w) AS top
FROM a [RANGE 4 SECONDS SLIDE 2 SECONDS] x JOIN b [RANGE 2 SECONDS SLIDE 2 SECONDS] y ON x.k = y.k GROUP BY x.k
"""
_COUNTS = "SELECT k, count(*) AS n FROM a [RANGE 1 SECOND] GROUP BY k"
_JOINED = "SELECT x.k, x.v + y.w AS both FROM a [RANGE 1 SECOND] x JOIN b [RANGE 1 SECOND] y ON x.k = y.k"
_NOW = "SELECT k, v FROM a [LATEST BY k SLIDE 2 SECONDS]"
_NAMED = "SELECT name, sum(v) AS total FROM a [RANGE 3 SECONDS SLIDE 2 SECONDS] JOIN names USING (k) GROUP BY name"
_TABLE = "CREATE TEMPORARY VIEW names (k INT, name STRING) USING csv OPTIONS (path '{root}/names.csv');"


@dataclass(frozen=True)
class Scenario:
    """Queries by name, what is inserted, and how it all runs."""

    queries: dict[str, str]
    before: str = ""
    after: str = ""
    engine: str = "duckdb"
    driver_memory: int = 10**9

    def script(self, root: Path, out: Path) -> str:
        queries = "".join(f"CREATE CONTINUOUS QUERY {name} AS {text};" for name, text in self.queries.items())
        emitters = "".join(
            f"CREATE EMITTER to_{name} FROM {name} WITH (format = 'csv', path = '{out}/{name}');"
            for name in self.queries
        )
        return (_STREAMS + self.before).format(root=root) + queries + emitters + self.after


SCENARIOS = {
    "window": Scenario({"sums": _SUMS}),
    "equal": Scenario({"sums": _SUMS, "same": _SUMS}),
    "join": Scenario({"pairs": _PAIRS}),
    "chain": Scenario(
        {"some": "SELECT count(*) AS n, max(v) AS top FROM c [RANGE 5 SECONDS SLIDE 2 SECONDS]"},
        "CREATE STREAM c (ts TIMESTAMP, k INT, v DOUBLE CHECK (v < 90), WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS);",
        "INSERT INTO a VALUES (TIMESTAMP '2024-01-01 00:00:01', 1, 99); INSERT INTO c SELECT * FROM a WHERE v > 50;",
    ),
    "instants": Scenario({"counts": _COUNTS, "joined": _JOINED}),
    "sessions": Scenario({"visits": "SELECT k, count(*) AS n FROM a [SESSION 1 SECOND PARTITION BY k] GROUP BY k"}),
    "latest": Scenario({"now": _NOW, "ever": "SELECT k, v FROM a [LATEST BY k DELETE WHEN (v > 90)]"}),
    "tables": Scenario({"named": _NAMED}, _TABLE, "REFRESH TABLE names;"),
    "numbered": Scenario({"last": "SELECT k, avg(v) AS mean FROM a [PARTITION BY k ROWS 5 SLIDE 3] GROUP BY k"}),
    "rows": Scenario({"large": "SELECT * FROM b WHERE w > 50"}, engine="spark"),
    "cluster": Scenario({"sums": _SUMS}, engine="spark", driver_memory=0),
    "cluster-join": Scenario({"pairs": _PAIRS}, engine="spark", driver_memory=0),
    "cluster-instants": Scenario({"counts": _COUNTS}, engine="spark", driver_memory=0),
    "cluster-tables": Scenario({"named": _NAMED}, _TABLE, "REFRESH TABLE names;", "spark", driver_memory=0),
}


def run(spark: SparkSession, scenario: Scenario, root: Path, out: Path, state: Path) -> None:
    """All that is there, to its end. A run that is killed leaves everything as it is."""
    cell = datacell.connect(state, spark=spark, engine=scenario.engine, driver_memory=scenario.driver_memory)
    try:
        cell.sql(scenario.script(root, out))
        cell.run(once=True)
    finally:
        cell.stop()


def output(out: Path) -> dict[str, list[str]]:
    """The lines of every query, sorted: what a reader of the directory gets."""
    found: dict[str, list[str]] = {}
    for part in sorted(out.glob("*/part-*.csv")):
        found.setdefault(part.parent.name, []).extend(part.read_text().splitlines()[1:])
    return {name: sorted(lines) for name, lines in found.items()}


class Crashes:
    """A scenario, what it gives undisturbed, and its durable operations with what was on the disk before each."""

    def __init__(self, spark: SparkSession, scenario: Scenario, root: Path) -> None:
        self.spark, self.scenario, self.root = spark, scenario, root
        self.case, self.runs, self._tried = root / "case", 0, set[str]()
        write_input(root, files=2, rows=20)
        (root / "names.csv").write_text("1,one\n2,two\n3,three\n")
        self.case.mkdir()
        disk = WatchedDisk(self.case, self._keep)
        with disk.mounted():
            self._run()
        self.operations, self.expected = disk.log, output(self.case / "out")

    def broken(self, at: int, how: Break) -> str | None:
        """What is wrong when a run that broke there is run again; None if nothing is, or if that was tried already."""
        operation = self.operations[at]
        if how is Break.FAIL:
            operation = self._failed(at) or operation
        elif not self._put(at, how):
            return None
        where = f"{operation}, {how.value}"
        try:
            self._run()
        except Exception as error:
            return f"{where}: {error}"
        return None if output(self.case / "out") == self.expected else f"{where}: other output"

    def _keep(self, number: int) -> None:
        """What is there before an operation."""
        kept = self.root / "moments" / str(number)
        while True:
            try:
                shutil.copytree(self.case, kept)
            except (shutil.Error, FileNotFoundError):  # Spark has renamed something meanwhile
                shutil.rmtree(kept)
            else:
                return

    def _put(self, at: int, how: Break) -> bool:
        """What a kill at that moment leaves; False if that is nothing that was not tried before."""
        self._clear()
        shutil.copytree(self.root / "moments" / str(at), self.case, dirs_exist_ok=True)
        if how is Break.TEAR and not self.operations[at].tear(self.case):
            return False
        if how is Break.SPARK and not take_back(self.case / "state", at):
            return False
        seen = _digest(self.case)
        is_new = seen not in self._tried
        self._tried.add(seen)
        return is_new

    def _failed(self, at: int) -> Operation | None:
        """A run of which one operation fails: that one, if it has come so far."""
        self._clear()
        disk = WatchedDisk(self.case, failing_at(at))
        with disk.mounted(), suppress(Exception):
            self._run()
        return disk.log[at] if at < len(disk.log) else None

    def _clear(self) -> None:
        shutil.rmtree(self.case)
        self.case.mkdir()

    def _run(self) -> None:
        self.runs += 1
        run(self.spark, self.scenario, self.root, self.case / "out", self.case / "state")


def _digest(directory: Path) -> str:
    """All that is in it."""
    found = sha256()
    for path in sorted(path for path in directory.rglob("*") if path.name != "lock"):
        found.update(f"{path.relative_to(directory)}\n".encode())
        found.update(sha256(path.read_bytes()).digest() if path.is_file() else b"")
    return found.hexdigest()


def take_back(state: Path, which: int) -> bool:
    """Some of what Spark has written since our last operation is not there, the last first: it was killed before.

    False if there is nothing of that kind.
    """
    ledger = state / "ledger"
    if not ledger.exists():
        return False
    logs = [path for path in state.glob("streams/*/spark/**/*") if path.is_file() and not path.name.startswith(".")]
    since = sorted(
        (p for p in logs if p.stat().st_mtime_ns > ledger.stat().st_mtime_ns), key=lambda p: p.stat().st_mtime
    )
    for path in since[len(since) - (which % len(since) + 1) :] if since else ():
        path.unlink()
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    return bool(since)


def everything(crashes: Crashes) -> Iterator[tuple[int, Break]]:
    """Every operation in every way; only what writes can be torn."""
    for at, operation in enumerate(crashes.operations):
        for how in Break:
            if how is not Break.TEAR or operation.can_be_torn:
                yield at, how


def part_of(name: str) -> tuple[str, int, int]:
    """A scenario, of how many breaks one is taken, and the first of them."""
    scenario, _, some = name.partition("/")
    step, _, part = some.partition("+")
    return scenario, int(step or 1), (int(part) if part else date.today().toordinal()) % int(step or 1)


def main(names: list[str]) -> None:
    spark = session()
    logging.getLogger("datacell").setLevel(logging.CRITICAL)  # what is said of broken disks
    count = 0
    for name in names or SCENARIOS:
        with tempfile.TemporaryDirectory(prefix="datacell-crashes-") as root:
            scenario, step, part = part_of(name)
            began, crashes = time.monotonic(), Crashes(spark, SCENARIOS[scenario], Path(root))
            breaks = list(everything(crashes))[part::step]
            print(f"{name}: {len(crashes.operations)} operations, {len(breaks)} breaks", flush=True)
            found = 0
            for number, (at, how) in enumerate(breaks, 1):
                if wrong := crashes.broken(at, how):
                    print(wrong, flush=True)
                    found += 1
                if number % 50 == 0:
                    print(f"{name}: {number} tried, {crashes.runs} restarts", flush=True)
            took = f"{crashes.runs} restarts in {time.monotonic() - began:.0f} s"
            print(f"{name}: {found} wrong, {took}", flush=True)
            count += found
    spark.stop()
    sys.exit(bool(count))


if __name__ == "__main__":
    main(sys.argv[1:])
