"""Values that engines are known to treat differently, by type."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from conformance.data import instant
from datacell.algebra import types
from datacell.algebra.types import Type

Value = Any


_INTS = [None, 0, 1, -1, 2, 3, -3, 5, -7, 10, 100, 2**31 - 1, -(2**31)]
_DOUBLES = [None, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 7.0, 1e10, 1e19, -1e19, 1e300, 5e-324]
_DOUBLES += [float("nan"), float("inf"), float("-inf"), 2147483647.5, 0.49999999999999994, 1.005]
_TIMES = [
    "1970-01-01 00:00:00",
    "1969-12-31 23:59:59.999999",
    "1969-12-31 23:59:58.5",
    "2024-03-31 00:59:59.5",
    "2024-03-31 01:00:00",
    "2024-10-27 00:30:00",
    "2024-10-27 01:30:00",
    "2024-02-29 12:34:56.123456",
    "2021-01-03 08:00:00",
    "0001-01-01 00:00:00",
    "1582-10-10 10:10:10.01",
    "9999-12-31 23:59:59.999999",
]
_DATES = "1970-01-01 1969-12-31 2024-02-29 2023-03-31 2024-01-31 2024-12-30 2021-01-03 1900-02-28"
_DATES += " 0001-01-01 1582-10-10 9999-12-31"
_TEXTS = [
    None,
    "",
    "a",
    "b",
    "abc",
    "ABC",
    "abcabc",
    " abc ",
    "a b",
    "äöü",
    "ß",
    "İ",
    "日本語",
    "😀x",
    "e\u0301a",
    "A\tb\n",
]
_TEXTS += ["%", "_", "a%b", "a_c", "it's", "\\", "a\\b", "{0}", "Kelvin K", "x,y,z", ",", "\u00a0x"]
_READABLE = [
    "1",
    "-5",
    " 12 ",
    "1.5",
    "+7",
    "1e3",
    ".5",
    "5.",
    ".",
    "+",
    "-.",
    "NaN",
    "inf",
    "-Infinity",
    "1d",
    "2F",
    "0x10",
]
_READABLE += [
    "true",
    "Yes",
    "f",
    "N",
    " t ",
    "2024-02-29",
    "2024-02-30",
    "2024-1-5",
    "2024-02-29 12:34:56",
    "2024-02-29T12:34:56.1",
]
_READABLE += [
    "2024",
    "12:00",
    "9223372036854775808",
    "2147483648",
    "-129",
    "1_000",
    "１２",
    "1 2",
    "--1",
    "1e400",
    "1e-400",
    "\t3\n",
]
_READABLE += [
    "10000-01-01",
    "epoch",
    "infinity",
    "today",
    "0.1",
    "1.7976931348623157e308",
    "128",
    "32768",
    "- 1",
    "1e",
    "e5",
    "1f1",
]

_PRICES = "0 1 -1 2.5 -2.5 2.45 -7.35 0.01 99999999.99 -99999999.99"
_LONG_DECIMALS = "0 1 -2.5 0.000001 99999999999999999999999999999999.999999"

POOLS: dict[Type, list[Value]] = {
    types.BOOLEAN: [None, True, False],
    types.TINYINT: [None, 0, 1, -1, 3, 127, -128],
    types.SMALLINT: [None, 0, 1, -1, 3, 32767, -32768],
    types.INT: _INTS,
    types.BIGINT: [*_INTS, 2**53 + 1, 2**63 - 1, -(2**63), 1_711_846_800],
    types.FLOAT: [None, 0.0, -0.0, 1.0, -1.5, 0.5, 2.5, 0.1, 1e10, float("nan"), float("inf"), float("-inf"), 1e38],
    types.DOUBLE: _DOUBLES,
    types.decimal(10, 2): [None, *map(Decimal, _PRICES.split())],
    types.decimal(38, 6): [None, *map(Decimal, _LONG_DECIMALS.split())],
    types.STRING: _TEXTS,
    types.DATE: [None, *map(dt.date.fromisoformat, _DATES.split())],
    types.TIMESTAMP: [None, *map(instant, _TIMES)],
    types.TIMESTAMP_NTZ: [None, *map(dt.datetime.fromisoformat, _TIMES)],
    types.BINARY: [None, b"", b"a", b"\x00\xff"],
}
READABLE_TEXTS = [*_TEXTS, *_READABLE]
SMALL = [None, 0, 1, -1, 2, 3, -3, 5, 9]


_MILD_TEXTS = [text for text in _TEXTS if text is None or "\\" not in text]


def pool(t: Type, kind: str) -> list[Value]:
    """`all` of them, `readable` as numbers and times, `small` numbers, `few` texts, or `mild`: Spark never raises."""
    match kind, t:
        case "readable", types.STRING:
            return READABLE_TEXTS
        case "small", types.INT:
            return SMALL
        case "few", types.STRING:
            return [None, "", "a", "abc", "ABC", " abc ", "a b", "A%", "_b_", "xyz", "äöü", "😀x"]
        case "mild", types.STRING:
            return _MILD_TEXTS
        case "mild", _ if t in types.INTEGERS:
            return [None, 1, -1, 2, 3, -3, 5, -7, 10, 100]
        case "mild", types.DATE | types.TIMESTAMP:
            return [v for v in POOLS[t] if v is None or 1900 <= v.year < 9999]
    return POOLS[t]
