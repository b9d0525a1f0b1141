"""Sources on a real Spark: whatever is in a file, the stream goes on; what cannot be read at all is a clear error."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from datacell.algebra import types
from datacell.algebra.definitions import StreamColumn, StreamDefinition
from datacell.cell.cell import Cell
from datacell.engines.reasons import explained
from datacell.errors import DataCellError, SourceError
from datacell.receptors.sources import open_source, waiting_bytes

pytestmark = pytest.mark.spark

COLUMNS = "ts TIMESTAMP, i INT, s STRING, d DOUBLE"
GOOD = b"2020-01-01T00:00:00Z,1,a,1.5\n"
BAD_CSV = {
    "too many fields": b"2020-01-01T00:00:00Z,1,a,1.5,9\n",
    "too few": b"2020-01-01T00:00:00Z,1\n",
    "binary": b"\x00\x00\xff,\x00\x01\x7fPK\x03\x04\n",
    "ten megabytes": b"x" * 10_000_000 + b"\n",
    "commas": b"," * 100_000 + b"\n",
    "not UTF-8": b"2020-01-01T00:00:00Z,1,\xff\xfe,1.5\n",
    "no such day": b"2020-02-31T00:00:00Z,1,a,1.5\n",
    "year out of Spark's range": b"999999-01-01T00:00:00Z,1,a,1.5\n",
    "year out of anybody's range": b"+12000-01-01T00:00:00Z,1,a,1.5\n",
    "number out of range": b"2020-01-01T00:00:00Z,99999999999,a,1.5\n",
    "no number": b"2020-01-01T00:00:00Z,1,a,abc\n",
    "open quote": b'2020-01-01T00:00:00Z,1,"a,1.5\n',
}
BAD_JSON = {
    "binary": b"\x00\x00\xff\n",
    "ten megabytes": b"x" * 10_000_000 + b"\n",
    "commas": b"," * 100_000 + b"\n",
    "deep": b"[" * 100_000 + b"\n",
    "not UTF-8": b'{"s": "\xff\xfe"}\n',
    "year out of range": b'{"ts": "999999-01-01T00:00:00Z"}\n',
    "number out of range": b'{"i": 99999999999}\n',
    "wrong type": b'{"i": "x"}\n',
    "open": b'{"i": 1, "s": "a\n',
    "no object": b"12\n",
}


def _read(cell: Cell, options: str, columns: str = COLUMNS) -> list[tuple[object, ...]]:
    cell.sql(f"CREATE STREAM s ({columns}) WITH ({options})")
    cell.run(once=True)
    return _rows(cell, "s")


def _rows(cell: Cell, table: str) -> list[tuple[object, ...]]:
    answer = cell.sql(f"SELECT * FROM {table}")
    assert answer is not None
    return [tuple(row.values()) for row in answer]


def _rejected(cell: Cell) -> list[tuple[str, str]]:
    return [(str(reason), str(row)) for _, reason, row in _rows(cell, "s__rejected")]


def test_no_line_of_csv_stops_a_stream(cell: Cell, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(GOOD.join([b"", *BAD_CSV.values(), b""]))
    taken = _read(cell, f"format = 'csv', path = '{tmp_path}/in.csv'")
    rejected = _rejected(cell)
    assert len(taken) == len(BAD_CSV) + 1
    assert {row[1:] for row in taken} == {(1, "a", 1.5)}
    assert len(rejected) == len(BAD_CSV)
    assert max(len(row) for _, row in rejected) == 400
    assert ("it cannot be parsed", "2020-01-01T00:00:00Z,1") in rejected
    assert "ts is out of range: years 1 to 9999" in {reason for reason, _ in rejected}


@pytest.mark.parametrize("header", ["false", "true"])
def test_bounds_that_a_stream_sets_reject_lines_and_stop_nothing(cell: Cell, tmp_path: Path, header: str) -> None:
    """A value may have ten characters; a line may have more, and so may one that is quoted with separators in it."""
    texts = ["a" * 10, "b" * 11, '"c,c,c"', "d,d,d,d,d,d"]
    lines = ["s,i", *(f"{text},{n}" for n, text in enumerate(texts))]
    (tmp_path / "in.csv").write_text("\n".join(lines[header == "false" :]) + "\n")
    bounds = "maxCharsPerColumn = '10', maxcolumns = '4'"
    found = _read(cell, f"format = 'csv', path = '{tmp_path}', header = '{header}', {bounds}", "s STRING, i INT")
    assert sorted(found, key=str) == [("a" * 10, 0), ("c,c,c", 2)]
    rejected = cell.sql("SELECT reason, `row` FROM s__rejected ORDER BY `row`")
    assert rejected is not None
    assert [row["row"] for row in rejected] == ["b" * 11 + ",1", "d,d,d,d,d,d,3"]


def test_no_line_of_json_stops_a_stream(cell: Cell, tmp_path: Path) -> None:
    good = b'{"ts": "2020-01-01T00:00:00Z", "i": 1, "s": "a", "d": 1.5, "more": 7}\n'
    (tmp_path / "in.json").write_bytes(good.join([b"", *BAD_JSON.values(), b""]))
    assert len(_read(cell, f"format = 'json', path = '{tmp_path}/in.json'")) == len(BAD_JSON) + 1
    assert len(_rejected(cell)) == len(BAD_JSON)


def test_headers_are_read_by_name_and_never_swapped(cell: Cell, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text('s,extra,i\n"say ""hi""",9,1\n')
    (tmp_path / "in" / "b.csv").write_text("i,s,extra\n2,two,9\n")
    (tmp_path / "in" / "c.csv").write_text("S,EXTRA,I\n,9,3\n")
    taken = _read(cell, f"format = 'csv', path = '{tmp_path}/in', header = 'true'", "i INT, s STRING")
    assert sorted(taken, key=str) == [(1, 'say "hi"'), (3, None)]
    assert [reason for reason, _ in _rejected(cell)] == ["its file has the header i, s, extra"]


def test_other_separators_pass_through(cell: Cell, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("# a comment\n1;'x;y'\n\n2;NIL\n")
    options = f"format = 'csv', path = '{tmp_path}/in.csv', sep = ';', quote = '''', nullValue = 'NIL', comment = '#'"
    assert _read(cell, options, "i INT, s STRING") == [(1, "x;y"), (2, None)]


def test_constraints(cell: Cell, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("1,1\n,1\n1,\n1,-1\n")
    taken = _read(cell, f"format = 'csv', path = '{tmp_path}/in.csv'", "i INT NOT NULL, d DOUBLE CHECK (d >= 0)")
    assert taken == [(1, 1.0), (1, None)]
    assert _rejected(cell) == [("i is NULL", '{"d":1.0}'), ("it breaks CHECK (d >= 0)", '{"i":1,"d":-1.0}')]


def test_parquet_and_rate(cell: Cell, tmp_path: Path) -> None:
    pq.write_table(pa.table({"s": ["x", None], "i": pa.array([1, 2], pa.int32())}), tmp_path / "in.parquet")
    assert _read(cell, f"format = 'parquet', path = '{tmp_path}/in.parquet'", "i INT, s STRING") == [
        (1, "x"),
        (2, None),
    ]
    cell.sql(
        "CREATE STREAM r (timestamp TIMESTAMP, value BIGINT) WITH (format = 'rate-micro-batch', rowsPerBatch = '5')"
    )
    cell.start()
    first = next(cell.query("SELECT value FROM r").results(timeout=30))
    assert sorted(row["value"] for row in first) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "csv", "path": "/no/such/place"}, "cannot be opened: .*/no/such/place"),
        ({"format": "json", "path": "/no/such/place"}, "cannot be opened: .*/no/such/place"),
        ({"format": "csv"}, "needs a path"),
        ({"format": "nonsense"}, "cannot be opened: .*nonsense"),
        ({"format": "csv", "path": "/tmp", "Mode": "FAILFAST"}, "mode cannot be chosen"),
    ],
)
def test_what_cannot_be_opened(spark: SparkSession, options: dict[str, str], message: str) -> None:
    columns = (StreamColumn("i", types.INT),)
    with pytest.raises(SourceError, match=message):
        open_source(spark, StreamDefinition("s", columns, options=tuple(options.items())))


def test_a_header_that_contradicts_the_columns(cell: Cell, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("b,a\n1,2\n")
    with pytest.raises(SourceError, match="the files of stream s have the header b, a"):
        _read(cell, f"format = 'csv', path = '{tmp_path}/in.csv', header = 'true'", "a INT, c INT")


def test_a_corrupt_file_is_a_clear_error(cell: Cell, tmp_path: Path) -> None:
    (tmp_path / "in.parquet").write_bytes(b"this is no parquet file")
    with pytest.raises(DataCellError, match=r"stream s stopped: the file .*in.parquet cannot be read"):
        _read(cell, f"format = 'parquet', path = '{tmp_path}/in.parquet'", "i INT")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            "x\nCaused by: java.io.FileNotFoundException: File file:/in/a.csv does not exist\n\tat",
            "the file file:/in/a.csv is gone",
        ),
        (
            "java.io.FileNotFoundException: /in/a.csv (Permission denied)",
            "the file /in/a.csv cannot be read: Permission denied",
        ),
        ("[STREAM_FAILED] Query [x] terminated with exception: no SQLSTATE: XXKST\n more", "no"),
        ("x\nCaused by: java.lang.IllegalStateException: no\nCaused by: org.a.BError: deepest", "deepest"),
        ("An error occurred\n: o.a.S: [NO_SOURCE] There is no x. SQLSTATE: 42K02", "There is no x."),
        ("", "no reason given"),
    ],
)
def test_spark_is_quoted_in_one_line(message: str, said: str) -> None:
    assert explained(message) == said


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, 60), ({"maxFilesPerTrigger": "1"}, 30), ({"MAXFILESPERTRIGGER": "2"}, 50), ({"maxFilesPerTrigger": "9"}, 60)],
)
def test_what_waits_is_what_the_first_micro_batch_may_read(
    tmp_path: Path, options: dict[str, str], expected: int
) -> None:
    for size in (10, 30, 20):
        (tmp_path / f"{size}.json").write_bytes(bytes(size))
    assert waiting_bytes({"path": str(tmp_path), **options}) == expected


def test_what_waits_elsewhere_is_not_known(tmp_path: Path) -> None:
    assert waiting_bytes({"path": "hdfs://host/directory"}) is None
    assert waiting_bytes({"path": str(tmp_path / "*.json")}) is None
