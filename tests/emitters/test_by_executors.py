"""What executors write is what the driver writes, byte by byte in text and value by value in Parquet; exactly once."""

from __future__ import annotations

import datetime as dt
import math
import re
import struct
from decimal import Decimal
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from datacell.algebra.schema import Schema
from datacell.emitters import by_executors
from datacell.emitters.files import FileEmitter, Fill, WriteCsv, WriteParquet, write_json
from datacell.emitters.ownership import Claim
from datacell.engines.arrow import fields_of, shaped
from datacell.engines.protocol import Csv, Files
from datacell.engines.spark import SparkEngine, read_files, written
from datacell.engines.spelling import csv_columns
from datacell.engines.transfers import Account
from datacell.runtime.storage.output import Firing, loaded

pytestmark = pytest.mark.spark


def _doubles() -> list[float]:
    """Of every size: powers and their neighbours, whole numbers, short and long fractions, and whatever bits give."""
    chance = Random(5)
    powers = [m * 10.0**e for e in range(-20, 23) for m in (1, -2.5, 1.2345678901234567)]
    near = [f(v) for v in (1e-3, 1e-4, 1e7, 1e16) for f in (_before, float, _after)]
    bits = [struct.unpack("<d", chance.randbytes(8))[0] for _ in range(400)]
    usual = [round(chance.uniform(-1e6, 1e6), chance.randint(0, 9)) for _ in range(200)]
    sums = [sum(chance.random() for _ in range(n)) / 7 for n in range(1, 200)]
    extreme = [0.0, -0.0, 1.7976931348623157e308, 2.2250738585072014e-308, 2.0**53, 2e-3, 1e23, 2e23]
    return [*powers, *near, *bits, *usual, *sums, *extreme, math.nan, math.inf, -math.inf]


def _before(value: float) -> float:
    return math.nextafter(value, -math.inf)


def _after(value: float) -> float:
    return math.nextafter(value, math.inf)


_TEXTS = ["", " ", " a ", ",", ";", '"', '""', 'say "hi"', "a\nb", "a\r\nb", "\r", "\\", "\\n", '\\"', "a\tb", "NULL"]
_TEXTS += ["null", "é", "🙂", "\u2028", "'", "#", "#a", "{", "a,b;c", "\x01\x1f\x7f", "/", "\b\f", "0", "-", "\ufeff"]
_MOMENTS = [
    dt.datetime(2013, 9, 1, 0, 0, 1),
    dt.datetime(2013, 9, 1, 0, 0, 1, 500_000),
    dt.datetime(1969, 12, 31, 23, 59, 59, 999_999),
    dt.datetime(1970, 1, 1),
    dt.datetime(1, 1, 2, 3, 4, 5),
    dt.datetime(1500, 2, 28, 12, 0, 0, 1),
    dt.datetime(9999, 12, 30, 23, 59, 59, 999_999),
]
_DECIMALS = ["0", "0.000000000000000001", "-1.5", "99999999999999999999.999999999999999999", "100", "1e-7", "-0.1"]

COLUMNS: dict[str, pa.Array] = {
    "double": pa.array([None, *_doubles()], pa.float64()),
    "string": pa.array([None, *_TEXTS], pa.string()),
    "instant": pa.array([None, *(m.replace(tzinfo=dt.UTC) for m in _MOMENTS)], pa.timestamp("us", tz="UTC")),
    "local": pa.array([None, *_MOMENTS], pa.timestamp("us")),
    "date": pa.array([None, *(m.date() for m in _MOMENTS)], pa.date32()),
    "decimal": pa.array([None, *map(Decimal, _DECIMALS)], pa.decimal128(38, 18)),
    "price": pa.array([None, Decimal("1.50"), Decimal("-0.01"), Decimal("0.00")], pa.decimal128(9, 2)),
    "whole": pa.array([None, Decimal(0), Decimal(12)], pa.decimal128(20, 0)),
    "boolean": pa.array([None, True, False]),
    "long": pa.array([None, 0, -(2**63), 2**63 - 1], pa.int64()),
    "byte": pa.array([None, -128, 127], pa.int8()),
}
FORMS: dict[str, tuple[Fill, by_executors.Save]] = {
    "csv": (WriteCsv(Csv()), by_executors.csv(Csv())),
    "csv;": (WriteCsv(Csv(";", False)), by_executors.csv(Csv(";", False))),
    "json": (write_json, by_executors.json),
}


@pytest.mark.parametrize("form", FORMS)
def test_text_is_the_same(spark_engine: SparkEngine, tmp_path: Path, form: str) -> None:
    fill, save = FORMS[form]
    driver, executors = (
        _written(_emitter(tmp_path / home, form, fill, spark_engine.session, save), firing)
        for home, firing in (("driver", Firing(0, _table(), {})), ("executors", _on_cluster(_table(), tmp_path)))
    )
    different = [pair for pair in zip(_lines(executors), _lines(driver), strict=True) if len(set(pair)) > 1]
    assert not different


def test_parquet_has_the_same_values(spark_engine: SparkEngine, tmp_path: Path) -> None:
    save = by_executors.parquet("snappy")
    emitter = _emitter(tmp_path / "out", "parquet", WriteParquet(), spark_engine.session, save)
    emitter.deliver(_on_cluster(_table(), tmp_path))
    (part,) = (tmp_path / "out").iterdir()
    found = pq.read_table(part)
    for name, column in COLUMNS.items():
        kept = found[name].cast(column.type).combine_chunks()[: len(column)]
        assert kept.view(_bits(column.type)).equals(column.view(_bits(column.type))), name


def test_a_name_is_spelled_as_the_driver_does(spark_engine: SparkEngine, tmp_path: Path) -> None:
    odd = pa.table({'say "é", a.b': [1], "`": ["x"], "a;b": [True]})
    for form, (fill, save) in FORMS.items():
        driver, executors = (
            _written(_emitter(tmp_path / form / home, form, fill, spark_engine.session, save), firing)
            for home, firing in (("driver", Firing(0, odd, {})), ("executors", _on_cluster(odd, tmp_path / form)))
        )
        assert executors == driver


def test_what_executors_spell_differently_is_written_by_the_driver(spark_engine: SparkEngine, tmp_path: Path) -> None:
    rows = pa.table({"x": pa.array([1.23456792e8, 1e-4], pa.float32()), "tags": [["a"], None]})
    emitter = _emitter(tmp_path / "out", "csv", WriteCsv(Csv()), spark_engine.session, by_executors.csv(Csv()))
    assert _written(emitter, _on_cluster(rows, tmp_path)) == b'x,tags\n123456790.0,"[""a""]"\n0.0001,\n'


@pytest.mark.parametrize("form", [Csv(), Csv(";", False)], ids=["comma", "semicolon, no header"])
def test_csv_can_be_read_back(spark_engine: SparkEngine, tmp_path: Path, form: Csv) -> None:
    rows = _table()
    there = _on_cluster(rows, tmp_path, files=2).content
    assert isinstance(there, Files)
    frame = read_files(spark_engine.session, there, Schema(fields_of(rows.schema)))
    columns = csv_columns(frame.schema)
    assert columns is not None
    files = written(frame, str(tmp_path / "csv"), (form, columns))
    again = read_files(spark_engine.session, files, Schema(fields_of(rows.schema)))
    by = [(name, "ascending") for name in rows.schema.names]
    for found in (loaded(files, rows.schema, Account()), shaped(again.toArrow(), rows.schema)):
        assert len(found) == files.count == len(rows)
        assert repr(found.sort_by(by).to_pylist()) == repr(rows.sort_by(by).to_pylist())


@pytest.mark.parametrize("few", [by_executors.FEW, 0], ids=["one file", "several"])
def test_a_repeated_delivery_leaves_every_row_once(
    spark_engine: SparkEngine, tmp_path: Path, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_executors, "FEW", few)
    rows = pa.table({"n": range(300)})
    firings = [_on_cluster(rows.slice(100 * i, 100), tmp_path / "state", i, files=3) for i in range(3)]
    out = tmp_path / "out"
    emitter = _emitter(out, "json", write_json, spark_engine.session, by_executors.json)
    for firing in firings:
        emitter.deliver(firing)
    whole = {path.name: path.read_bytes() for path in out.iterdir()}
    assert len(whole) >= 3
    (out / ".part-0000000001.tmp").mkdir()  # what a crash in the middle of a delivery has left
    (out / ".part-0000000001.tmp" / "part-00000").write_text("half")
    (out / "part-0000000001-00077.json").write_text('{"n": 100}\n')  # by more tasks than there are now
    again = _emitter(out, "json", write_json, spark_engine.session, by_executors.json)
    for firing in firings[1:]:
        again.deliver(firing)
        again.deliver(firing)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == whole
    assert sorted(b"".join(whole.values()).split(b"\n"))[1:] == sorted(b'{"n": %d}' % n for n in range(300))


def test_a_firing_that_has_changed_its_home_is_there_once(spark_engine: SparkEngine, tmp_path: Path) -> None:
    """A delivery may be repeated after the rows have come to the driver, or have gone to the cluster."""
    rows = pa.table({"n": range(10)})
    here, there = Firing(0, rows, {}), _on_cluster(rows, tmp_path / "state")
    for number, order in enumerate([(here, there), (there, here)]):
        out = tmp_path / str(number)
        for firing in order:
            _emitter(out, "csv", WriteCsv(Csv()), spark_engine.session, by_executors.csv(Csv())).deliver(firing)
        assert [path.read_text().split() for path in out.iterdir()] == [["n", *map(str, range(10))]]


def _table() -> pa.Table:
    """All columns; those that are shorter end with NULLs."""
    length = max(map(len, COLUMNS.values()))
    return pa.table({n: pa.concat_arrays([c, pa.nulls(length - len(c), c.type)]) for n, c in COLUMNS.items()})


def _emitter(
    directory: Path, form: str, fill: Fill, spark: SparkSession, save: by_executors.Save | None
) -> FileEmitter:
    return FileEmitter(Claim(directory), form.strip(";"), fill, spark, save)


def _on_cluster(rows: pa.Table, directory: Path, number: int = 0, files: int = 1) -> Firing:
    """A firing whose rows are in files."""
    there = directory / f"answer-{number}.parquet"
    there.mkdir(parents=True)
    each = -(-len(rows) // files)
    for part in range(files):
        pq.write_table(rows.slice(part * each, each), there / f"part-{part}.parquet")
    return Firing(number, Files((str(there),), len(rows)), {}, rows.schema)


def _written(emitter: FileEmitter, firing: Firing) -> bytes:
    emitter.deliver(firing)
    (part,) = emitter.directory.iterdir()
    return part.read_bytes()


def _lines(content: bytes) -> list[str]:
    """The lines; JSON may write a control character either way."""
    return re.sub(r"\\u00[01][0-9A-F]", lambda found: found[0].lower(), content.decode()).split("\n")


def _bits(kind: pa.DataType) -> pa.DataType:
    """A type that compares NaN with NaN, and tells 0.0 from -0.0."""
    return {pa.float64(): pa.int64(), pa.float32(): pa.int32()}.get(kind, kind)
