"""The gate and what is behind it, without Spark: conditions, late rows, INSERT statements, side outputs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from datacell.algebra import scalar, types
from datacell.algebra.definitions import REASON, StreamDefinition
from datacell.algebra.plan import Plan
from datacell.algebra.schema import Schema
from datacell.engines.arrow import arrow_schema, arrow_type
from datacell.engines.protocol import Inputs, run_once
from datacell.errors import SqlError
from datacell.runtime.storage import files
from datacell.runtime.streams import statements
from datacell.runtime.streams.gate import Gate
from datacell.runtime.streams.side_output import SideOutput
from datacell.runtime.streams.stream import RunningStream
from datacell.sql import script
from datacell.sql.statements.statement import InsertInto
from datacell.testing import HandClock, Trial
from sample import at, defined, engine

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
GUARDED = """CREATE STREAM s (ts TIMESTAMP, k INT NOT NULL, v DOUBLE CHECK (v >= 0), d DATE,
                              WATERMARK FOR ts AS ts - INTERVAL 1 SECOND)"""
UNCHECKED = "CREATE STREAM s (ts TIMESTAMP, k INT NOT NULL, d DATE, WATERMARK FOR ts AS ts)"


def stream_of(text: str, name: str = "s") -> StreamDefinition:
    found = defined(text).stream(name)
    assert found is not None
    return found


def rows_of(stream: StreamDefinition, *rows: tuple[Any, ...]) -> pa.Table:
    schema = arrow_schema(Schema(stream.fields))
    return pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)


class Counted:
    """DuckDB, and how often it was asked."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, plan: Plan, inputs: Inputs) -> pa.Table:
        self.calls += 1
        return run_once(engine(), plan, inputs)


# The gate


def test_what_a_row_must_satisfy_is_said_once_and_in_order() -> None:
    said = [(scalar.show(c.broken), c.reason) for c in Gate(stream_of(GUARDED)).conditions]
    assert said == [
        (
            "ts < CAST('0001-01-01 00:00:00+00:00' AS TIMESTAMP) "
            "OR ts > CAST('9999-12-31 23:59:59.999999+00:00' AS TIMESTAMP)",
            "ts is out of range: years 1 to 9999",
        ),
        ("ts IS NULL", "ts, its event time, is NULL"),
        ("k IS NULL", "k is NULL"),
        ("NOT coalesce(v >= 0, TRUE)", "it breaks CHECK (v >= 0)"),
        ("d < CAST('0001-01-01' AS DATE) OR d > CAST('9999-12-31' AS DATE)", "d is out of range: years 1 to 9999"),
    ]


def test_no_engine_is_asked_where_arrow_can_tell() -> None:
    stream, run = stream_of(UNCHECKED), Counted()
    rows = rows_of(stream, (NOON, 1, None), (NOON, 2, NOON.date()))
    taken, rejected = Gate(stream).check(rows, run, NOON)
    assert (taken.to_pylist(), len(rejected), run.calls) == (rows.to_pylist(), 0, 0)


def test_a_check_asks_an_engine_and_one_that_is_unknown_is_not_broken() -> None:
    stream, run = stream_of(GUARDED), Counted()
    rows = rows_of(stream, (NOON, 1, 0.5, None), (NOON, 2, None, None))
    taken, rejected = Gate(stream).check(rows, run, NOON)
    assert (taken.to_pylist(), len(rejected), run.calls) == (rows.to_pylist(), 0, 1)
    assert Gate(stream).check(rows[:0], run, NOON).rows.num_rows == 0
    assert run.calls == 1


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
        assert arrow_type(found)
        return
    with pytest.raises(SqlError, match="cannot leave Spark"):
        arrow_type(found)


# Behind the gate


INSERTING = """
    CREATE STREAM raw (ts TIMESTAMP, k INT);
    CREATE STREAM s (ts TIMESTAMP, k INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS);
    CREATE CONTINUOUS QUERY counts AS SELECT count(*) AS n FROM s [RANGE 2 SECONDS SLIDE 1 SECOND];
    INSERT INTO s SELECT * FROM raw"""


# seconds   0    1    2    3    4    5    6    7    8    9   10
# rows           *                                            *     then 1.5 again, 8.5 again
# lateness 2: watermark 8 after the row at 10; RANGE 2 SLIDE 1 shows the row at 1.5 last at 3, the one at 8.5 last at 10
def test_rows_of_a_query_that_come_too_late_are_a_side_output(tmp_path: Path) -> None:
    trial = Trial(INSERTING, directory=tmp_path)
    for second in (1.0, 10.0, 1.5, 8.5):
        trial.push("raw", [(at(second), 1)])
    stream = trial.stream("s")
    assert stream.late.rows()["ts"].to_pylist() == [at(1.5)]
    assert (stream.basket.progress.rows, stream.basket.progress.late) == (3, 1)
    again = Trial(INSERTING, directory=tmp_path).stream("s")
    assert (again.late.rows(), again.basket.progress) == (stream.late.rows(), stream.basket.progress)


def test_rows_are_rejected_without_spark_too() -> None:
    with Trial(GUARDED) as trial:
        trial.push("s", [(NOON, 1, -1.0, None), (NOON, None, 1.0, None), (NOON, 2, 2.0, None)])
        assert [(row["reason"], "-1.0" in row["row"]) for row in trial.rejected("s")] == [
            ("it breaks CHECK (v >= 0)", True),
            ("k is NULL", False),
        ]
        assert trial.stream("s").basket.progress.rows == 1


def test_a_side_output_forgets_what_a_batch_left_that_was_not_taken(tmp_path: Path) -> None:
    late = SideOutput(tmp_path / "late.arrow", pa.schema([("x", pa.int64())]))
    late.put(0, pa.table({"x": [1]}))
    late.put(1, pa.table({"x": [2]}))  # and then a crash; the next batch has the same number, but not these rows
    again = SideOutput(tmp_path / "late.arrow", late.schema)
    again.put(1, pa.table({"x": pa.array([], pa.int64())}))
    assert again.rows()["x"].to_pylist() == [1]
    assert SideOutput(tmp_path / "late.arrow", late.schema).rows()["x"].to_pylist() == [1]


# INSERT statements


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


# What is written


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
