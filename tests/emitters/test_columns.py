"""Whole columns give the same text as value by value."""

from __future__ import annotations

import datetime as dt
import io
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datacell.emitters import columns, text
from datacell.emitters.files import WriteCsv
from datacell.engines.protocol import Csv

_MOMENTS = st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30))
_VALUES: dict[pa.DataType, st.SearchStrategy[object]] = {
    pa.bool_(): st.booleans(),
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float64(): st.floats() | st.integers(-(10**6), 10**6).map(float) | st.decimals(-999, 999, places=3).map(float),
    pa.float32(): st.floats(width=32),
    pa.string(): st.text() | st.sampled_from(["", ",", '"', "a\nb", "\\", "\x00", "é", "NULL"]),
    pa.date32(): st.dates(),
    pa.timestamp("us", tz="UTC"): _MOMENTS.map(lambda m: m.replace(tzinfo=dt.UTC)),
    pa.timestamp("us"): _MOMENTS | _MOMENTS.map(lambda m: m.replace(microsecond=0)),
    pa.decimal128(38, 18): st.decimals(-(10**15), 10**15, places=18),
    pa.binary(): st.binary(max_size=9),
    pa.duration("us"): st.timedeltas(dt.timedelta(-99), dt.timedelta(99)),
    pa.list_(pa.float64()): st.lists(st.none() | st.floats(), max_size=3),
    pa.map_(pa.string(), pa.int32()): st.dictionaries(st.text(max_size=2), st.none() | st.just(7), max_size=2).map(
        lambda d: list(d.items())
    ),
    pa.struct([("a", pa.int32()), ("b", pa.string())]): st.fixed_dictionaries(
        {"a": st.none() | st.just(1), "b": st.none() | st.text(max_size=3)}
    ),
}


@pytest.mark.parametrize("kind", _VALUES, ids=str)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_columns_are_spelled_as_their_values(kind: pa.DataType, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.none() | _VALUES[kind], max_size=6))
    table = pa.table({"a": pa.array(values, kind), 'q"é': pa.array(range(len(values)))})
    rows = text.rows(table)
    assert _together(columns.csv(table)) == "".join(text.csv_line(list(row.values())) + "\n" for row in rows)
    assert _together(columns.json(table)) == "".join(text.json_line(row) + "\n" for row in rows)


def test_a_csv_file() -> None:
    table = pa.table(
        {
            "window_end": pa.array([dt.datetime(2013, 9, 1, 0, 0, 1, tzinfo=dt.UTC)] * 3, pa.timestamp("us", tz="UTC")),
            "name": ["", None, 'say "hi", twice'],
            "load": [1.0, 1e-7, float("nan")],
            "price": pa.array([Decimal("1.50"), None, Decimal("0.01")], pa.decimal128(9, 2)),
            "tags": [["a"], None, []],
        }
    )
    file = io.BytesIO()
    WriteCsv(Csv())(file, table)
    assert file.getvalue().decode() == (
        "window_end,name,load,price,tags\n"
        '2013-09-01T00:00:01Z,"",1.0,1.50,"[""a""]"\n'
        "2013-09-01T00:00:01Z,,1e-07,,\n"
        '2013-09-01T00:00:01Z,"say ""hi"", twice",NaN,0.01,"[]"\n'
    )


def test_other_separators_are_quoted() -> None:
    assert _together(columns.csv(pa.table({"a": ["x;y", "x,y"], "b": [1, 2]}), ";")) == '"x;y";1\nx,y;2\n'


def test_years_that_python_has_not() -> None:
    far = pa.array([10**17 * 4, None], pa.int64()).cast(pa.timestamp("us", tz="UTC"))
    assert _together(columns.csv(pa.table({"t": far}))) == "14645-06-30T15:06:40Z\n\n"


def test_many_rows_come_in_blocks() -> None:
    table = pa.table({"n": range(200_000)})
    blocks = list(columns.json(table, '"__firing": 3, '))
    assert len(blocks) > 1
    assert _together(iter(blocks)).splitlines()[-1] == '{"__firing": 3, "n": 199999}'


def _together(blocks: object) -> str:
    return b"".join(bytes(block) for block in blocks).decode()  # type: ignore[attr-defined]
