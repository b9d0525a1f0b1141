"""The home of a kept relation: what moves, what is compacted there, and what a restart finds."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from datacell.engines.protocol import Files
from datacell.incremental.relations import SLICE
from datacell.runtime.plans.memory import DriverMemory
from datacell.runtime.windows.chunks import Sliced, slices
from datacell.runtime.windows.slices import Slices

SCHEMA = pa.schema([("k", pa.int64()), (SLICE, pa.int64())])


def relation(directory: Path, memory: DriverMemory, last_batch: int = 99) -> Slices:
    return Slices(directory, SCHEMA, last_batch, memory, can_move=True)


def put(found: Slices, number: int) -> None:
    rows = pa.table({"k": [number] * 4, SLICE: [number] * 4}, schema=SCHEMA)
    found.put(number, number * 4 + 5, Sliced(rows, number, number, np.array([number], dtype=np.int64)))


def content(found: Slices) -> list[int]:
    if not found.on_cluster:
        return sorted(found.rows()["k"].to_pylist())
    return sorted(k for path in found.files().paths for k in pq.read_table(path, partitioning=None)["k"].to_pylist())


def combined(found: Slices) -> Sliced:
    """As executors do it: the directory is emptied, then what is read is written there."""
    directory = found.store.combined_directory(found.chunks)
    shutil.rmtree(directory, ignore_errors=True)
    rows = pa.concat_tables([pq.read_table(path, partitioning=None) for path in found.files().paths])
    Path(directory).mkdir()
    pq.write_table(rows, Path(directory) / "part-0.parquet")
    there = np.unique(slices(rows))
    return Sliced(Files((directory,), len(rows)), int(there[0]), int(there[-1]), there)


def moved(directory: Path) -> Slices:
    """Three chunks that were in the driver until the last one did not fit."""
    found = relation(directory, memory := DriverMemory(1000))
    for number in range(2):
        put(found, number)
    assert not found.on_cluster
    memory.limit = 50
    put(found, 2)
    assert found.on_cluster
    return found


def test_what_does_not_fit_moves_with_all_its_chunks_and_is_found_again(tmp_path: Path) -> None:
    expected = content(moved(tmp_path))
    assert expected == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    again = relation(tmp_path, DriverMemory(50))
    assert (again.on_cluster, content(again), again.next_row) == (True, expected, 13)
    back = relation(tmp_path, DriverMemory(1 << 20))
    assert (back.on_cluster, content(back)) == (False, expected)


def test_compaction_does_not_write_over_what_it_reads(tmp_path: Path) -> None:
    """The last chunk may have moved just now: then it is where a compacted one would be put."""
    found = moved(tmp_path)
    expected = content(found)
    for _ in range(2):
        found.replace_all(combined(found))
        assert (content(found), len(found.chunks)) == (expected, 1)
    assert content(relation(tmp_path, DriverMemory(50))) == expected
    assert len(list(tmp_path.glob("*.parquet"))) == 1, "nothing is left behind"


def test_a_relation_that_comes_back_is_compacted_and_moves_again_has_its_rows_once(tmp_path: Path) -> None:
    found = moved(tmp_path)
    expected = content(found)
    found.replace_all(combined(found))
    back = relation(tmp_path, DriverMemory(1 << 20))
    back.replace_all(Sliced(back.rows(), 0, 2, back.occupied()))
    assert not list(tmp_path.glob("*.parquet"))
    assert content(relation(tmp_path, DriverMemory(50))) == expected


def test_a_batch_that_was_not_taken_whole_is_forgotten_with_its_files(tmp_path: Path) -> None:
    moved(tmp_path)
    found = relation(tmp_path, DriverMemory(50), last_batch=1)
    assert content(found) == [0, 0, 0, 0, 1, 1, 1, 1]
    assert len(list(tmp_path.glob("*.parquet"))) == 2


def test_expired_chunks_take_their_files_with_them_and_little_comes_back(tmp_path: Path) -> None:
    found = moved(tmp_path)
    found._room._memory.limit = 1000
    found.expire(2)
    assert (found.on_cluster, content(found)) == (False, [2, 2, 2, 2])
    assert found.account.to_driver.rows == 4
    put(found, 3)
    found.expire(4)
    assert content(relation(tmp_path, DriverMemory(1000))) == [3, 3, 3, 3]
    assert not list(tmp_path.glob("chunk-0000000002.parquet"))
