"""The tables of the conformance cases: small, and full of what engines treat differently."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa

from datacell.algebra.schema import Schema
from datacell.engines.arrow import arrow_schema
from datacell.sql.catalog import Catalog
from sample import defined

_NAN, _INF = float("nan"), float("inf")
Rows = list[tuple[Any, ...]]

_DEFINITIONS = """
    create table numbers (id int, i int, j int, n bigint, y tinyint, f float, v double, w double, p decimal(10,2),
                          q decimal(5,1), b boolean);
    create table texts (id int, s string, u string, k int);
    create table times (id int, d date, e date, ts timestamp, us timestamp, z timestamp_ntz, k int);
    create table rows (id int, g string, i int, j int, v double, w double, p decimal(10,2), s string, b boolean, d date,
                       ts timestamp);
    create table t (a int, b int, s string);
    create table u (a int, c int, r string);
    create table nothing (a int, b int, s string);
"""


def _day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def instant(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


def _wall(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


D = Decimal

_ROWS: dict[str, Rows] = {
    "numbers": [
        (1, 7, 2, 10, 1, 1.5, 2.5, 0.5, D("10.25"), D("3.5"), True),
        (2, -7, 2, -10, -1, -0.5, -2.5, -0.0, D("-10.25"), D("0.0"), False),
        (3, 0, 0, 0, 0, 0.0, 0.0, 0.0, D("0.00"), D("-0.1"), None),
        (4, None, 3, None, None, None, None, None, None, None, True),
        (5, 100, -3, 2**40, 127, 0.1, _NAN, 1.0, D("99999999.99"), D("9999.9"), False),
        (6, 5, None, -(2**40), 5, _INF, _INF, -_INF, D("0.01"), None, None),
        (7, 1, 1, 1, 1, 1.0, 1.0, 1.0, D("1.00"), D("1.0"), True),
    ],
    "texts": [
        (1, "abc", "b", 2),
        (2, "ABC abc", "abc", -2),
        (3, "", "", 0),
        (4, None, "x", 1),
        (5, "a,b,,c", ",", 3),
        (6, "naïve ß 日本", "日", -1),
        (7, " pad ", " ", None),
        (8, "100%_x", "%", 9),
        (9, "it's\\n", "'", 1),
        (10, "12", "3.5", 4),
    ],
    "times": [
        (
            1,
            _day("2024-03-31"),
            _day("2024-02-29"),
            instant("2024-03-31 00:59:59.999999"),
            instant("2024-03-31 02:00:00"),
            _wall("2024-03-31 02:30:00"),
            1,
        ),
        (
            2,
            _day("2024-10-27"),
            _day("2024-10-27"),
            instant("2024-10-27 01:30:00"),
            instant("2024-10-27 00:30:00"),
            _wall("2024-10-27 02:30:00"),
            -1,
        ),
        (
            3,
            _day("1969-12-31"),
            _day("1970-01-01"),
            instant("1969-12-31 23:59:59.5"),
            instant("1970-01-01 00:00:00"),
            _wall("1969-12-31 23:59:59.5"),
            13,
        ),
        (4, None, None, None, None, None, None),
        (
            5,
            _day("2024-01-31"),
            _day("2023-01-31"),
            instant("2024-12-30 12:34:56.123456"),
            instant("2021-01-03 23:59:59"),
            _wall("2021-01-03 00:00:00"),
            0,
        ),
    ],
    "rows": [
        (1, "a", 1, 2, 1.0, 2.0, D("1.50"), "x", True, _day("2024-01-01"), instant("2024-01-01 00:00:00")),
        (2, "a", 3, 2, 2.5, 1.0, D("-2.25"), "y", False, _day("2023-01-01"), instant("2023-01-01 12:00:00")),
        (3, "a", 3, None, 0.1, 4.0, D("7.10"), "Z", True, None, None),
        (4, "a", None, 5, None, None, None, None, None, _day("2024-06-01"), instant("2024-06-01 00:00:00")),
        (5, "one", 42, 1, 7.25, 3.0, D("9.99"), "é", True, _day("2020-02-29"), instant("2020-02-29 23:59:59")),
        (6, "null", None, None, None, None, None, None, None, None, None),
        (7, "null", None, None, None, None, None, None, None, None, None),
        (8, None, -5, 5, -1.5, 0.5, D("0.00"), "", False, _day("1970-01-01"), instant("1970-01-01 00:00:00")),
        (9, None, 5, 5, 1.5, 0.5, D("0.01"), "a", False, _day("1970-01-02"), instant("1970-01-02 00:00:00")),
        (10, "same", 2, 2, 3.0, 3.0, D("2.00"), "s", True, _day("2024-03-31"), instant("2024-03-31 01:00:00")),
        (11, "same", 2, 2, 3.0, 3.0, D("2.00"), "s", True, _day("2024-03-31"), instant("2024-03-31 01:00:00")),
    ],
    "t": [(1, 3, "x"), (1, 4, "y"), (2, None, None), (None, 5, "x"), (3, 3, "x"), (1, 3, "x"), (None, None, "")],
    "u": [(1, 10, "x"), (2, 20, None), (None, 30, "y"), (1, 5, "z"), (4, 40, "x"), (1, 10, "x")],
    "nothing": [],
}


def catalog() -> Catalog:
    return defined(_DEFINITIONS)


def tables() -> dict[str, pa.Table]:
    known = catalog()
    return {name: _table(known, name, rows) for name, rows in _ROWS.items()}


def _table(known: Catalog, name: str, rows: Rows) -> pa.Table:
    fields = known.table(name)
    assert fields is not None
    schema = arrow_schema(Schema(fields))
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    arrays = [pa.array(list(column), f.type) for column, f in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
