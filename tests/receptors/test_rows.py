"""Rows from Python become Arrow as they are, or are refused with a reason."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from datacell.algebra import types
from datacell.algebra.definitions import StreamColumn, StreamDefinition
from datacell.errors import SqlError
from datacell.receptors.rows import to_table

_NOON = dt.datetime(2024, 7, 1, 12, tzinfo=dt.UTC)
_TOKYO = dt.timezone(dt.timedelta(hours=9))


def _stream(*columns: str) -> StreamDefinition:
    pairs = [column.split(" ", 1) for column in columns]
    return StreamDefinition("s", tuple(StreamColumn(name, types.of(kind)) for name, kind in pairs))


@pytest.mark.parametrize(
    ("kind", "given", "taken"),
    [
        ("timestamp", _NOON, _NOON),
        ("timestamp", _NOON.replace(tzinfo=None), _NOON),
        ("timestamp", _NOON.astimezone(_TOKYO), _NOON),
        ("timestamp", "2024-07-01T12:00:00Z", _NOON),
        ("timestamp", dt.date(2024, 7, 1), _NOON.replace(hour=0)),
        ("timestamp_ntz", _NOON.replace(tzinfo=None), _NOON.replace(tzinfo=None)),
        ("date", dt.date(2024, 7, 1), dt.date(2024, 7, 1)),
        ("date", "2024-07-01", dt.date(2024, 7, 1)),
        ("decimal(10,2)", Decimal("1.5"), Decimal("1.50")),
        ("decimal(10,2)", "1.5", Decimal("1.50")),
        ("decimal(10,2)", 3, Decimal("3.00")),
        ("double", 1, 1.0),
        ("double", float("inf"), float("inf")),
        ("double", np.float64(0.1), 0.1),
        ("int", "12", 12),
        ("bigint", np.int64(2**60), 2**60),
        ("string", "", ""),
        ("binary", b"\x00\xff", b"\x00\xff"),
        ("array<int>", [1, None], [1, None]),
        ("map<string,int>", [("a", 1)], [("a", 1)]),
        ("struct<a:int,b:string>", {"a": 1, "b": None}, {"a": 1, "b": None}),
    ],
)
def test_values(kind: str, given: Any, taken: Any) -> None:
    table = to_table([{"a": given}, {"a": None}], _stream(f"a {kind}"))
    assert table["a"].to_pylist() == [taken, None]


def test_nan_is_a_number_except_in_pandas() -> None:
    stream, nan = _stream("a double"), float("nan")
    assert str(to_table([(nan,)], stream)["a"].to_pylist()) == "[nan]"
    assert str(to_table(pa.table({"a": [nan, None]}), stream)["a"].to_pylist()) == "[nan, None]"
    assert to_table(pd.DataFrame({"a": [nan, 1.0]}), stream)["a"].to_pylist() == [None, 1.0]


def test_every_kind_of_rows() -> None:
    stream, expected = _stream("a int", "b string"), {"a": [1, 2], "b": ["x", None]}
    given: list[Any] = [
        [{"a": 1, "b": "x"}, {"A": 2}],
        [(1, "x"), [2, None]],
        ((n, t) for n, t in [(1, "x"), (2, None)]),
        pd.DataFrame({"b": ["x", None], "a": [1, 2]}),
        pa.table({"b": ["x", None], "a": [1, 2]}),
        pa.record_batch({"a": [1, 2], "b": ["x", None]}),
        pa.table({"a": [1, 2], "b": ["x", None]}).to_reader(),
    ]
    for rows in given:
        assert to_table(rows, stream).to_pydict() == expected
    assert len(to_table(iter(()), stream)) == 0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"a": "x"}], "a value of s.a is no int"),
        ([{"a": 2**40}], "a value of s.a is no int"),
        ([{"a": 1.5}], "a value of s.a is no int"),
        ([{"c": 1}], "stream s has no column c"),
        (pa.table({"c": [1]}), "stream s has no column c"),
        (pa.table({"a": ["x"]}), "a value of s.a is no int"),
        ([(1,)], "a row of s is a dict, or a tuple of 2: a, b"),
        (["ab"], "a row of s is a dict, or a tuple of 2: a, b"),
        ([7], "a row of s is a dict, or a tuple of 2: a, b"),
        (7, "rows of s are dicts or tuples, a pandas frame or an Arrow table; this is 7"),
    ],
)
def test_misfits(rows: Any, message: str) -> None:
    with pytest.raises(SqlError, match=message):
        to_table(rows, _stream("a int", "b string"))
