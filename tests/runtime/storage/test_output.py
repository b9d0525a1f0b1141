"""Outputs: firings that somebody still needs, and the last one."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from datacell.engines.protocol import Csv, Files
from datacell.runtime.storage import files
from datacell.runtime.storage import output as outputs
from datacell.runtime.storage.firings import Bound
from datacell.runtime.storage.output import Output, Taker, Takes


def test_an_output_keeps_its_last_firing_and_goes_on_after_it(tmp_path: Path) -> None:
    output = Output(tmp_path, pa.schema([("x", pa.int64())]))
    for number in range(3):
        output.append(pa.table({"x": [number]}), {"boundary": number})
    output.forget(3)
    again = Output(tmp_path, output.schema)
    assert again.last is not None
    assert (again.last.number, again.last.state, again.next_number) == (2, {"boundary": 2}, 3)


@pytest.mark.parametrize("csv", [None, Csv(";", False)], ids=["parquet", "csv"])
def test_a_firing_in_files_is_the_same_after_a_restart(tmp_path: Path, csv: Csv | None) -> None:
    output = Output(tmp_path, pa.schema([("x", pa.int64())]))
    there = tmp_path / "answer"
    there.mkdir()
    if csv is None:
        pq.write_table(pa.table({"x": [1, 2]}), there / "part-0.parquet")
    else:
        (there / "part-0.csv").write_text("1\n2\n")
    output.append(Files((str(there),), 2, csv), {"boundary": 7})
    again = Output(tmp_path, output.schema).last
    assert again is not None
    assert (again.content, again.state, again.rows.to_pydict()) == (
        Files((str(there),), 2, csv),
        {"boundary": 7},
        {"x": [1, 2]},
    )


def test_an_answer_that_comes_to_the_driver_leaves_no_files(tmp_path: Path) -> None:
    output = Output(tmp_path, pa.schema([("x", pa.int64())]))
    there = tmp_path / "answer"
    there.mkdir()
    pq.write_table(pa.table({"x": [1]}), there / "part-0.parquet")
    assert output.fetch(Files((str(there),), 1), output.schema).to_pydict() == {"x": [1]}
    assert not there.exists()
    assert output.account.to_driver.rows == 1


@pytest.mark.parametrize(
    ("takers", "form"),
    [({}, None), ({"a": True}, None), ({"a": Csv()}, Csv()), ({"a": Csv(), "b": True}, None)],
    ids=["nobody", "parquet", "csv", "csv and another"],
)
def test_only_one_taker_has_its_own_form(tmp_path: Path, takers: dict[str, Takes], form: Csv | None) -> None:
    output = Output(tmp_path, pa.schema([("x", pa.int64())]))
    output.takers.update({name: Taker(takes, lambda: 0) for name, takes in takers.items()})
    assert outputs.form(output) == form


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


def test_a_temporary_output_writes_nothing_that_was_taken_before_the_next_firing() -> None:
    with files.temporary_directory() as directory:
        output = Output(directory / "output", pa.schema([("x", pa.int64())]), bound=Bound())
        taken = [0]
        output.takers["next query"] = Taker(False, lambda: taken[0])
        for number in range(3):
            output.append(pa.table({"x": [number]}), {"boundary": number})
            taken[0] = number + 1
        assert not output.directory.exists(), "nothing was ever written"
