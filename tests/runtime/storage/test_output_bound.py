"""What an output keeps for whoever reads along is bounded, and nothing goes that somebody takes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from datacell.engines.protocol import Files
from datacell.runtime.storage import files
from datacell.runtime.storage.firings import Bound
from datacell.runtime.storage.output import Output, Taker

SCHEMA = pa.schema([("x", pa.int64())])


def _output(directory: Path, bound: Bound) -> Output:
    return Output(directory / "output", SCHEMA, "", bound)


def _append(output: Output, *numbers: int, rows: int = 1) -> None:
    for number in numbers:
        output.append(pa.table({"x": [number] * rows}), {"boundary": number})


def _there(output: Output) -> list[int]:
    return [number for number, _ in files.numbered(output.directory, ".arrow")]


def test_without_takers_the_last_firings_stay(tmp_path: Path) -> None:
    output = _output(tmp_path, Bound(firings=3))
    _append(output, *range(10))
    assert _there(output) == [7, 8, 9]
    assert (output.let_go, output.let_go_below) == (7, 7)
    assert (output.wait(0, 0) or output.last) == output._read(7)
    _append(_output(tmp_path, Bound(firings=3)), 10, 11)
    assert _there(output) == [9, 10, 11]


def test_without_takers_so_many_bytes_stay(tmp_path: Path) -> None:
    output = _output(tmp_path, Bound(bytes=100_000))
    _append(output, *range(20), rows=2_000)
    assert sum(path.stat().st_size for path in output.directory.iterdir()) < 100_000
    assert len(_there(output)) in (5, 6)
    _append(output, 20, rows=100_000)
    assert _there(output) == [20], "the latest stays, however large"


def test_files_of_executors_count_and_go_with_their_firing(tmp_path: Path) -> None:
    output = _output(tmp_path, Bound(bytes=50_000))
    for _ in range(5):
        there = Path(output.directory_of_next)
        there.mkdir(parents=True)
        pq.write_table(pa.table({"x": list(range(5_000))}), there / "part-0.parquet", compression="none")
        output.append(Files((str(there),), 5_000), {})
    assert _there(output) == [4]
    assert [path.name for path in output.directory.glob("answer-*")] == ["answer-0000000004.parquet"]


def test_no_firing_goes_that_somebody_takes(tmp_path: Path) -> None:
    output, cursors = _output(tmp_path, Bound(firings=2)), {"slow": 0, "fast": 0}
    output.takers["slow"] = Taker(False, lambda: cursors["slow"])
    output.takers["fast"] = Taker(False, lambda: cursors["fast"])
    for number in range(8):
        _append(output, number)
        cursors["fast"] = number + 1
    assert _there(output) == list(range(8))
    cursors["slow"] = 5
    output.trim()
    assert _there(output) == [5, 6, 7]
    assert output.let_go == 0


def test_one_who_reads_along_keeps_what_others_have_taken_within_the_bound(tmp_path: Path) -> None:
    output = _output(tmp_path, Bound(firings=4))
    output.takers["all"] = Taker(False, lambda: output.next_number)
    _append(output, 0, 1)
    assert _there(output) == [1]
    with output.read_along() as reads_from:
        reads_from(2)
        _append(output, 2, 3, 4)
        assert _there(output) == [2, 3, 4]
        assert output.let_go == 0
        _append(output, 5, 6, 7)
        assert _there(output) == [4, 5, 6, 7]
        assert (output.let_go, output.let_go_below) == (2, 4)
    _append(output, 8)
    assert _there(output) == [8]


@pytest.mark.parametrize("firings", [1, 5])
def test_a_temporary_output_is_bounded_too(firings: int) -> None:
    with files.temporary_directory() as directory:
        output = _output(directory, Bound(firings=firings))
        _append(output, *range(20))
        seen = [] if (first := output.wait(0, 0)) is None else [first.number]
        while (firing := output.wait(seen[-1] + 1, 0)) is not None:
            seen.append(firing.number)
        assert len(seen) in (firings, firings + 1)
        assert seen[-1] == 19
