"""EXPLAIN PHYSICAL: its text stands in fixture files; JSON and Mermaid say the same."""

from __future__ import annotations

import json

import pytest

import fixture_cases
from datacell.compile import Compiled, Setting, compile
from datacell.compile.explain import Format, Stage, explain_query
from datacell.compile.feasibility import keeps_up_with
from datacell.placement.operators import Site
from datacell.placement.prediction import loads
from datacell.placement.statistics import Statistics
from datacell.placement.unit_costs import SHIPPED
from placement.placed_cases import FOLDER, PlacedCase
from sample import bind

GROUPED = "SELECT k, avg(v) AS a FROM s [RANGE 5 MINUTES SLIDE 1 SECOND] WHERE n = 1 GROUP BY k"


def compiled(known: Statistics = Statistics(), wanted: Site | None = None, sql: str = GROUPED) -> Compiled:  # noqa: B008
    return compile(bind(sql), Setting(known, SHIPPED, wanted))


@pytest.mark.parametrize("name", fixture_cases.names(FOLDER))
def test_physical_plans_are_as_written(name: str, regenerate: bool) -> None:
    cases = fixture_cases.read(FOLDER, name, PlacedCase)
    if regenerate:
        fixture_cases.write(FOLDER, name, cases)
        cases = fixture_cases.read(FOLDER, name, PlacedCase)
    for case in cases:
        assert case.found() == case.expected, case.title


def test_json_has_the_same_numbers() -> None:
    setting = Setting(Statistics({"s": 2000.0}), SHIPPED)
    (query,) = json.loads(explain_query(bind(GROUPED), Stage.PHYSICAL, Format.JSON, setting=setting))
    assert query["cost"]["feasible"]
    assert query["cost"]["total"] == pytest.approx(sum(part["cost"]["total"] for part in query["parts"]))
    for part in query["parts"]:
        assert sum(f["u"] for f in part["fragments"]) == pytest.approx(part["cost"]["total"])
        assert all(other["cost"]["total"] >= part["cost"]["total"] for other in part["beaten"])
        assert part["plan"]["engine"] in ("spark", "duckdb")


def test_mermaid_has_a_box_for_each_part() -> None:
    shown = explain_query(bind(GROUPED), Stage.PHYSICAL, Format.MERMAID, setting=Setting(units=SHIPPED))
    assert shown.startswith("flowchart BT")
    assert shown.count("subgraph") == shown.count(" end") == 3
    assert "λ" in shown


@pytest.mark.parametrize("site", list(Site))
def test_a_forced_engine_has_every_operator(site: Site) -> None:
    plan = compiled(wanted=site).physical
    assert {s for part in plan.parts for s in part.best.sites} == {site}
    free = compiled().physical
    assert free.cost.total <= plan.cost.total


def test_the_rate_that_can_be_sustained_is_just_feasible() -> None:
    fast = compiled(Statistics({"s": 1e9}))
    assert not fast.physical.cost.is_feasible
    factor = keeps_up_with(fast)
    assert 0 < factor < 1
    assert compiled(Statistics({"s": 1e9 * factor})).physical.cost.is_feasible
    assert not compiled(Statistics({"s": 1.05e9 * factor})).physical.cost.is_feasible


def test_fragments_cost_what_the_plan_does() -> None:
    for sql in (GROUPED, "SELECT soundex(c) AS x, max(x) AS m FROM r [NOW] GROUP BY soundex(c) HAVING max(x) > 2"):
        for part in compiled(sql=sql).physical.parts:
            assert sum(loads(part.root, part.best.sites, SHIPPED)) == pytest.approx(part.best.cost.total)
