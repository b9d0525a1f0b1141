"""Types that Arrow can carry."""

from __future__ import annotations

import pyarrow as pa
import pytest

from datacell.algebra import types
from datacell.engines.arrow import arrow_type, readable, type_of
from datacell.errors import SqlError


@pytest.mark.parametrize(
    ("kind", "portable"),
    [
        ("variant", False),
        ("array<variant>", False),
        ("interval month", False),
        ("interval", False),
        ("time(6)", False),
        ("interval day to second", True),
        ("struct<a:decimal(10,2),b:map<string,timestamp_ntz>>", True),
        ("void", True),
    ],
)
def test_a_type_is_portable_if_arrow_can_carry_it(kind: str, portable: bool) -> None:
    found = types.of(kind)
    assert types.is_portable(found) is portable
    if portable:
        assert arrow_type(type_of(arrow_type(found))) == arrow_type(found)
        return
    with pytest.raises(SqlError, match="cannot leave Spark"):
        arrow_type(found)


def test_what_is_no_text_is_shown_as_spark_shows_it() -> None:
    broken = pa.array([b"a\xffb", None, b"ok"], pa.binary()).view(pa.string())
    table = pa.table({"n": [1, 2, 3], "c": broken, "d": ["x", "y", None]})
    assert readable(table).to_pylist() == [
        {"n": 1, "c": "a�b", "d": "x"},
        {"n": 2, "c": None, "d": "y"},
        {"n": 3, "c": "ok", "d": None},
    ]
    sound = table.drop_columns("c")
    assert readable(sound) is sound
