"""Side outputs: bounded, and a batch that is put again counts once."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from datacell.runtime.streams.side_output import SideOutput


def test_rows_set_aside_are_bounded_and_a_batch_put_twice_counts_once(tmp_path: Path) -> None:
    aside = SideOutput(tmp_path / "late.arrow", pa.schema([("x", pa.int64())]))
    for _ in range(2):
        aside.put(0, pa.table({"x": [1, 2]}))
    aside.put(1, pa.table({"x": list(range(20_000))}))
    assert len(aside.rows()) == 10_000
    assert SideOutput(tmp_path / "late.arrow", aside.schema).rows()["x"].to_pylist()[-1] == 19_999


def test_a_side_output_forgets_what_a_batch_left_that_was_not_taken(tmp_path: Path) -> None:
    late = SideOutput(tmp_path / "late.arrow", pa.schema([("x", pa.int64())]))
    late.put(0, pa.table({"x": [1]}))
    late.put(1, pa.table({"x": [2]}))  # and then a crash; the next batch has the same number, but not these rows
    again = SideOutput(tmp_path / "late.arrow", late.schema)
    again.put(1, pa.table({"x": pa.array([], pa.int64())}))
    assert again.rows()["x"].to_pylist() == [1]
    assert SideOutput(tmp_path / "late.arrow", late.schema).rows()["x"].to_pylist() == [1]
