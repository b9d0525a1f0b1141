"""Queries that differ in constants alone answer as they do alone, whoever comes and goes beside them.

Drawn are shapes of queries, constants for several queries of each, and what happens: rows come, a query is created or
dropped, the run ends and another goes on. A query that was there before the rows answers what it answers alone, firing
by firing. One that comes later does so as soon as its windows have only rows that came after it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datacell.algebra.template import template
from datacell.engines.protocol import Engine
from datacell.engines.spark import SparkEngine
from datacell.runtime.net.sharing import Sharing
from datacell.sql.statements.statement import Drop, Thing
from datacell.testing import Trial, carry_out
from properties.feeding import Rows, batches_of, push, trial_of
from properties.queries import ROW_WINDOWS, SEVERAL, TIME_WINDOWS, query, rows
from sample import Values, at, bind, engine, nearly_in_order

SEEDS = given(st.integers(0, 2**32 - 1))
LONGEST = 4
"""Seconds of the windows below."""

SHAPES = (
    "SELECT k, avg(v) AS a, count(*) AS c FROM s [{w}] WHERE v > {d} AND v <= {d} GROUP BY k",
    "SELECT count(*) AS c, max(v) AS m FROM s [{w}] WHERE v >= {d} AND v < {d}",
    "SELECT k, sum(v * {i}) AS t FROM s [{w}] WHERE n = {i} GROUP BY k",
    "SELECT k, count(*) AS c FROM s [{w}] WHERE n BETWEEN {i} AND {i} OR v < {d} GROUP BY k HAVING count(*) > {i}",
    "SELECT c, sum(x) AS t FROM r [{w}] WHERE c = '{s}' OR x > {i} GROUP BY c",
    "SELECT s.k, s.v, r.x FROM s [{w}] JOIN r [{w}] ON s.k = r.k WHERE s.v > {d} AND r.x < {i}",
    "SELECT DISTINCT k FROM s [{w}] WHERE v <> {d}",
    "ISTREAM (SELECT k, min(v) AS m FROM s [{w}] WHERE v > {d} GROUP BY k)",
    "SELECT k, v FROM s [{w}] WHERE v > (SELECT avg(v) FROM s [{w}] WHERE n > {i})",
    "SELECT k, n + {i} AS m, v FROM s [{w}] WHERE NOT v > {d}",
    "SELECT k, percentile(v, 0.5) AS p FROM s [{w}] WHERE v >= {d} AND v <= {d} AND n > {i} GROUP BY k",
)
_NUMBER = re.compile(r"(?<=[<>=] )\d+(\.\d+)?")


@settings(SEVERAL, max_examples=80)
@SEEDS
def test_members_answer_as_alone_on_duckdb(seed: int) -> None:
    _check(engine(), seed)


@pytest.mark.spark
@settings(SEVERAL, max_examples=4)
@SEEDS
def test_members_answer_as_alone_on_spark(spark_engine: SparkEngine, seed: int) -> None:
    _check(spark_engine, seed)


@settings(SEVERAL, max_examples=80)
@SEEDS
def test_members_of_drawn_shapes_answer_as_alone(seed: int) -> None:
    random = Random(seed)
    drawn = (query(random, (TIME_WINDOWS, TIME_WINDOWS, ROW_WINDOWS)) for _ in count())
    text = next(text for text in drawn if template(bind(text)) is not None)
    texts = {f"q{n}": _NUMBER.sub(lambda _: str(random.randint(0, 4)), text) for n in range(4)}
    data = nearly_in_order(rows(random))
    batches = list(batches_of(random, data))
    with TemporaryDirectory() as directory, trial_of(engine(), data, Path(directory), Sharing.AUTO) as trial:
        for name, one in texts.items():
            trial.add_query(name, bind(one))
        for stream, batch in batches:
            push(trial, stream, batch)
        trial.end()
        for name, one in texts.items():
            assert _firings(trial, name) == _alone(engine(), data, one, batches), f"{name}: {one}"


def _check(engine: Engine, seed: int) -> None:
    random = Random(seed)
    shapes = random.sample(SHAPES, 2)
    window = random.choice(("RANGE 4 SECONDS SLIDE 2 SECONDS", "RANGE 3 SECONDS SLIDE 1 SECOND"))
    texts = [_drawn(random, shape, window) for shape in shapes for _ in range(random.randint(2, 4))]
    data = nearly_in_order(rows(random))
    batches = list(batches_of(random, data))
    with TemporaryDirectory() as directory:
        happening = Happening(Path(directory), engine, data, texts, random)
        for stream, batch in batches:
            happening.change(lambda: _drawn(random, random.choice(shapes), window))
            happening.push(stream, batch)
        happening.trial.end()
        for name, text in happening.asked.items():
            since = happening.later[name] + LONGEST if name in happening.later else 0
            alone, firings = _alone(engine, data, text, batches, since), _firings(happening.trial, name, since)
            assert firings == alone, f"{name}: {text}"
        happening.trial.close()


class Happening:
    """A trial in which queries come and go: `asked` are those that are there, `later` since when those are that came
    after some rows, in seconds."""

    def __init__(
        self, directory: Path, engine: Engine, data: Mapping[str, Values], texts: Sequence[str], random: Random
    ) -> None:
        self.directory, self.engine, self.data, self.random = directory, engine, data, random
        self.asked = {f"q{number}": text for number, text in enumerate(texts)}
        self.later: dict[str, float] = {}
        self.number, self.latest = len(texts), 0.0
        self.trial = self._started()

    def change(self, drawn: Any) -> None:
        what = self.random.choice(("nothing", "create", "create", "again", "drop", "restart"))
        if what == "create":
            self._create(drawn())
        if what == "again":
            text = self.asked.pop(name := self.random.choice(sorted(self.asked)))
            carry_out(self.trial, Drop(Thing.QUERY, name))
            self._create(text)
        if what == "drop" and len(self.asked) > 1:
            name = self.random.choice(sorted(self.asked))
            carry_out(self.trial, Drop(Thing.QUERY, name))
            del self.asked[name]
        if what == "restart":
            self.trial.close()
            self.trial = self._started()

    def push(self, stream: str, batch: Rows) -> None:
        push(self.trial, stream, batch)
        self.latest = max(self.latest, *((row["ts"] - at(0)).total_seconds() for row in batch))

    def _started(self) -> Trial:
        trial = trial_of(self.engine, self.data, self.directory, Sharing.AUTO)
        names = list(self.asked)
        self.random.shuffle(names)
        for name in names:
            trial.add_query(name, bind(self.asked[name]))
        return trial

    def _create(self, text: str) -> None:
        name, self.number = f"q{self.number}", self.number + 1
        self.trial.add_query(name, bind(text))
        self.asked[name], self.later[name] = text, self.latest


def _drawn(random: Random, shape: str, window: str) -> str:
    text = shape.replace("{w}", window)
    for mark, values in {"{d}": ("-1.0", "0.5", "1.0", "2.5", "3.0"), "{i}": "01235", "{s}": "xyz"}.items():
        while mark in text:
            text = text.replace(mark, random.choice(values), 1)
    assert template(bind(text)) is not None, text
    return text


def _firings(trial: Trial, name: str, since: float = 0) -> list[list[str]]:
    """What each firing has delivered of boundaries after a second; the order of rows is nobody's."""
    found = (
        sorted(repr(row) for row in firing.to_pylist() if not since or row["window_end"] > at(since))
        for firing in trial.firings(name)
    )
    return [rows for rows in found if rows]


def _alone(
    engine: Engine, data: Mapping[str, Values], text: str, batches: Sequence[tuple[str, Rows]], since: float = 0
) -> list[list[str]]:
    with trial_of(engine, data, None, Sharing.SEPARATE) as trial:
        trial.add_query("q", bind(text))
        for stream, batch in batches:
            push(trial, stream, batch)
        trial.end()
        return _firings(trial, "q", since)
