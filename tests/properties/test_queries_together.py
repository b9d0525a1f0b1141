"""Queries that share work answer as they do alone, whoever comes and goes beside them.

Drawn are a few queries over the streams, and what happens: rows come, a query that asks the same as another is created
under another name, one is dropped, the run ends and another goes on, perhaps by another strategy. What each has
answered is what it answers alone, from the firing on at which it came.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datacell.algebra.normal import may_share
from datacell.engines.protocol import Engine
from datacell.engines.spark import SparkEngine
from datacell.runtime.net.sharing import Sharing
from datacell.sql.statements.statement import Drop, Thing
from datacell.testing import Trial, carry_out
from properties.feeding import Rows, batches_of, push, trial_of
from properties.queries import EVERY_INSTANT, ROW_WINDOWS, SEVERAL, TIME_WINDOWS, query, rows
from sample import Values, bind, engine, nearly_in_order

FORMS = (TIME_WINDOWS, TIME_WINDOWS, EVERY_INSTANT, ROW_WINDOWS)
SEEDS = given(st.integers(0, 2**32 - 1))


@settings(SEVERAL, max_examples=60)
@SEEDS
def test_sharing_changes_no_answer_on_duckdb(seed: int) -> None:
    _check(engine(), seed)


@pytest.mark.spark
@settings(SEVERAL, max_examples=4)
@SEEDS
def test_sharing_changes_no_answer_on_spark(spark_engine: SparkEngine, seed: int) -> None:
    _check(spark_engine, seed)


def _check(engine: Engine, seed: int) -> None:
    random = Random(seed)
    drawn = (query(random, FORMS) for _ in count())
    texts = list(islice((text for text in drawn if may_share(bind(text))), 2))
    data = nearly_in_order(rows(random))
    batches = list(batches_of(random, data))
    with TemporaryDirectory() as directory:
        happening = Happening(Path(directory), engine, data, texts, random)
        for stream, batch in batches:
            happening.change()
            happening.push(stream, batch)
        happening.trial.end()
        for name, text in happening.asked.items():
            since = happening.trial.scheduler.members.queries[name].since
            assert happening.firings(name) == _alone(engine, data, text, batches)[since:], f"{name}: {text}"
        happening.trial.close()


class Happening:
    """A trial in which queries come and go; `asked` are those that are there, by name."""

    def __init__(
        self, directory: Path, engine: Engine, data: Mapping[str, Values], texts: Sequence[str], random: Random
    ) -> None:
        self.directory, self.engine, self.data, self.random = directory, engine, data, random
        self.asked = {f"q{number}": text for number, text in enumerate(texts)}
        self.number = len(texts)
        self.trial = self._started()

    def change(self) -> None:
        """Perhaps something happens between two batches; only what is shared is there for one that comes later."""
        what = self.random.choice(("nothing", "create", "create", "drop", "restart"))
        if what == "create" and self.trial.sharing is Sharing.AUTO:
            self._create(self.random.choice(sorted(self.asked.values())))
        if what == "drop":
            self._drop(self.random.choice(sorted(self.asked)))
        if what == "restart":
            self.trial.close()
            self.trial = self._started()

    def push(self, stream: str, batch: Rows) -> None:
        push(self.trial, stream, batch)

    def firings(self, name: str) -> list[Rows]:
        return [firing.to_pylist() for firing in self.trial.firings(name)]

    def _started(self) -> Trial:
        sharing = self.random.choice((Sharing.AUTO, Sharing.AUTO, Sharing.SHARED, Sharing.SEPARATE))
        trial = trial_of(self.engine, self.data, self.directory, sharing)
        names = list(self.asked)
        self.random.shuffle(names)
        for name in names:
            trial.add_query(name, bind(self.asked[name]))
        return trial

    def _create(self, text: str) -> None:
        name, self.number = f"q{self.number}", self.number + 1
        self.trial.add_query(name, bind(text))
        self.asked[name] = text

    def _drop(self, name: str) -> None:
        """If another one asks the same: one that is created when nobody does begins with what comes."""
        if list(self.asked.values()).count(self.asked[name]) > 1:
            carry_out(self.trial, Drop(Thing.QUERY, name))
            del self.asked[name]


def _alone(engine: Engine, data: Mapping[str, Values], text: str, batches: Sequence[tuple[str, Rows]]) -> list[Rows]:
    with trial_of(engine, data, None, Sharing.SEPARATE) as trial:
        trial.add_query("q", bind(text))
        for stream, batch in batches:
            push(trial, stream, batch)
        trial.end()
        return [firing.to_pylist() for firing in trial.firings("q")]
