"""The streams of the coverage suite: columns beside `ts`, and rows, which have NULLs, ties and duplicates."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any


def at(second: int) -> datetime:
    return datetime(2024, 1, 1, 0, 0, second, tzinfo=UTC)


def _local(day: int, hour: int = 0) -> datetime:
    return datetime(2024, 2, day, hour, 30)


STREAMS: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "s": (
        "a INT, b INT, c STRING, m MAP<INT, INT>",
        [
            (at(1), 1, 2, "x", [(1, 1), (2, 5)]),
            (at(2), 2, 1, "y", [(1, 2)]),
            (at(3), 1, 3, "x", []),
            (at(4), None, 1, "xy", None),
            (at(5), 3, None, None, [(3, None)]),
            (at(6), 2, 2, "Y", [(2, 2)]),
        ],
    ),
    "r": (
        "a INT, b INT, d STRING, e DOUBLE, l ARRAY<INT>, st STRUCT<x: INT, y: STRING>",
        [
            (at(1), 1, 1, "p", 1.5, [1, 2], {"x": 1, "y": "u"}),
            (at(2), 1, 3, "q", 2.5, [], {"x": 2, "y": None}),
            (at(3), 2, 2, None, None, None, None),
            (at(4), None, 4, "p", 4.0, [3], {"x": 1, "y": "u"}),
            (at(5), 4, 1, "x", 0.5, [1, None], {"x": None, "y": "v"}),
        ],
    ),
    "emp": (
        "id INT, emp_name STRING, hiredate DATE, salary DOUBLE, dept_id INT",
        [
            (at(1), 100, "emp 1", date(2005, 1, 1), 100.0, 10),
            (at(2), 100, "emp 1", date(2005, 1, 1), 100.0, 10),
            (at(3), 200, "emp 2", date(2003, 1, 1), 200.0, 10),
            (at(4), 300, "emp 3", date(2002, 1, 1), 300.0, 20),
            (at(5), 400, "emp 4", date(2005, 1, 1), 400.0, 30),
            (at(6), 500, "emp 5", date(2001, 1, 1), 400.0, None),
            (at(7), 600, "emp 6 - no dept", date(2001, 1, 1), 400.5, 100),
            (at(8), 700, None, None, None, 70),
        ],
    ),
    "dept": (
        "dept_id INT, dept_name STRING, state STRING",
        [
            (at(1), 10, "dept 1", "CA"),
            (at(2), 20, "dept 2", "NY"),
            (at(3), 30, "dept 3", "TX"),
            (at(4), 40, "dept 4 - unassigned", "OR"),
            (at(5), 70, "dept 7", None),
            (at(6), None, "nowhere", "CA"),
        ],
    ),
    "n": (
        "ta STRING, tb SMALLINT, tc INT, td BIGINT, te FLOAT, tf DOUBLE, tg DECIMAL(10, 2), th TIMESTAMP_NTZ,"
        " ti DATE, tj BOOLEAN, tk TINYINT, tl BINARY, tm DECIMAL(38, 10)",
        [
            (
                at(1),
                "val1a",
                6,
                8,
                10,
                15.0,
                20.0,
                Decimal("2000.00"),
                _local(4, 1),
                date(2014, 4, 4),
                True,
                1,
                b"a",
                Decimal("1.5"),
            ),
            (
                at(2),
                "val1b",
                8,
                16,
                19,
                17.0,
                25.0,
                Decimal("2600.25"),
                _local(5, 2),
                date(2014, 5, 4),
                False,
                -1,
                b"b",
                Decimal("-12345678901234567890.0123456789"),
            ),
            (
                at(3),
                "val1a",
                16,
                12,
                21,
                15.0,
                20.0,
                Decimal("2000.50"),
                _local(6, 3),
                date(2014, 6, 4),
                None,
                7,
                b"",
                None,
            ),
            (at(4), None, None, None, None, None, None, None, None, None, True, None, None, Decimal("0")),
            (
                at(5),
                "val1c",
                8,
                16,
                19,
                float("nan"),
                float("-inf"),
                Decimal("0.00"),
                _local(5, 2),
                date(2014, 5, 5),
                True,
                127,
                b"\x00\xff",
                Decimal("3.0000000001"),
            ),
            (
                at(6),
                "val1d",
                None,
                16,
                22,
                17.0,
                25.0,
                Decimal("-26.10"),
                None,
                None,
                False,
                -128,
                b"ab",
                Decimal("1.5"),
            ),
            (
                at(7),
                "val1b",
                8,
                16,
                19,
                17.0,
                25.0,
                Decimal("2600.25"),
                _local(5, 2),
                date(2014, 5, 4),
                False,
                -1,
                b"b",
                Decimal("2"),
            ),
        ],
    ),
    "w": (
        "val INT, val_long BIGINT, val_double DOUBLE, val_date DATE, cate STRING",
        [
            (at(1), None, None, None, None, "a"),
            (at(2), 1, 1, 1.0, date(2017, 8, 1), "a"),
            (at(3), 1, 2, 2.5, date(2017, 8, 2), "a"),
            (at(4), 2, 2147483650, 100.001, date(2020, 12, 31), "a"),
            (at(5), 1, None, 1.0, date(2017, 8, 1), "b"),
            (at(6), 2, 3, 3.3, date(2017, 8, 3), "b"),
            (at(7), 3, 2147483650, 100.001, date(2020, 12, 31), "b"),
            (at(8), None, None, None, None, None),
            (at(9), 3, 1, 1.0, date(2017, 8, 1), None),
        ],
    ),
    "k": (
        "a INT, c STRING COLLATE UTF8_LCASE, st STRUCT<x: STRING COLLATE UTF8_LCASE, y: INT>,"
        " l ARRAY<STRING COLLATE UNICODE_CI>",
        [
            (at(1), 1, "x", {"x": "A", "y": 1}, ["p", "P"]),
            (at(2), 2, "X", {"x": "a", "y": 2}, ["q"]),
            (at(3), 3, "y", None, None),
            (at(4), 4, None, {"x": None, "y": 2}, []),
            (at(5), 5, "Y", {"x": "b", "y": 2}, ["P", "q"]),
        ],
    ),
}
