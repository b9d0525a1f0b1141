"""Answers row by row are written by executors in the form that their emitter has; no row comes to the driver."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import datacell

pytestmark = pytest.mark.spark
ROWS, FILES = 300, 3
TIMES = {"event time": ", WATERMARK FOR ts AS ts", "arrival": ""}
FORMS = {
    "csv": "format = 'csv'",
    "csv with its own separator": "format = 'csv', sep = ';', header = 'false'",
    "json": "format = 'json'",
    "parquet": "format = 'parquet'",
}
NOTES = (None, "", 'say "hi", ok\n', ";")
EXPECTED = Counter((n, NOTES[n // 2 % 4]) for n in range(0, ROWS, 2))


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    for number in range(FILES):
        own = range(number, ROWS, FILES)
        texts = [NOTES[n // 2 % 4] for n in own]
        times = pa.array([n * 1_000_000 for n in own], pa.timestamp("us", tz="UTC"))
        pq.write_table(
            pa.table({"ts": times, "n": pa.array(own, pa.int32()), "note": texts}), folder / f"{number}.parquet"
        )
    return folder


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("form", FORMS)
def test_no_row_comes_to_the_driver(spark: SparkSession, tmp_path: Path, source: Path, form: str, time: str) -> None:
    cell = _cell(spark, tmp_path, source, form, time)
    try:
        cell.run(once=True)
        shown = cell.sql("SHOW STREAMS")
        assert shown is not None
        assert [(s["rows"], s["to driver"]) for s in shown.to_pylist()] == [(ROWS, 0)]
        assert _delivered(tmp_path / "out", form) == EXPECTED
    finally:
        cell.stop()


def test_a_form_that_was_written_can_be_taken_by_others(spark: SparkSession, tmp_path: Path, source: Path) -> None:
    """The last firing is there after a restart, as csv; json needs its rows, and so does who asks for the answer."""
    cell = _cell(spark, tmp_path, source, "csv", "arrival")
    cell.run(once=True)
    cell.stop()
    again = _cell(spark, tmp_path, source, "csv", "arrival")
    try:
        again.sql(f"CREATE EMITTER other FROM q WITH (format = 'json', path = '{tmp_path / 'other'}')")
        again.run(once=True)
    finally:
        again.stop()
    last = _delivered(tmp_path / "other", "json")
    assert last
    assert last <= EXPECTED
    assert _delivered(tmp_path / "out", "csv") == EXPECTED


def _cell(spark: SparkSession, root: Path, source: Path, form: str, time: str) -> datacell.Cell:
    cell = datacell.connect(root / "state", spark=spark, engine="spark", driver_memory=0)
    options = f"format = 'parquet', path = '{source}', maxFilesPerTrigger = '1'"
    cell.sql(
        f"CREATE STREAM s (ts TIMESTAMP, n INT, note STRING{TIMES[time]}) WITH ({options});"
        "CREATE CONTINUOUS QUERY q AS SELECT n, note FROM s WHERE n % 2 = 0;"
        f"CREATE EMITTER o FROM q WITH ({FORMS[form]}, path = '{root / 'out'}')"
    )
    return cell


def _delivered(out: Path, form: str) -> Counter[tuple[Any, ...]]:
    return Counter((row["n"], row["note"]) for path in sorted(out.glob("part-*")) for row in _rows(path, form))


def _rows(path: Path, form: str) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()  # type: ignore[no-any-return]
    if path.suffix == ".json":
        return [json.loads(line) for line in path.read_text().splitlines()]
    own = "separator" in form
    reading = pa_csv.ReadOptions(column_names=["n", "note"] if own else None)
    parsing = pa_csv.ParseOptions(delimiter=";" if own else ",", newlines_in_values=True)
    converting = pa_csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""])
    return pa_csv.read_csv(path, reading, parsing, converting).to_pylist()  # type: ignore[no-any-return]
