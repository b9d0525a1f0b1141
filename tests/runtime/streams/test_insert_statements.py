"""INSERT statements: each execution of a text counts once, and what the text says."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from datacell.algebra.definitions import REASON
from datacell.errors import SqlError
from datacell.runtime.storage import files
from datacell.runtime.streams import statements
from datacell.runtime.streams.stream import RunningStream
from datacell.sql import script
from datacell.sql.statements.statement import InsertInto
from datacell.testing import HandClock
from runtime.streams.declared import NOON, UNCHECKED, Counted, rows_of, stream_of


def opened(directory: Path) -> RunningStream:
    return RunningStream(stream_of(UNCHECKED), directory, HandClock(), list, Counted())


def execute(stream: RunningStream, *numbers: int) -> None:
    """A statement for each number, which brings a row of that number."""
    for number in numbers:
        stream.execute(f"INSERT {number}", lambda n=number: rows_of(stream.definition, (NOON, n, None)))  # type: ignore[misc]


def taken(stream: RunningStream) -> list[int]:
    return list(stream.basket.rows()["k"].to_pylist())


def test_a_script_that_is_carried_out_again_inserts_nothing_twice(tmp_path: Path) -> None:
    execute(opened(tmp_path), 1, 2, 1)
    again = opened(tmp_path)
    execute(again, 1, 2, 1)
    assert taken(again) == [1, 2, 1]
    execute(again, 1, 3)
    assert taken(again) == [1, 2, 1, 1, 3]
    last = opened(tmp_path)
    execute(last, 3, 1, 1, 1, 2, 4)
    assert taken(last) == [1, 2, 1, 1, 3, 4]


def test_a_statement_that_was_not_taken_in_the_end_is_carried_out_again(tmp_path: Path) -> None:
    execute(opened(tmp_path), 1)
    progress = (tmp_path / "basket" / "progress.json").read_bytes()
    execute(opened(tmp_path), 1, 2)
    (tmp_path / "basket" / "progress.json").write_bytes(progress)  # as if the crash had come before the batch was taken
    again = opened(tmp_path)
    execute(again, 1, 3, 2)
    assert taken(again) == [1, 3, 2]
    assert len((tmp_path / "statements").read_text().splitlines()) == 3
    last = opened(tmp_path)
    execute(last, 1, 3, 2)
    assert taken(last) == [1, 3, 2]


def test_a_statement_that_fails_is_not_counted(tmp_path: Path) -> None:
    stream = opened(tmp_path)

    def failing() -> pa.Table:
        raise SqlError("no")

    with pytest.raises(SqlError):
        stream.execute("INSERT 1", failing)
    execute(stream, 1)
    assert taken(stream) == [1]
    assert stream.basket.next_number(statements.SOURCE) == 1


def test_without_a_checkpoint_every_execution_inserts() -> None:
    with files.temporary_directory() as directory:
        stream = opened(directory)
        execute(stream, 1, 1)
        assert taken(stream) == [1, 1]
        assert not (directory / "statements").exists()


def statement(text: str) -> InsertInto:
    *_, placed = script.read(f"CREATE STREAM s (a TINYINT, b STRING); CREATE TABLE t (x INT); {text}")
    assert isinstance(placed.statement, InsertInto)
    return placed.statement


def test_a_statement_is_recognised_whatever_its_blanks_and_comments() -> None:
    texts = ["INSERT INTO s VALUES (1, 'a  b')", "INSERT  INTO s -- so\n VALUES (1, /* one */ 'a  b')"]
    assert len({statement(text).query.text for text in texts}) == 1
    other = ["INSERT INTO s (a, b) VALUES (1, 'a  b')", "INSERT INTO s (b, a) VALUES (1, 'a  b')", texts[0]]
    assert len({statement(text).query.text for text in other}) == 3


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("VALUES (1, 'x')", ["a", "b", REASON]),
        ("VALUES (CAST(1 AS TINYINT), 2)", ["a", "b"]),
        ("SELECT x, 'x' FROM t", ["a", "b", REASON]),
        ("SELECT NULL, current_timestamp()", ["a", "b"]),
    ],
)
def test_a_row_says_itself_if_a_cast_loses_a_value_of_it(query: str, names: list[str]) -> None:
    assert list(statement(f"INSERT INTO s {query}").query.plan.schema.names) == names
