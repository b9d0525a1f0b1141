"""The gate, without Spark: conditions, rejected rows, late rows."""

from __future__ import annotations

from pathlib import Path

from datacell.algebra import scalar
from datacell.runtime.streams.gate import Gate
from datacell.testing import Trial
from runtime.streams.declared import GUARDED, NOON, UNCHECKED, Counted, rows_of, stream_of
from sample import at


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
