"""One query over all files of a directory, from the start of a run to its end, and whether it counted every row."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import pyarrow.compute as pc

from datacell.bench.stream_files import COLUMNS
from datacell.cell.cell import Cell
from datacell.cell.result import Result
from datacell.errors import DataCellError
from datacell.runtime.plans.policy import Policy

TO_DRIVER = "to driver"
"""The column of SHOW STREAMS that has the number of rows that came to the driver."""


@dataclass(frozen=True)
class Drained:
    """What a run took, and what it brought."""

    seconds: float
    total: int
    """The sum of `n` over all answers."""
    to_driver: int | None
    """Rows of the stream that came to the driver; None if SHOW STREAMS does not say."""

    def check(self, total: int) -> None:
        if self.total != total:
            raise DataCellError(f"the answers count {self.total:,} rows instead of {total:,}")


def drain(cell: Cell, files: Path, query: str, files_per_batch: int | None, policy: Policy | None = None) -> Drained:
    """Answer a query over stream `s` with a column `n` in a callback; None takes all files as one micro-batch.

    Engines are chosen by a policy, if one is given, and else as the cell does.
    """
    bound = "" if files_per_batch is None else f", maxFilesPerTrigger = '{files_per_batch}'"
    cell.sql(f"CREATE STREAM s ({COLUMNS}, WATERMARK FOR ts AS ts) WITH (format = 'parquet', path = '{files}'{bound})")
    counted: list[int] = []
    cell.query(query, name="q").on_result(lambda result: counted.append(_count(result)))
    if policy is not None:
        cell.statements.factory("q").plans.placements.policy = policy
    started = time.perf_counter()
    cell.run(once=True)
    seconds = time.perf_counter() - started
    return Drained(seconds, sum(counted), _to_driver(cell))


def _count(result: Result) -> int:
    return int(pc.sum(result.to_arrow()["n"]).as_py())


def _to_driver(cell: Cell) -> int | None:
    shown = cell.sql("SHOW STREAMS")
    assert shown is not None
    (stream,) = shown.to_pylist()
    return int(stream[TO_DRIVER]) if TO_DRIVER in stream else None
