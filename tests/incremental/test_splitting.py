"""Queries are split as written in the fixtures, and what is so split gives the reference evaluator's answers."""

from __future__ import annotations

from pathlib import Path

import pytest

import fixture_cases
import sample
from datacell.algebra.query import Timing
from datacell.compile import Setting, compile
from datacell.incremental.strategy import Strategy
from datacell.placement.operators import Site
from incremental.split_cases import FOLDER, SplitCase
from runtime.netrun import NetRun, without_empty

NAMES = fixture_cases.names(FOLDER)
CASES = [case for name in NAMES for case in fixture_cases.read(FOLDER, name, SplitCase)]
AT_BOUNDARIES = [case for case in CASES if case.query().timing in (Timing.BOUNDARIES, Timing.ARRIVALS)]
BATCHES = {"s": [3, 0, 2], "r": [1, 4]}


@pytest.mark.parametrize("name", NAMES)
def test_fixtures_have_titles_of_their_own(name: str, regenerate: bool) -> None:
    cases = fixture_cases.read(FOLDER, name, SplitCase)
    if regenerate:
        fixture_cases.write(FOLDER, name, cases)
    assert len({case.title for case in cases}) == len(cases)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_query_is_split_as_written(case: SplitCase, regenerate: bool) -> None:
    if not regenerate:
        assert case.found() == case.expected


@pytest.mark.parametrize("case", AT_BOUNDARIES, ids=str)
def test_increments_give_the_answers_of_the_reference(case: SplitCase, tmp_path: Path) -> None:
    query = case.query()
    _skip_if_refused(case)
    data = sample.nearly_in_order(sample.DATA)
    expected = without_empty(sample.answers(query, sample.decided(query.plan), data))
    assert expected, "the sample data show nothing"
    net = NetRun(tmp_path, sample.catalog(), sample.reference(data), sample.engine(), query, incremental=True)
    assert without_empty(net.run(BATCHES)) == expected


def _skip_if_refused(case: SplitCase) -> None:
    settings = [Setting(wanted=Site.DUCKDB, strategy=s) for s in (Strategy.REEVALUATE, Strategy.INCREMENTAL)]
    refused = [refusal for setting in settings if (refusal := compile(case.query(), setting).refusal)]
    if refused:
        pytest.skip(f"only Spark runs it: {refused[0]}")
