"""Outputs: firings that somebody still needs, and the last one."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from datacell.runtime.storage import files
from datacell.runtime.storage.output import Output


def test_an_output_keeps_its_last_firing_and_goes_on_after_it(tmp_path: Path) -> None:
    output = Output(tmp_path, pa.schema([("x", pa.int64())]))
    for number in range(3):
        output.append(pa.table({"x": [number]}), {"boundary": number})
    output.forget(3)
    again = Output(tmp_path, output.schema)
    assert again.last is not None
    assert (again.last.number, again.last.state, again.next_number) == (2, {"boundary": 2}, 3)


def test_a_temporary_output_writes_only_what_somebody_is_slow_to_take() -> None:
    with files.temporary_directory() as directory:
        output = Output(directory / "output", pa.schema([("x", pa.int64())]))
        for number in range(3):
            output.append(pa.table({"x": [number]}), {"boundary": number})
        taken = [output.wait(number, 0) for number in range(4)]
        assert [None if f is None else f.rows["x"].to_pylist() for f in taken] == [[0], [1], [2], None]
        output.forget(3)
        assert list(output.directory.iterdir()) == []
        output.append(pa.table({"x": [3]}), {"boundary": 3})
        assert not list(output.directory.iterdir())
        assert output.last is not None
        assert output.wait(0, 0) == output.last
