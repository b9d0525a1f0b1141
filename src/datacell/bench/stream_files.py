"""Files of a stream that benches read through Spark's streaming file source: rows in time order, every key as often."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = "ts TIMESTAMP, k INT, v DOUBLE, c INT"
"""No query reads `c`: it shows what a column costs that nobody needs."""
_START, _SECOND = 1_700_000_100_000_000, 1_000_000
_STEP = 7919
"""From a row's key to that of the next one: a prime, so that all keys come before one comes again."""


@dataclass(frozen=True)
class Shape:
    """So many rows, spread evenly over files and over seconds of stream time."""

    rows: int
    files: int
    seconds: int
    keys: int = 1_000

    def __post_init__(self) -> None:
        assert self.rows % self.files == 0
        assert self.keys % _STEP

    @property
    def rows_per_file(self) -> int:
        return self.rows // self.files


def dense(rows: int) -> Shape:
    """A file per minute of stream time, of half a million rows."""
    files = rows // 500_000
    return Shape(files * 500_000, files, 60 * files)


def write(directory: Path, shape: Shape) -> None:
    """Parquet. The files' times of modification say their order, so no two may have the same."""
    directory.mkdir(parents=True)
    chance = np.random.default_rng(1)
    for number in range(shape.files):
        pq.write_table(_rows(shape, number, chance), directory / f"{number:04d}.parquet")
        time.sleep(0.002)


def _rows(shape: Shape, file: int, chance: np.random.Generator) -> pa.Table:
    numbers = np.arange(file * shape.rows_per_file, (file + 1) * shape.rows_per_file)
    return pa.table(
        {
            "ts": pa.array(_START + numbers * (shape.seconds * _SECOND) // shape.rows, pa.timestamp("us")),
            "k": pa.array(numbers * _STEP % shape.keys, pa.int32()),
            "v": chance.random(len(numbers)),
            "c": pa.array(chance.integers(0, 1_000_000, len(numbers)), pa.int32()),
        }
    )
