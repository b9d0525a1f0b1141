"""Every rule against its fixtures: the plans are the written ones, and before and after give the same answers."""

from __future__ import annotations

from pathlib import Path

import pytest

import datacell.rewrite
import fixture_cases
import sample
from datacell.algebra.plan import Plan
from datacell.rewrite.driver import fixed_point
from datacell.rewrite.rules import DECIDE
from rewrite.rule_cases import FOLDER, KNOWN, RuleCase

NO_RULES = {"__init__", "driver", "rules"}
CASES = [case for rule in KNOWN for case in fixture_cases.read(FOLDER, rule, RuleCase)]
FIRING = [case for case in CASES if not case.must_not_fire]


def test_every_rule_has_its_file_its_fixtures_and_its_place_in_the_order() -> None:
    modules = {path.stem for path in Path(datacell.rewrite.__path__[0]).glob("*.py")} - NO_RULES
    assert modules == set(fixture_cases.names(FOLDER)) == set(KNOWN)


@pytest.mark.parametrize("rule", KNOWN)
def test_fixtures_show_where_a_rule_fires_and_where_it_must_not(rule: str, regenerate: bool) -> None:
    cases = fixture_cases.read(FOLDER, rule, RuleCase)
    if regenerate:
        fixture_cases.write(FOLDER, rule, cases)
    assert {case.must_not_fire for case in cases} == {True, False}
    assert len({case.title for case in cases}) == len(cases)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_rule_makes_the_written_plan(case: RuleCase, regenerate: bool) -> None:
    before, after = case.plans()
    assert (after is before) == case.must_not_fire
    if not regenerate:
        assert case.found() == case.expected


@pytest.mark.parametrize("case", FIRING, ids=str)
def test_before_and_after_give_the_same_answers(case: RuleCase) -> None:
    before, after = case.plans()
    expected = sample.answers(case.query(), decided(before))
    assert any(answer.rows for answer in expected), "the sample data show nothing"
    assert sample.answers(case.query(), decided(after)) == expected


@pytest.mark.parametrize("case", [case for case in FIRING if case.file == "break_ties"], ids=str)
def test_what_is_decided_depends_on_the_rows_alone(case: RuleCase) -> None:
    _, after = case.plans()
    turned = {**sample.DATA, "t": sample.DATA["t"][::-1], "u": sample.DATA["u"][::-1]}
    assert sample.answers(case.query(), after, turned) == sample.answers(case.query(), after)


@pytest.mark.parametrize("case", [case for case in FIRING if case.file == "break_ties"], ids=str)
def test_ties_are_broken_within_what_was_free(case: RuleCase) -> None:
    """Where the engine takes the free choice upon itself, the sample data leave it none."""
    before, after = case.plans()
    if not sample.engine().refusals(before):
        assert sample.answers(case.query(), before) == sample.answers(case.query(), after)


def decided(plan: Plan) -> Plan:
    """An engine refuses what the order of its rows would decide, so the judge is asked about the decided plan."""
    return fixed_point(plan, DECIDE)
