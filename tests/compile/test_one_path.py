"""What EXPLAIN shows is the object that runs: for every query of the examples and of the fixtures."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import fixture_cases
from datacell.algebra.query import Query, Timing
from datacell.algebra.schema import Schema
from datacell.compile import Compiled, Setting, compile
from datacell.compile.explain import Format, Stage, explain, explain_query
from datacell.compile.setting import statistics
from datacell.engines.arrow import arrow_schema
from datacell.engines.duckdb import DuckDBEngine
from datacell.incremental.strategy import Strategy
from datacell.placement.operators import Site
from datacell.placement.unit_costs import SHIPPED
from datacell.runtime.net.factory import Factory
from datacell.sql import script
from datacell.sql.catalog import Catalog
from datacell.sql.statements.statement import CreateQuery, InsertInto, Statement, after
from datacell.testing import Trial
from fixture_cases import FixtureCase
from incremental import split_cases
from placement import placed_cases
from sample import bind, catalog

ROOT = Path(__file__).parent.parent.parent


def _examples() -> Iterator[tuple[str, Catalog, Query]]:
    for path in sorted((ROOT / "examples").glob("*.sql")):
        known = Catalog()
        for placed in script.read(path.read_text(encoding="utf-8"), file=path.name):
            if (query := _query(placed.statement)) is not None:
                yield f"{path.name}:{placed.place.line}", known, query
            known = after(known, placed.statement)


def _query(statement: Statement) -> Query | None:
    match statement:
        case CreateQuery(_, query) | InsertInto(_, query):
            return query
    return None


def _fixtures() -> Iterator[tuple[str, Catalog, Query]]:
    cases: list[FixtureCase] = []
    for name in fixture_cases.names(split_cases.FOLDER):
        cases += fixture_cases.read(split_cases.FOLDER, name, split_cases.SplitCase)
    for name in fixture_cases.names(placed_cases.FOLDER):
        cases += fixture_cases.read(placed_cases.FOLDER, name, placed_cases.PlacedCase)
    return ((str(case), catalog(), case.query()) for case in cases)


CASES = [case for case in (*_examples(), *_fixtures()) if case[2].timing is not Timing.ONCE]
ENGINE = DuckDBEngine(threads=1)


def running(known: Catalog, query: Query, strategy: Strategy) -> Factory:
    """The query as a factory of a net."""
    tables = {name: arrow_schema(Schema(fields)).empty_table() for name, fields in known.tables.items()}
    trial = Trial(engine=ENGINE, strategy=strategy, tables=tables)
    trial.catalog = known
    for stream in known.streams.values():
        trial.add_stream(stream)
    return trial.add_query("q", query)


@pytest.mark.parametrize("strategy", list(Strategy), ids=lambda s: s.value)
@pytest.mark.parametrize(("known", "query"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_explained_runs(known: Catalog, query: Query, strategy: Strategy) -> None:
    factory = running(known, query, strategy)
    compiled, described = factory.compiled, dict(factory.compiled.evaluation.named())
    prepared = {one.name: one.plan for one in factory.plans.prepared()}
    assert prepared.keys() == described.keys()
    assert all(prepared[name] is described[name] for name in prepared)
    assert all(prepared[placed.part.name] is placed.part.plan for placed in compiled.physical.parts)
    setting = Setting(statistics(known.streams.values()), SHIPPED, Site(ENGINE.name), strategy)
    for stage in Stage:
        assert explain(compiled, stage, Format.TEXT) == explain_query(query, stage, Format.TEXT, setting)


def compiled(sql: str, wanted: Site | None = None) -> Compiled:
    return compile(bind(sql), Setting(units=SHIPPED, wanted=wanted))


def test_every_stage_is_there() -> None:
    found = compiled("SELECT k, avg(v) AS a FROM s [RANGE 5 MINUTES SLIDE 1 SECOND] GROUP BY k HAVING k > 1")
    assert found.logical.plan != found.optimized.plan
    assert found.evaluation.strategy == "incremental"
    assert [part.part.name for part in found.physical.parts] == ["relation 1", "answer"]


def test_an_engine_that_is_asked_for_and_refuses_says_so() -> None:
    found = compiled("SELECT soundex(c) AS x FROM r [RANGE 5 MINUTES SLIDE 1 SECOND]", Site.DUCKDB)
    assert found.site is Site.SPARK
    assert found.refusal.startswith("not on DuckDB: ")
    assert {site for part in found.physical.parts for site in part.best.sites} == {Site.SPARK}


STAGES = {"rewrite": "rewrite", "split": "incremental.split", "lift": "incremental.lift", "place": "placement.logical"}


def test_nothing_else_puts_the_stages_together() -> None:
    """Two of them in one module would be a second path; `optimizer-time` measures the stages one by one."""
    for path in sorted((ROOT / "src" / "datacell").rglob("*.py")):
        room = path.relative_to(ROOT / "src" / "datacell").parts[0]
        if room in ("compile", "rewrite", "incremental", "placement") or path.stem == "optimizer_time":
            continue
        imported = {
            node.module or ""
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom)
        }
        found = {stage for stage, name in STAGES.items() if any(m.startswith(f"datacell.{name}") for m in imported)}
        assert len(found) <= 1, f"{path.name} has a path of its own: {', '.join(sorted(found))}"
