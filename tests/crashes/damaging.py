"""Checkpoints that are damaged between two runs: as a module it tries every damage of every kind of file.

``PYTHONPATH=tests python -m crashes.damaging`` tries all of them, ``… "in the driver/4+1"`` in one scenario those of
every fourth kind from the second one on, ``… "in the driver:tables"`` those whose paths begin so; with ``--write`` what
each gives is written into the document, too. A run is stopped half way; a file of a copy of its checkpoint is deleted,
emptied, cut, changed or replaced by what it was before; and the run goes on. It gives the output of a run that nobody
disturbs, or an error.
"""

from __future__ import annotations

import logging
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from pathlib import Path

from pyspark.sql import SparkSession

import datacell
from cli.killing import write_input
from crashes.crashing import output, part_of
from datacell.cell.cell import Cell
from datacell.engines.session import session
from datacell.errors import DataCellError

DOCUMENT = Path(__file__).parents[2] / "docs" / "checkpoint.md"
BEGIN, END = "<!-- damages -->\n", "<!-- /damages -->\n"

_STREAMS = """
CREATE STREAM a (ts TIMESTAMP, k INT, v DOUBLE, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
  WITH (format = 'csv', path = '{root}/a', header = 'true', maxFilesPerTrigger = '1');
CREATE STREAM p (ts TIMESTAMP, k INT, w DOUBLE CHECK (w >= 0), WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS);
CREATE STREAM c (ts TIMESTAMP, k INT, v DOUBLE, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS);
CREATE TEMPORARY VIEW names (k INT, name STRING) USING csv OPTIONS (path '{root}/names.csv');
"""
_QUERIES = {
    "sums": "SELECT k, sum(v) AS total FROM a [RANGE 3 SECONDS SLIDE 2 SECONDS] GROUP BY k",
    "pairs": """SELECT x.k, max(x.v + y.w) AS top FROM a [RANGE 4 SECONDS SLIDE 2 SECONDS] x
                JOIN p [RANGE 4 SECONDS SLIDE 2 SECONDS] y ON x.k = y.k GROUP BY x.k""",
    "some": "SELECT count(*) AS n FROM c [RANGE 5 SECONDS SLIDE 2 SECONDS]",
    "instants": "SELECT k, count(*) AS n FROM a [RANGE 1 SECOND] GROUP BY k",
    "large": "SELECT * FROM a WHERE v > 50",
    "named": "SELECT name, sum(v) AS total FROM a [RANGE 3 SECONDS SLIDE 2 SECONDS] JOIN names USING (k) GROUP BY name",
}
_INSERTS = """
INSERT INTO c VALUES (TIMESTAMP '2024-01-01 00:00:01', 1, 99);
INSERT INTO c SELECT * FROM a WHERE v > 50;
"""
_FILES, _ROWS, _PUSHED = 4, 20, 8
_SPOOLED = frozenset({"p", "c"})


@dataclass(frozen=True)
class Scenario:
    """Some queries, and where their state is."""

    queries: tuple[str, ...]
    inserts: bool
    engine: str = "duckdb"
    driver_memory: int = 10**9

    def script(self, root: Path, out: Path) -> str:
        made = "".join(
            f"CREATE CONTINUOUS QUERY {name} AS {_QUERIES[name]};"
            f"CREATE EMITTER to_{name} FROM {name} WITH (format = 'csv', path = '{out}/{name}');"
            for name in self.queries
        )
        return _STREAMS.format(root=root) + made + (_INSERTS if self.inserts else "")


SCENARIOS = {
    "in the driver": Scenario(("sums", "pairs", "some", "instants", "large", "named"), inserts=True),
    "on the cluster": Scenario(("sums", "large", "named"), inserts=False, engine="spark", driver_memory=0),
}


class Damage(Enum):
    """What happens to a file."""

    DELETED = "deleted"
    EMPTY = "empty"
    CUT = "cut in half"
    LONGER = "bytes behind it"
    FLIPPED = "a bit flipped"
    ENDS = "its last bit flipped"
    OLDER = "an older one"


class Outcome(Enum):
    """What a run gives that goes on with a damaged checkpoint."""

    SAME = "goes on"
    SAID = "made again, and said"
    REFUSED = "refused"
    NONE = "-"


@dataclass(frozen=True)
class Found:
    """An outcome, and what was said; `wrong` is what must not be."""

    outcome: Outcome
    told: str = ""
    wrong: str = ""


class Damages:
    """A scenario that was stopped half way, and what it gives undisturbed."""

    def __init__(self, spark: SparkSession, scenario: Scenario, root: Path) -> None:
        self.spark, self.scenario, self.root = spark, scenario, root
        write_input(root / "all", files=_FILES, rows=_ROWS)
        (root / "names.csv").write_text("".join(f"{k},name {k}\n" for k in range(1, 5)))
        (root / "a").mkdir()
        for number in (1, 2):
            shutil.copy2(root / "all" / "a" / f"{number - 1}.csv", root / "a")
            self._begin(number)
            if number == 1:
                shutil.copytree(root / "case" / "state", root / "older")
        for number in range(2, _FILES):
            shutil.copy2(root / "all" / "a" / f"{number}.csv", root / "a")
        with self._cell(root / "case") as cell:
            cell.push("p", _pushed(3))
        self.older, self.half = root / "older", root / "half"
        shutil.copytree(root / "case", self.half)
        self.expected = self._calm()

    def kinds(self) -> dict[str, Path]:
        """Of every kind of file the last one, by its path in the checkpoint; and directories that may be deleted."""
        state, found = self.half / "state", dict[str, Path]()
        for path in sorted(state.rglob("*")):
            name = path.relative_to(state)
            if path.is_file() and path.name != "lock" and not path.name.endswith(".tmp"):
                found[kind_of(name)] = name
            elif path.is_dir() and len(name.parts) > 1:
                found[f"{kind_of(name)}/"] = name
        return found

    def tried(self, name: Path, damage: Damage) -> Found:
        """What comes of a damage to this file."""
        case = self.root / "case"
        shutil.rmtree(case, ignore_errors=True)
        shutil.copytree(self.half, case)
        if not _damaged(case / "state" / name, self.older / name, damage):
            return Found(Outcome.NONE)
        with _warnings() as said:
            try:
                with self._cell(case) as cell:
                    cell.run(once=True)
            except DataCellError as error:
                blamed = Outcome.REFUSED, error.message
                return Found(*blamed, "" if str(case / "state") in error.message else "it does not name a file")
            except Exception as error:
                return Found(Outcome.REFUSED, repr(error), "it is no error of ours")
        if output(case / "out") != self.expected:
            return Found(Outcome.SAME, wrong="other output")
        return Found(Outcome.SAID if said else Outcome.SAME, "; ".join(said))

    def _begin(self, number: int) -> None:
        """One file more is read, one group more is pushed and read."""
        with self._cell(self.root / "case") as cell:
            cell.push("p", _pushed(number))
            cell.start()
            streams, until = cell.works.scheduler.members.streams, time.monotonic() + 120
            wanted = {"a": number * _ROWS, "p": number * (_PUSHED - 1)}
            while any(streams[name].basket.progress.rows < rows for name, rows in wanted.items()):
                assert time.monotonic() < until, "rows do not come"
                cell.check()
                time.sleep(0.05)
            cell.works.scheduler.wait()

    def _calm(self) -> dict[str, list[str]]:
        with self._cell(self.root / "calm") as cell:
            for number in (1, 2, 3):
                cell.push("p", _pushed(number))
            cell.run(once=True)
        return output(self.root / "calm" / "out")

    @contextmanager
    def _cell(self, place: Path) -> Iterator[Cell]:
        memory = self.scenario.driver_memory
        cell = datacell.connect(place / "state", self.spark, engine=self.scenario.engine, driver_memory=memory)
        try:
            cell.sql(self.scenario.script(self.root, place / "out"))
            yield cell
        finally:
            cell.stop()


def kind_of(name: Path) -> str:
    """The path of a file without what tells it from others of its kind."""
    parts = list(name.parts)
    if len(parts) > 1:
        is_spooled = parts[0] == "streams" and parts[1] in _SPOOLED and parts[2:3] == ["spark"]
        parts[1] = f"{'SPOOLED' if is_spooled else 'NAME'}{Path(parts[1]).suffix}"
    if parts[0] == "spool" and len(parts) > 2:
        parts[2:] = [f"GROUP{Path(name).suffix}"]
    parts[2:] = [re.sub(r"part-.*?(\.(csv|parquet)(\.crc)?)?$", r"part-N\1", part) for part in parts[2:]]
    parts[2:] = [re.sub(r"\d+", "N", part) for part in parts[2:]]
    return "/".join(parts)


def table(found: dict[str, dict[Damage, Outcome]]) -> str:
    """What is written into the document."""
    lines = [f"| file | {' | '.join(d.value for d in Damage)} |\n", f"|---|{'---|' * len(Damage)}\n"]
    for kind in sorted(found):
        outcomes = [found[kind].get(damage, Outcome.NONE).value for damage in Damage]
        lines.append(f"| `{kind}` | {' | '.join(outcomes)} |\n")
    return "".join(lines)


def documented() -> dict[tuple[str, Damage], Outcome]:
    """What the document says."""
    text = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    rows = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in text.splitlines()[2:] if line]
    return {
        (row[0].strip("`"), damage): Outcome(value)
        for row in rows
        for damage, value in zip(Damage, row[1:], strict=True)
    }


def _pushed(number: int) -> list[tuple[datetime, int, float]]:
    """A group of rows; the last one is rejected."""
    start = datetime(2024, 1, 1) + timedelta(seconds=4 * (number - 1))
    rows = [(start + timedelta(seconds=0.5 * n), n % 4 + 1, float(10 * number + n)) for n in range(_PUSHED - 1)]
    return [*rows, (start, 1, -1.0)]


def _damaged(path: Path, older: Path, damage: Damage) -> bool:
    """Do it; False if there is nothing to be done, or nothing that it was before."""
    if path.is_dir():
        if damage is Damage.DELETED:
            shutil.rmtree(path)
        return damage is Damage.DELETED
    content = path.read_bytes()
    match damage:
        case Damage.DELETED:
            path.unlink()
        case Damage.EMPTY:
            path.write_bytes(b"")
        case Damage.CUT:
            path.write_bytes(content[: len(content) // 2])
        case Damage.LONGER:
            path.write_bytes(content + content[-20:] + b"x")
        case Damage.FLIPPED | Damage.ENDS:
            at = len(content) // 2 if damage is Damage.FLIPPED else len(content) - 1
            path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :] if content else b"x")
        case Damage.OLDER:
            if not older.is_file() or older.read_bytes() == content:
                return False
            shutil.copyfile(older, path)
    return not path.exists() or path.read_bytes() != content


@contextmanager
def _warnings() -> Iterator[list[str]]:
    said: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("datacell").addHandler(handler)
    try:
        yield said
    finally:
        logging.getLogger("datacell").removeHandler(handler)


def main(names: list[str], writes: bool) -> None:
    spark = session()
    found: dict[str, dict[Damage, Outcome]] = {}
    wrong = 0
    for given in names or SCENARIOS:
        some, _, begins = given.partition(":")
        scenario, step, part = part_of(some)
        with tempfile.TemporaryDirectory(prefix="datacell-damages-") as root:
            damages = Damages(spark, SCENARIOS[scenario], Path(root))
            kinds = [one for one in damages.kinds().items() if one[0].startswith(begins)]
            for kind, name in kinds[part::step]:
                for damage in Damage if kind not in found else ():
                    one = damages.tried(name, damage)
                    found.setdefault(kind, {})[damage] = one.outcome
                    wrong += bool(one.wrong)
                    print(f"{scenario}: {kind} {damage.value}: {one.outcome.value} {one.wrong and 'WRONG:'}", end=" ")
                    print(one.wrong, one.told, flush=True)
    print(table(found) + f"{wrong} wrong", flush=True)
    if writes:
        before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
        for (kind, damage), outcome in documented().items():
            found.setdefault(kind, {}).setdefault(damage, outcome)
        DOCUMENT.write_text(f"{before}{BEGIN}{table(found)}{END}{rest.partition(END)[2]}", encoding="utf-8")
    spark.stop()
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main([name for name in sys.argv[1:] if not name.startswith("--")], "--write" in sys.argv)
