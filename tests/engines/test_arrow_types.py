"""Types that Arrow can carry."""

from __future__ import annotations

import pytest

from datacell.algebra import types
from datacell.engines.arrow import arrow_type, type_of
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
