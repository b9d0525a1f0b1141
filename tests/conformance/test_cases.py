"""Every case: its written answer, Spark's, and DuckDB's or the reason why DuckDB is not asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pyarrow as pa
import pytest

from conformance import cases, data, values
from conformance.cases import Case, CaseFile
from datacell.algebra.plan import Order, Plan
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import run_once
from datacell.engines.spark import SparkEngine
from datacell.errors import EngineError
from datacell.sql import script
from datacell.sql.statements.statement import Select

_AGGREGATE_DIGITS = 12
_TABLES = data.tables()
_CATALOG = data.catalog()


@pytest.fixture(scope="module")
def duckdb_engine() -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine()
    yield engine
    engine.close()


@pytest.mark.spark
@pytest.mark.parametrize("name", [f.name for f in cases.files()])
def test_cases(name: str, spark_engine: SparkEngine, duckdb_engine: DuckDBEngine, regenerate: bool) -> None:
    """One Spark query for all expressions of a file."""
    found = cases.read(cases.FOLDER / f"{name}.txt")
    answers = _on_spark(found, spark_engine)
    told = [
        Case(case.sql, answer, _on_duckdb(found, case, answer, duckdb_engine))
        for case, answer in zip(found.cases, answers, strict=True)
    ]
    if regenerate:
        cases.write(replace(found, cases=tuple(told)))
        found = replace(found, cases=tuple(told))
    assert [str(case) for case in told] == [str(case) for case in found.cases]


def _on_spark(found: CaseFile, engine: SparkEngine) -> list[tuple[str, ...]]:
    if found.form == "query":
        return [_lines(found, _plan(case.sql), run_once(engine, _plan(case.sql), _TABLES)) for case in found.cases]
    plan = _plan(_together(found, [case.sql for case in found.cases]))
    answer = run_once(engine, plan, _TABLES)
    return [_lines(found, plan, answer.select([0, i])) for i in range(1, len(found.cases) + 1)]


def _on_duckdb(found: CaseFile, case: Case, answer: tuple[str, ...], engine: DuckDBEngine) -> str:
    plan = _plan(case.sql if found.form == "query" else _together(found, [case.sql]))
    refused = engine.refusals(plan)
    if refused:
        return f"refused: {'; '.join(refused)}"
    try:
        given = _lines(found, plan, run_once(engine, plan, _TABLES))
    except EngineError:
        return "raises"
    return "agrees" if given == answer else f"DISAGREES: {' | '.join(given)}"


def _together(found: CaseFile, expressions: list[str]) -> str:
    listed = ", ".join(f"{e} AS x{i}" for i, e in enumerate(expressions))
    key, grouped = ("g", " GROUP BY g") if found.form == "group" else ("id", "")
    return f"SELECT {key}, {listed} FROM {found.table}{grouped}"


def _lines(found: CaseFile, plan: Plan, answer: pa.Table) -> tuple[str, ...]:
    """Rows of a query in their order if it has one, else sorted; values of an expression in one line."""
    digits = None if found.form == "row" else _AGGREGATE_DIGITS
    if found.form == "query":
        lines = values.rows(answer, digits)
        return tuple(lines if isinstance(plan, Order) else sorted(lines))
    by_key = sorted(
        zip(*(c.to_pylist() for c in answer.columns), strict=True), key=lambda row: (row[0] is not None, row[0])
    )
    return (", ".join(values.show(value, digits) for _, value in by_key),)


@cache
def _plan(sql: str) -> Plan:
    (placed,) = script.read(sql, _CATALOG)
    assert isinstance(placed.statement, Select)
    return placed.statement.query.plan


def test_nothing_disagrees() -> None:
    assert [str(case) for found in cases.files() for case in found.cases if "DISAGREES" in case.duckdb] == []
