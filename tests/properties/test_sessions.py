"""Sessions: random queries over them answer as the reference evaluator does, however the input is cut, with kills."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from datacell.engines.protocol import Engine
from datacell.engines.spark import SparkEngine
from datacell.runtime import kept_rows
from properties.judging import judged
from properties.queries import CUTS, SESSIONS, SEVERAL, data, queries
from runtime.netrun import Cuts, NetRun, without_empty
from sample import Values, catalog, engine

SEEDS = st.integers(0, 2**32 - 1)
CASES = given(queries(forms=(SESSIONS,)), data(), CUTS, SEEDS)


@pytest.fixture(autouse=True)
def everything_needless_goes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_rows, "MOST_NEEDLESS", 0)


@settings(SEVERAL, max_examples=50)
@CASES
def test_each_session_is_answered_by_itself(text: str, rows: dict[str, Values], cuts: Cuts, seed: int) -> None:
    _is_the_reference_s(engine(), text, rows, cuts, Random(seed))


@pytest.mark.spark
@settings(SEVERAL, max_examples=4)
@CASES
def test_each_session_is_answered_by_itself_on_spark(
    spark_engine: SparkEngine, text: str, rows: dict[str, Values], cuts: Cuts, seed: int
) -> None:
    _is_the_reference_s(spark_engine, text, rows, cuts, Random(seed))


def _is_the_reference_s(on: Engine, text: str, rows: dict[str, Values], cuts: Cuts, chance: Random) -> None:
    text = re.sub(r"^[ID]STREAM \((.*)\)$", r"\1", text)
    assume(text.count("[SESSION") == 1)
    query, judge, expected = judged(text, rows)
    with tempfile.TemporaryDirectory() as directory:
        net = NetRun(Path(directory), catalog(), judge, on, query)
        for batch in list(net.batches(cuts)):
            if chance.random() < 0.3:
                net = NetRun(Path(directory), catalog(), judge, on, query)
            net.deposit(*batch)
        net.scheduler.drain()
        assert without_empty(net.answers()) == without_empty(expected)
