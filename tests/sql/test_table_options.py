"""What CREATE TABLE says to us: when it is replaced, and where its files are."""

from __future__ import annotations

import pytest

from datacell.algebra import duration
from datacell.errors import SqlError
from datacell.sql import script
from datacell.sql.catalog import Catalog
from datacell.sql.statements.statement import Refresh, SparkStatement, Statement


def only(text: str) -> Statement:
    (placed,) = script.read(text, Catalog())
    return placed.statement


@pytest.mark.parametrize(
    ("clause", "is_fixed", "interval"),
    [
        ("", False, None),
        ("TBLPROPERTIES ('datacell.refresh' = 'never')", True, None),
        ("OPTIONS ('datacell.refresh' = '10 minutes')", False, 10 * duration.MINUTE),
        ("OPTIONS ('header' 'true', 'datacell.refresh' '1 hour')", False, 60 * duration.MINUTE),
    ],
)
def test_a_table_says_when_it_is_replaced(clause: str, is_fixed: bool, interval: int | None) -> None:
    known = script.defined(f"CREATE TABLE t (k INT) USING csv {clause}").definition("T")
    assert (known.is_fixed, known.interval) == (is_fixed, interval)


def test_another_value_is_refused_where_it_stands() -> None:
    with pytest.raises(SqlError, match=r"datacell\.refresh is 'often'") as raised:
        only("CREATE TABLE t (k INT) USING csv OPTIONS ('datacell.refresh' = 'often')")
    assert raised.value.place is not None
    assert (raised.value.place.line, raised.value.place.column) == (1, 64)


@pytest.mark.parametrize(
    ("clause", "path"),
    [
        ("LOCATION 'a/b'", "a/b"),
        ("OPTIONS (path 'a')", "a"),
        ("OPTIONS (header = 'true', path = 'a')", "a"),
        ("OPTIONS ('path' = 'it''s')", "it's"),
        ("LOCATION '/a'", None),
        ("LOCATION 's3a://b/c'", None),
        ("COMMENT 'x'", None),
    ],
)
def test_a_relative_path_is_found_where_it_stands(clause: str, path: str | None) -> None:
    text = f"CREATE TABLE t (k INT) USING csv {clause}"
    statement = only(text)
    assert isinstance(statement, SparkStatement)
    if path is None:
        assert statement.path is None
    else:
        assert statement.path is not None
        start, end, found = statement.path
        assert (found, text[start], text[end - 1]) == (path, "'", "'")


def test_refresh_table_is_ours_and_other_refreshes_are_sparks() -> None:
    assert only("refresh table a.`b c`") == Refresh("a.b c")
    assert isinstance(only("REFRESH FUNCTION f"), SparkStatement)
