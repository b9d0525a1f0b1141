"""One gate: the same rows by files, by `push`, by INSERT of a table and by INSERT of a query meet the same fate."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.cell.cell import Cell
from datacell.errors import SqlError

pytestmark = pytest.mark.spark

COLUMNS = """ts TIMESTAMP, k INT NOT NULL, v DOUBLE CHECK (v >= 0 AND v <> k),
    `the "text"` STRING CHECK (`the "text"` <> 'it''s \\\\'), d DATE,
    WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS"""
SCHEMA = pa.schema(
    [
        ("ts", pa.timestamp("us", "UTC")),
        ("k", pa.int32()),
        ("v", pa.float64()),
        ('the "text"', pa.string()),
        ("d", pa.date32()),
    ]
)
START = datetime(2024, 7, 1, tzinfo=UTC)
BEYOND = 253_402_300_800_000_000
"""Microseconds: the first instant of the year 10000."""


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


FIRST: list[tuple[Any, ...]] = [
    (at(1), 1, 0.5, "a", None),
    (at(2), 2, None, None, START.date()),
    (None, 3, 0.5, "no time", None),
    (None, None, -1.0, "several reasons: the first counts", None),
    (at(3), None, 0.5, "no k", None),
    (at(4), 1, -0.25, "é" * 500, None),
    (at(5), 7, 7.0, "v is k", None),
    (at(6), 1, 1e300, "it's \\", None),
    (at(10), 1, 0.0, "", None),
]
SECOND: list[tuple[Any, ...]] = [
    (at(1.5), 5, 1.0, "late", None),
    (at(8.5), 6, 1.0, "late only because the end of the first run has closed its windows", None),
    (at(14), 6, 1.0, "not late", None),
]
WAYS = ("by_files", "by_push", "by_table", "by_query")


def table(rows: list[tuple[Any, ...]]) -> pa.Table:
    made = pa.table(
        [pa.array(column, f.type) for column, f in zip(zip(*rows, strict=True), SCHEMA, strict=True)], SCHEMA
    )
    beyond = pa.array([BEYOND], pa.int64()).cast(pa.timestamp("us")).cast(SCHEMA.field(0).type)
    far = pa.table([beyond, *(pa.nulls(1, f.type) for f in list(SCHEMA)[1:])], schema=SCHEMA)
    return pa.concat_tables([made, far]) if rows is FIRST else made


def asked(cell: Cell, text: str) -> list[dict[str, Any]]:
    answer = cell.sql(text)
    assert answer is not None
    return answer.to_pylist()


class Ways:
    """A stream for each way in, all of them equal, with a window on each."""

    def __init__(self, cell: Cell, spark: SparkSession, directory: Path) -> None:
        self.cell, self.spark, self.directory = cell, spark, directory
        (directory / "in").mkdir()
        cell.sql("CREATE STREAM raw (ts TIMESTAMP, k INT, v DOUBLE, t STRING, d DATE)")
        for way in WAYS:
            source = f"WITH (format = 'parquet', path = '{directory}/in')" if way == "by_files" else ""
            cell.sql(f"CREATE STREAM {way} ({COLUMNS}) {source}")
            cell.query(f"SELECT count(*) AS n FROM {way} [RANGE 2 SECONDS SLIDE 1 SECOND]", name=f"counts_{way}")
        cell.sql("INSERT INTO by_query SELECT * FROM raw")

    def bring(self, name: str, rows: pa.Table) -> None:
        """The same rows in every way, and then a run."""
        pq.write_table(rows, self.directory / "in" / f"{name}.parquet")
        self.spark.read.parquet(f"{self.directory}/in/{name}.parquet").createOrReplaceTempView(f"brought_{name}")
        self.cell.push("by_push", rows)
        self.cell.push("raw", rows.rename_columns(["ts", "k", "v", "t", "d"]))
        self.cell.sql(f"INSERT INTO by_table SELECT * FROM brought_{name}")
        self.spark.catalog.dropTempView(f"brought_{name}")
        self.cell.run(once=True)

    def outcomes(self) -> Iterator[tuple[str, Any]]:
        counts = {row["stream"]: row for row in asked(self.cell, "SHOW STREAMS")}
        for way in WAYS:
            rejected = asked(self.cell, f"SELECT reason, row FROM {way}__rejected")
            late = [
                {**row, "missed_by": len(row["missed_by"])} for row in asked(self.cell, f"SELECT * FROM {way}__late")
            ]
            shown = {name: counts[way][name] for name in ("rows", "late", "rejected")}
            yield way, (rejected, late, shown)


@pytest.fixture
def ways(cell: Cell, spark: SparkSession, tmp_path: Path) -> Ways:
    return Ways(cell, spark, tmp_path)


def test_every_way_in_has_the_same_gate(ways: Ways) -> None:
    ways.bring("first", table(FIRST))
    ways.bring("second", table(SECOND))
    found = dict(ways.outcomes())
    rejected, late, counts = found["by_files"]
    assert [row["reason"] for row in rejected] == [
        "ts, its event time, is NULL",
        "ts, its event time, is NULL",
        "k is NULL",
        "it breaks CHECK (v >= 0 AND v <> k)",
        "it breaks CHECK (v >= 0 AND v <> k)",
        "it breaks CHECK (the \"text\" <> 'it\\'s \\\\')",
        "ts is out of range: years 1 to 9999",
    ]
    assert rejected[2]["row"] == '{"ts":"2024-07-01T00:00:03.000Z","v":0.5,"the \\"text\\"":"no k"}'
    assert [len(row["row"]) for row in rejected].count(400) == 1
    assert [row["ts"] for row in late] == [at(1.5), at(8.5)]
    assert counts == {"rows": 4, "late": 2, "rejected": 7}
    assert found["by_push"] == found["by_table"] == found["by_files"]
    beyond = [row for row in rejected if "out of range" not in row["reason"]]  # `raw` itself has rejected that row
    assert found["by_query"] == (beyond, late, {**counts, "rejected": 6})


def test_a_value_that_does_not_fit_its_column_is_rejected(cell: Cell, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("1,2024-07-01\nx,2024-07-01\n300,2024-07-01\n1,never\n")
    cell.sql(f"""
        CREATE STREAM by_files (n TINYINT, d DATE) WITH (format = 'csv', path = '{tmp_path}/in.csv');
        CREATE STREAM by_push (n TINYINT, d DATE);
        CREATE STREAM by_values (n TINYINT, d DATE);
        INSERT INTO by_values VALUES ('1', '2024-07-01'), ('x', '2024-07-01'), (300, '2024-07-01'), (1, 'never');
        INSERT INTO by_values SELECT 128.5D, NULL;
        INSERT INTO by_values SELECT 127.5D, NULL""")
    for row in [("x", None), (300, None), (1, "never")]:
        with pytest.raises(SqlError, match="nothing was pushed"):
            cell.push("by_push", [(1, None), row])
    cell.run(once=True)
    rejected = [asked(cell, f"SELECT reason, row FROM {way}__rejected") for way in ("by_files", "by_push", "by_values")]
    assert [[row["reason"] for row in rows] for rows in rejected] == [
        ["it cannot be parsed"] * 3,
        [],
        ["n is no tinyint", "n is no tinyint", "d is no date", "n is no tinyint"],
    ]
    assert [row["n"] for row in asked(cell, "SELECT n FROM by_values")] == [1, 127]
    assert rejected[2][1]["row"] == '{"d":"2024-07-01"}'


def test_values_are_inserted_before_a_run_during_one_and_after_it(cell: Cell, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("0\n")
    cell.sql(f"""
        CREATE STREAM s (i INT) WITH (format = 'csv', path = '{tmp_path}/in.csv');
        CREATE STREAM p (i INT);
        INSERT INTO s VALUES (1); INSERT INTO p VALUES (1)""")
    found = {name: cell.query(f"SELECT i FROM {name}") for name in "sp"}
    cell.start()
    cell.sql("INSERT INTO s VALUES (2), (3); INSERT INTO p (i) SELECT i + 1 FROM (VALUES (1), (2)) AS t (i)")
    results = found["s"].results(timeout=30)
    seen: list[int] = []
    while len(seen) < 4:
        seen += [row["i"] for row in next(results)]
    assert sorted(seen) == [0, 1, 2, 3]
    cell._halt()
    cell.sql("INSERT INTO p VALUES (4)")
    cell.run(once=True)
    assert [row["i"] for result in found["p"].results() for row in result] == [1, 2, 3, 4]
    assert asked(cell, "SELECT count(*) AS n FROM p__rejected") == [{"n": 0}]


def test_a_script_goes_on_from_its_checkpoint_and_inserts_nothing_twice(spark: SparkSession, tmp_path: Path) -> None:
    script = """CREATE STREAM s (i INT, at TIMESTAMP);
                CREATE STREAM copy (i INT, at TIMESTAMP);
                CREATE CONTINUOUS QUERY sums AS SELECT sum(i) AS n FROM copy [ROWS 1 SLIDE 1];
                INSERT INTO copy SELECT * FROM s;
                INSERT INTO s VALUES (1, NULL); INSERT INTO s VALUES (1, NULL);
                INSERT INTO s VALUES (2, current_timestamp());"""
    for more, expected in (
        ("", [1, 1, 2]),
        ("INSERT INTO s VALUES (1, NULL); INSERT INTO s (i) VALUES (3)", [1, 1, 2, 1, 3]),
    ):
        cell = datacell.connect(tmp_path / "state", spark=spark)
        cell.sql(script + more)
        cell.run(once=True)
        counts = {row["stream"]: row["rows"] for row in asked(cell, "SHOW STREAMS")}
        assert counts == {"s": len(expected), "copy": len(expected)}
        cell.stop()


def test_a_dropped_stream_remembers_no_statement_and_no_frame(cell: Cell, spark: SparkSession) -> None:
    cell.stream("s", spark.readStream.format("rate").load())
    for _ in range(2):
        cell.sql("DROP STREAM s; CREATE STREAM s (i INT); INSERT INTO s VALUES (1)")
        assert asked(cell, "SELECT i FROM s") == [{"i": 1}]
    cell.push("s", [(2,)])
    cell.run(once=True)
    assert asked(cell, "SELECT i FROM s") == [{"i": 1}, {"i": 2}]


def test_a_frame_with_a_type_that_no_stream_can_hold(cell: Cell, spark: SparkSession) -> None:
    frame = spark.readStream.format("rate").load().selectExpr("parse_json('1') AS v")
    with pytest.raises(SqlError, match="column v of the frame is variant, which stream s cannot hold"):
        cell.stream("s", frame)


def test_a_query_whose_values_leave_spark_as_text_and_one_without_a_stream(cell: Cell) -> None:
    cell.sql("CREATE STREAM s (t STRING)")
    variants = cell.query("SELECT parse_json(t) AS v FROM s")
    cell.push("s", [{"t": '{"a": 1}'}])
    cell.run(once=True)
    assert [row for result in variants.results() for row in result.to_arrow().to_pylist()] == [{"v": '{"a":1}'}]
    with pytest.raises(SqlError, match="this query reads no stream"):
        cell.query("VALUES (1)")
