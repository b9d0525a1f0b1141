"""Spooled streams on a real Spark: every value arrives as it was pushed, nothing acknowledged is lost."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.algebra.definitions import StreamDefinition
from datacell.cell.cell import Cell
from datacell.errors import SqlError
from datacell.receptors.spool import Spool
from datacell.tools import sensor

pytestmark = pytest.mark.spark

_COLUMNS = """b BOOLEAN, t TINYINT, sm SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, s STRING, x BINARY, day DATE,
    ts TIMESTAMP, ntz TIMESTAMP_NTZ, dec DECIMAL(38, 18), arr ARRAY<STRING>, m MAP<STRING, DOUBLE>,
    st STRUCT<a: INT, b: ARRAY<INT>>"""
_NOON = dt.datetime(2024, 7, 1, 12, 0, 0, 123456)
_ROWS = [
    (
        True, -128, 32767, -(2**31), 2**63 - 1, 0.1, 1e308, 'é\n"\\\x00', b"\x00\xff", dt.date(1, 1, 1),
        _NOON.replace(tzinfo=dt.UTC), _NOON, Decimal("12345678901234567890.123456789012345678"),
        ["", None], [("k", None)], {"a": None, "b": [1, None]},
    ),
    (
        False, 0, 0, 0, 0, -0.0, math.nan, "", b"", dt.date(9999, 12, 31),
        dt.datetime(1, 1, 1, tzinfo=dt.UTC), dt.datetime(1582, 10, 10), Decimal("-0.000000000000000001"),
        [], [], {"a": 1, "b": []},
    ),
    (None,) * 16,
]  # fmt: skip


def _table(cell: Cell, text: str) -> pa.Table:
    answer = cell.sql(text)
    assert answer is not None
    return answer.to_arrow()


def test_every_type_makes_the_round_trip(cell: Cell) -> None:
    cell.sql(f"CREATE STREAM s ({_COLUMNS})")
    assert cell.push("s", _ROWS) == 3
    cell.run(once=True)
    arrived = _table(cell, "SELECT * FROM s")
    names = arrived.schema.names
    expected = pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in _ROWS], arrived.schema)
    assert repr(arrived.to_pylist()) == repr(expected.to_pylist())
    assert cell.push("s", arrived) == 3
    cell.run(once=True)
    assert repr(_table(cell, "SELECT * FROM s").to_pylist()) == repr(arrived.to_pylist() * 2)


def test_nothing_of_a_wrong_push_is_taken(cell: Cell) -> None:
    cell.sql("CREATE STREAM s (i INT NOT NULL)")
    with pytest.raises(SqlError, match=r"a value of s.i is no int"):
        cell.push("s", [(1,), ("x",)])
    cell.push("s", [(2,), (None,)])
    cell.run(once=True)
    assert _table(cell, "SELECT * FROM s").to_pydict() == {"i": [2]}
    assert _table(cell, "SELECT reason FROM s__rejected").to_pydict() == {"reason": ["i is NULL"]}


def test_a_name_is_never_used_twice(tmp_path: Path) -> None:
    stream = StreamDefinition("s", ())
    names = []
    for _ in range(3):
        Spool(stream, tmp_path).append(b"x")
        names += [path.name for path in tmp_path.glob("[0-9]*")]
        for path in tmp_path.glob("[0-9]*"):
            path.unlink()
    assert len(set(names)) == 3


def test_lines_over_tcp(cell: Cell) -> None:
    cell.sql("""CREATE STREAM c (i INT, s STRING) WITH (format = 'tcp', port = '0');
                CREATE STREAM j (i INT, s STRING) WITH (format = 'tcp', port = '0', lines = 'json')""")
    csv, json = cell.query("SELECT i, s FROM c"), cell.query("SELECT i, s FROM j")
    cell.start()
    ports = [cell.works.intake.receptors[name].port or 0 for name in "cj"]
    lines = [b"1,a\n", b"\x00\xff\n", b"," * 30_000 + b"\n", b'2,"b"\r\n', b"3\n"]
    assert sensor.send("127.0.0.1", ports[0], lines).acknowledged == 5
    assert sensor.send("127.0.0.1", ports[1], [b'{"i": 1, "s": "a"}\n', b"{\n"]).acknowledged == 2
    assert next(csv.results(timeout=30)).to_pylist() == [{"i": 1, "s": "a"}, {"i": 2, "s": "b"}]
    assert next(json.results(timeout=30)).to_pylist() == [{"i": 1, "s": "a"}]
    assert len(_table(cell, "SELECT * FROM c__rejected")) == 3


def test_what_is_spooled_is_read_by_the_next_run(spark: SparkSession, tmp_path: Path) -> None:
    create = "CREATE STREAM s (i INT) WITH (format = 'tcp', port = '0')"
    for number in range(2):
        cell = datacell.connect(tmp_path / "state", spark=spark)
        cell.sql(create)
        cell.works.intake._spools["s"].append(f"{number}\n".encode())
        cell.run(once=True)
        assert _table(cell, "SELECT count(*) AS n FROM s").to_pydict() == {"n": [number + 1]}
        cell.stop()
