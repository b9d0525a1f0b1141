"""A small catalog, small data with NULLs, duplicates, equal timestamps, disorder and gaps, and how tests ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import pyarrow as pa

from datacell.algebra.plan import Plan
from datacell.algebra.query import Query
from datacell.algebra.schema import Schema
from datacell.engines.arrow import arrow_schema
from datacell.engines.duckdb import DuckDBEngine
from datacell.rewrite.driver import fixed_point
from datacell.rewrite.rules import DECIDE, UNNEST
from datacell.sql import script
from datacell.sql.catalog import Catalog
from datacell.sql.script import defined as defined
from datacell.sql.statements.statement import CreateQuery, InsertInto, Select
from reference import Answer, Reference
from window_laws import EPOCH, Feed, Row

SCRIPT = """
CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, n INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS);
CREATE STREAM r (ts TIMESTAMP, k INT, x INT, c STRING, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS);
CREATE TABLE t (k INT, a INT, c STRING);
CREATE TABLE u (k INT, b INT);
CREATE TABLE f (k INT, a INT, c STRING) TBLPROPERTIES ('datacell.refresh' = 'never');
"""
_DECIDING = (next(rule for rule in UNNEST if rule.name == "remove_inner_order"), *DECIDE)
Values = Sequence[tuple[Any, ...]]
"""Rows by position; a stream's first value is its time in seconds."""

DATA: Mapping[str, Values] = {
    "s": [
        (0.5, 1, 1.0, 1),
        (1.5, 2, 2.5, None),
        (1.0, 1, None, 2),
        (1.5, 2, 2.5, None),
        (3.0, None, 4.0, 3),
        (9.5, 1, 0.5, 1),
        (9.5, 3, -1.5, 2),
    ],
    "r": [
        (0.5, 1, 10, "x"),
        (1.5, 1, None, "y"),
        (2.0, None, 20, None),
        (2.0, 2, 20, "x"),
        (8.0, 1, 10, "x"),
        (9.0, 3, 5, "z"),
        (9.0, 1, 10, "x"),
    ],
    "t": [(1, 1, "x"), (1, 1, "x"), (2, None, "y"), (None, 3, "x"), (3, 2, None), (4, 5, "z")],
    "f": [(1, 1, "x"), (1, 1, "x"), (2, None, "y"), (None, 3, "x"), (3, 2, None), (4, 5, "z")],
    "u": [(1, 10), (1, 20), (2, None), (None, 30), (2, 5), (2, 5)],
}


@cache
def catalog() -> Catalog:
    return defined(SCRIPT)


def bind(text: str) -> Query:
    """The one query of a text. A stream without a window is read as it is now."""
    statement = next(iter(script.read(text, catalog()))).statement
    assert isinstance(statement, Select | CreateQuery | InsertInto), text
    return statement.query


def at(seconds: float) -> datetime:
    return EPOCH + timedelta(seconds=seconds)


def reference(data: Mapping[str, Values] = DATA) -> Reference:
    feeds, tables = {}, {}
    for stream in catalog().streams.values():
        rows = [(at(values[0]), *values[1:]) for values in data[stream.name]]
        assert stream.event_time is not None
        feeds[stream.name] = Feed(stream.fields, _rows(Schema(stream.fields), rows), stream.event_time, stream.lateness)
    for name, fields in catalog().tables.items():
        tables[name] = pa.Table.from_pylist(
            _rows(Schema(fields), data.get(name, ())), schema=arrow_schema(Schema(fields))
        )
    return Reference(feeds, tables, engine())


def answers(query: Query, plan: Plan | None = None, data: Mapping[str, Values] = DATA) -> list[Answer]:
    """What the judge says, with floating-point numbers rounded to what may be compared."""
    asked = query if plan is None else replace(query, plan=plan)
    return [Answer(a.boundary, _rounded(a.rows)) for a in reference(data).answers(asked)]


def decided(plan: Plan) -> Plan:
    """The plan with every choice that SQL leaves free made as the optimizer makes it: answers can be compared."""
    return fixed_point(plan, _DECIDING)


def nearly_in_order(data: Mapping[str, Values]) -> dict[str, Values]:
    """Disorder of less than two seconds, which is the lateness that the streams allow."""
    streams = {name: sorted(data[name], key=lambda row: row[0] // 2) for name in catalog().streams}
    return {**data, **streams}


@cache
def engine() -> DuckDBEngine:
    return DuckDBEngine(threads=1)


def _rows(schema: Schema, rows: Values) -> list[Row]:
    return [dict(zip(schema.names, values, strict=True)) for values in rows]


def _rounded(rows: Counter[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    result = Counter[tuple[Any, ...]]()
    for row, count in rows.items():
        result[tuple(round(value, 9) if isinstance(value, float) else value for value in row)] += count
    return result
