"""Wherever rows have their home, and however often it changes, answers are the reference's: law 11 on real Spark.

A case is drawn by its seed: queries that share a stream, their windows, rows of which some break a CHECK, the cut into
micro-batches, and after which of them a new cell goes on from the checkpoint.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import datacell
from datacell.algebra.query import Query, Timing
from datacell.cell import intake
from datacell.placement.homes import DRIVER_MEMORY
from datacell.runtime.windows import compaction
from properties.queries import SEVERAL
from reference import Answer
from runtime.netrun import Validity, snapshot
from sample import Values, answers, at, bind, decided
from window_laws import FOREVER, micros

OF_ONE_STREAM = [
    "SELECT k, avg(v) AS a, count(*) AS c, max(n) AS m FROM s [{w}] WHERE n > 0 GROUP BY k",
    "SELECT k, var_samp(v) AS a, min(v) AS b FROM s [{w}] GROUP BY k HAVING count(*) > 1",
    "SELECT count(*) AS c, count(v) AS d, sum(v) AS e FROM s [{w}] WHERE k > 1",
    "SELECT count(*) AS c FROM s [{w}] WHERE v > 100",
    "SELECT k, count(DISTINCT n) AS d, count(n) AS c FROM s [{w}] GROUP BY k",
    "SELECT DISTINCT k, n FROM s [{w}]",
    "SELECT k, median(v) AS m FROM s [{w}] WHERE n > 0 GROUP BY k",
    "SELECT k, n, v FROM s [{w}] ORDER BY v DESC, k, n LIMIT 3",
    "ISTREAM (SELECT k, count(*) AS c FROM s [{w}] GROUP BY k)",
    "DSTREAM (SELECT k, n FROM s [{w}] WHERE n > 1)",
    "SELECT a.k, sum(b) AS t FROM s [{w}] a JOIN u ON a.k = u.k GROUP BY a.k",
    "SELECT a.k, a.n, b FROM s [{w}] a LEFT JOIN u ON a.k = u.k WHERE a.v > 0",
    "SELECT max(q.a) AS m FROM (SELECT k, avg(v) AS a FROM s [{w}] GROUP BY k) q",
    "SELECT x.k, x.a, y.b FROM (SELECT k, sum(n) AS a FROM s [{w}] GROUP BY k) x "
    "JOIN (SELECT k, sum(n) AS b FROM s [{w2}] GROUP BY k) y ON x.k <=> y.k",
    "SELECT k, row_number() OVER (PARTITION BY k ORDER BY v, n) AS i FROM s [{w}] WHERE n IS NOT NULL",
    "SELECT k, v * 2 AS d FROM s WHERE n > 1",
    "SELECT s.k, n, b FROM s JOIN u ON s.k = u.k",
]
OF_TWO_STREAMS = [
    "SELECT a.k, count(*) AS c, max(b.x) AS m FROM s [{w}] a JOIN r [{w2}] b ON a.k = b.k GROUP BY a.k",
    "SELECT a.k, b.x FROM s [{w}] a LEFT JOIN r [{w2}] b ON a.k = b.k AND a.n = b.x",
    "SELECT k FROM s [{w}] EXCEPT SELECT k FROM r [{w2}]",
    "SELECT k, sum(q.n) AS t FROM (SELECT k, n FROM s [{w}] UNION ALL SELECT k, x FROM r [{w2}]) q GROUP BY k",
]
TABLES: dict[str, Values] = {"t": [], "u": [(1, 10), (1, 20), (2, None), (None, 30), (5, 5)]}
STREAMS = {"s": ("ts", "k", "v", "n"), "r": ("ts", "k", "x", "c")}
SCRIPT = """
CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, n INT CHECK (n < 1000), WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
  WITH (format = 'json', path = '{root}/s', maxFilesPerTrigger = '1');
CREATE STREAM r (ts TIMESTAMP, k INT, x INT, c STRING, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
  WITH (format = 'json', path = '{root}/r', maxFilesPerTrigger = '1');
CREATE OR REPLACE TEMPORARY VIEW u AS SELECT * FROM VALUES (1, 10), (1, 20), (2, NULL), (NULL, 30), (5, 5) AS u(k, b);
"""
REJECTED = 5000


@dataclass
class Case:
    """What a seed decides."""

    seed: int
    queries: list[str] = field(init=False)
    rows: dict[str, list[tuple[Any, ...]]] = field(init=False)
    batches: dict[str, list[list[tuple[Any, ...]]]] = field(init=False)
    before_restart: int = field(init=False)
    compacted_from: int = field(init=False)

    def __post_init__(self) -> None:
        chance = Random(self.seed)
        texts = chance.sample(OF_ONE_STREAM, chance.randint(1, 4))
        if chance.random() < 0.25:
            texts = [*texts[:1], chance.choice(OF_TWO_STREAMS)]
        instants = Random(~self.seed)
        self.queries = [_under_windows(text, chance, instants) for text in texts]
        self.rows = _rows(chance)
        self.batches = {name: _cut(chance, rows) for name, rows in self.rows.items()}
        self.before_restart = chance.randint(0, 3)
        self.compacted_from = chance.choice([2, 2, 32])

    def entering(self) -> dict[str, Values]:
        return {**TABLES, "r": self.rows["r"], "s": [row for row in self.rows["s"] if row[3] != REJECTED]}


@pytest.mark.spark
@settings(SEVERAL, max_examples=8)
@example(1, "spark", 0, True)
@example(2, "spark", 3000, True)
@example(3, "auto", 0, True)
@example(4, "auto", 3000, False)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["spark", "auto"]),
    st.sampled_from([0, 0, 3000, DRIVER_MEMORY]),
    st.booleans(),
)
def test_homes_change_no_answer(spark: SparkSession, seed: int, engine: str, memory: int, stays: bool) -> None:
    case = Case(seed)
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as directory:
        patch.setattr(compaction, "COMPACTED_FROM", case.compacted_from)
        if stays:  # `auto` takes micro-batches for large ones, so that what queries want is made where they are
            patch.setattr(intake, "LITTLE", -1)
            patch.setattr(intake, "HYSTERESIS", float("inf"))
        found, rejected = run(spark, Path(directory), case, engine, memory)
    assert rejected == len(case.rows["s"]) - len(case.entering()["s"])
    for text, ours in zip(case.queries, found, strict=True):
        query = bind(text)
        expected = answers(query, decided(query.plan), case.entering())
        if query.timing is Timing.EVERY_INSTANT:
            found_at = [_validity(query, row) for row in ours]
            assert [(a, snapshot(found_at, a.boundary)) for a in expected] == [(a, a.rows) for a in expected], text
        else:
            assert _answers(query, ours) == [a for a in expected if a.rows], text


def run(
    spark: SparkSession, root: Path, case: Case, engine: str, memory: int
) -> tuple[list[list[dict[str, Any]]], int]:
    """The rows that each query gives; some micro-batches are for a first cell, the others for a second."""
    split = case.before_restart
    for name, batches in case.batches.items():
        (root / name).mkdir()
        for number, batch in enumerate(batches[:split]):
            _write(root / name / f"{number}.json", name, number, batch)
    cell, _ = _cell(spark, root, case, engine, memory)
    try:
        if split:
            cell.start()
            _wait_for(cell, {name: sum(map(len, batches[:split])) for name, batches in case.batches.items()})
    finally:
        cell.stop()
    for name, batches in case.batches.items():
        for number, batch in list(enumerate(batches))[split:]:
            _write(root / name / f"{number}.json", name, number, batch)
    cell, queries = _cell(spark, root, case, engine, memory)
    try:
        cell.run(once=True)
        found = [[row for result in query.results() for row in result] for query in queries]
        return found, cell.works.scheduler.members.streams["s"].basket.progress.rejected
    finally:
        cell.stop()


def _cell(
    spark: SparkSession, root: Path, case: Case, engine: str, memory: int
) -> tuple[datacell.Cell, list[datacell.RunningQuery]]:
    cell = datacell.connect(root / "state", spark=spark, engine=engine, driver_memory=memory)
    cell.sql(SCRIPT.format(root=root))
    return cell, [cell.query(text, name=f"q{number}") for number, text in enumerate(case.queries)]


def _wait_for(cell: datacell.Cell, rows: dict[str, int]) -> None:
    streams, until = cell.works.scheduler.members.streams, time.monotonic() + 120
    while any(_taken(streams[name]) < count for name, count in rows.items()):
        cell.check()
        assert time.monotonic() < until
        time.sleep(0.02)


def _taken(stream: Any) -> int:
    progress = stream.basket.progress
    return int(progress.rows + progress.rejected + progress.late)


def _under_windows(text: str, chance: Random, instants: Random) -> str:
    """Some queries are asked at every instant; which, changes nothing else that is drawn."""
    found = text.format(w=_window(chance), w2=_window(chance))
    if "STREAM" in text or "{w}" not in text or instants.random() < 0.6:
        return found
    windows = [f"{kind} {instants.choice([2, 7, 20])} SECONDS" for kind in instants.sample(["RANGE", "FIXED"], 2)]
    return text.format(w=windows[0], w2=windows[1])


def _window(chance: Random) -> str:
    length, slide = chance.choice([2, 7, 10, 20, 45]), chance.choice([2, 3, 5, 20])
    return chance.choice(
        [
            f"RANGE {length} SECONDS SLIDE {slide} SECONDS",
            f"RANGE {length} SECONDS SLIDE {slide} SECONDS",
            f"FIXED {length} SECONDS SLIDE {slide} SECONDS",
            f"LANDMARK SLIDE {slide} SECONDS",
            f"LANDMARK SLIDE {slide} SECONDS RESET EVERY {chance.choice([4, 15])} SECONDS",
            f"LANDMARK FROM TIMESTAMP '1970-01-01 00:00:11Z' SLIDE {slide} SECONDS",
        ]
    )


def _rows(chance: Random) -> dict[str, list[tuple[Any, ...]]]:
    """About a minute with gaps, and disorder within the lateness."""
    seconds, found = 0.0, {name: list[tuple[Any, ...]]() for name in STREAMS}
    for _ in range(chance.randint(30, 160)):
        seconds += chance.choice([0, 0, 0.25, 0.5, 1]) if chance.random() < 0.98 else 15
        when, key = max(0.0, seconds - chance.choice([0, 0, 0.5, 1.5, 1.9])), chance.choice([None, 1, 2, 3, 7])
        number = chance.choice([None, 0, 1, 2, 5])
        if chance.random() < 0.8:
            wrong = chance.random() < 0.04
            value = chance.choice([None, -1.5, 0.5, 2.0, 7.5])
            found["s"].append((when, key, value, REJECTED if wrong else number))
        else:
            found["r"].append((when, key, number, chance.choice(["x", "y"])))
    return found


def _cut(chance: Random, rows: list[tuple[Any, ...]]) -> list[list[tuple[Any, ...]]]:
    places = sorted(chance.sample(range(1, len(rows)), min(len(rows) - 1, chance.randint(2, 4))))
    return [rows[a:b] for a, b in zip([0, *places], [*places, len(rows)], strict=True)]


def _write(path: Path, name: str, number: int, rows: Sequence[tuple[Any, ...]]) -> None:
    """A file, with an age of its own; it appears whole."""
    named = [dict(zip(STREAMS[name], (at(row[0]).isoformat(), *row[1:]), strict=True)) for row in rows]
    hidden = path.with_name(f".{path.name}")
    hidden.write_text("".join(f"{json.dumps(row)}\n" for row in named))
    os.utime(hidden, (1_700_000_000 + number,) * 2)
    hidden.replace(path)


def _validity(query: Query, row: dict[str, Any]) -> Validity:
    values = tuple(round(v, 9) if isinstance(v, float) else v for v in map(row.get, query.plan.schema.names))
    return micros(row["valid_from"]), FOREVER if row["valid_to"] is None else micros(row["valid_to"]), values


def _answers(query: Query, rows: Sequence[dict[str, Any]]) -> list[Answer]:
    by_boundary: dict[int, Counter[tuple[Any, ...]]] = {}
    for row in rows:
        boundary = 0 if query.timing is Timing.ONCE else micros(row["window_end"])
        values = tuple(round(v, 9) if isinstance(v, float) else v for v in map(row.get, query.plan.schema.names))
        by_boundary.setdefault(boundary, Counter())[values] += 1
    return [Answer(boundary, found) for boundary, found in sorted(by_boundary.items())]
