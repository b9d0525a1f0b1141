"""Increments over streams that have a row of each key in every second: what they hold, store and call."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from datacell.algebra.plan import Plan
from datacell.engines.duckdb import DuckDBEngine, PreparedStatement
from datacell.engines.protocol import Inputs
from datacell.runtime.storage import files
from datacell.runtime.windows.at_boundaries import AnswersAtBoundaries
from datacell.runtime.windows.increments import Increments
from reference import Answer
from runtime.netrun import NetRun
from sample import at, bind, catalog, reference

AVERAGE = "SELECT k, avg(v) AS a FROM s [RANGE 10 SECONDS SLIDE 1 SECOND] GROUP BY k"
KEYS = 3


class CountingEngine(DuckDBEngine):
    """Counts its calls."""

    calls = 0

    def prepare(self, plan: Plan) -> PreparedStatement:
        prepared = super().prepare(plan)
        run = prepared.run

        def counted(inputs: Inputs) -> pa.Table:
            self.calls += 1
            return run(inputs)

        prepared.run = counted  # type: ignore[method-assign]
        return prepared


def net_of(directory: Path, text: str, engine: DuckDBEngine | None = None) -> NetRun:
    return NetRun(directory, catalog(), reference(), engine or DuckDBEngine(threads=1), bind(text), incremental=True)


def second(net: NetRun, number: int, stream: str = "s") -> None:
    """A row of each key."""
    rest = {"v": 1.5, "n": number} if stream == "s" else {"x": number, "c": "x"}
    net.deposit(stream, number, [{"ts": at(number), "k": k, **rest} for k in range(KEYS)])


def stored(directory: Path) -> dict[str, int]:
    """Rows in files, by the folder they are in."""
    found: dict[str, int] = {}
    for path in directory.rglob("*.arrow"):
        count = len(files.read_table(path)[0])
        name = "slices" if "slices" in path.parts else path.parent.name
        found[name] = found.get(name, 0) + count
    return found


def kept_rows(net: NetRun) -> int:
    return increments(net).held().rows


def increments(net: NetRun) -> Increments:
    assert isinstance(net.factory.evaluation, AnswersAtBoundaries)
    assert isinstance(net.factory.evaluation.windowing, Increments)
    return net.factory.evaluation.windowing


def counts(answers: list[Answer]) -> dict[int, int]:
    """How many rows each boundary counted, in seconds."""
    return {a.boundary // 1_000_000: row[-1] for a in answers for row in a.rows}
