"""The files that benches read are what the benches say of them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from datacell.bench.stream_files import Shape, dense, write

_SHAPE = Shape(rows=6_000, files=6, seconds=180, keys=100)


def _written(directory: Path) -> list[pa.Table]:
    write(directory, _SHAPE)
    return [pq.read_table(path) for path in sorted(directory.iterdir())]


def test_rows_are_spread_evenly_over_files_and_in_time_order(tmp_path: Path) -> None:
    tables = _written(tmp_path / "files")
    assert [len(table) for table in tables] == [1_000] * 6
    times = pc.cast(pa.concat_tables(tables)["ts"], pa.int64()).to_numpy()
    steps = set((times[1:] - times[:-1]).tolist())
    assert steps == {30_000}
    assert times[0] % 60_000_000 == 0


def test_every_key_comes_as_often_in_every_minute(tmp_path: Path) -> None:
    first, second = _written(tmp_path / "files")[:2]
    for_a_minute = pa.concat_tables([first, second])["k"]
    counts = {one["values"]: one["counts"] for one in pc.value_counts(for_a_minute).to_pylist()}
    assert counts == dict.fromkeys(range(100), 20)


def test_files_were_modified_in_their_order(tmp_path: Path) -> None:
    _written(tmp_path / "files")
    times = [path.stat().st_mtime_ns for path in sorted((tmp_path / "files").iterdir())]
    assert times == sorted(set(times))


def test_a_dense_stream_has_two_minutes_per_million_rows() -> None:
    assert dense(12_000_000) == Shape(12_000_000, 24, 1_440)
