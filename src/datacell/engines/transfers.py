"""Transfers: the only place where rows pass between the cluster, where Spark has them, and the driver.

The law: every relation has one home. On the cluster its rows are a frame of Spark's while a micro-batch lasts, or files
that executors write and read; in the driver they are an Arrow table. Nothing but a transfer changes that, and every
transfer is on somebody's account: so what the driver has to do goes by what was transferred, and can be read there.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from datacell.engines.arrow import readable
from datacell.engines.protocol import Csv, Files


@dataclass(frozen=True)
class Transferred:
    """So many times rows were moved, how many they were, and their bytes in Arrow."""

    times: int = 0
    rows: int = 0
    bytes: int = 0

    def __add__(self, other: Transferred) -> Transferred:
        return Transferred(self.times + other.times, self.rows + other.rows, self.bytes + other.bytes)


class Account:
    """What was transferred for somebody, in each direction; it counts for a larger account, too. Thread-safe."""

    def __init__(self, larger: Account | None = None) -> None:
        self._larger = larger
        self.to_driver, self.to_cluster = Transferred(), Transferred()
        self._lock = Lock()

    def came(self, table: pa.Table) -> None:
        """Rows have come to the driver."""
        with self._lock:
            self.to_driver += Transferred(1, len(table), table.nbytes)
        if self._larger is not None:
            self._larger.came(table)

    def went(self, table: pa.Table) -> None:
        """Rows have gone to the cluster."""
        with self._lock:
            self.to_cluster += Transferred(1, len(table), table.nbytes)
        if self._larger is not None:
            self._larger.went(table)


def to_driver(frame: DataFrame, account: Account) -> pa.Table:
    """The rows of a frame, which takes a job."""
    table = readable(frame.toArrow())
    account.came(table)
    return table


def read_in_driver(files: Files, columns: list[str], account: Account) -> pa.Table:
    """The rows of files that executors have written, read where they are."""
    table = pa.concat_tables([pq.read_table(path, columns=columns, partitioning=None) for path in files.paths])
    account.came(table)
    return table


def read_csv_in_driver(files: Files, schema: pa.Schema, account: Account) -> pa.Table:
    """The rows of csv that executors have written, read where they are."""
    assert files.csv is not None
    parts = [part for path in files.paths for part in sorted(Path(path).glob("part-*"))]
    table = pa.concat_tables([schema.empty_table(), *(_csv(part, schema, files.csv) for part in parts)])
    account.came(table)
    return table


def _csv(part: Path, schema: pa.Schema, form: Csv) -> pa.Table:
    names = schema.names
    reading = pc.ReadOptions(column_names=names, skip_rows=int(form.header))
    parsing = pc.ParseOptions(delimiter=form.separator, newlines_in_values=True, ignore_empty_lines=len(names) > 1)
    types = {field.name: field.type for field in schema}
    converting = pc.ConvertOptions(
        column_types=types, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
    )
    return pc.read_csv(part, reading, parsing, converting)


def write_from_driver(table: pa.Table, directory: Path, account: Account) -> Files:
    """Rows that were in the driver as files for executors to read."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    pq.write_table(table, directory / "part-00000.parquet")
    account.went(table)
    return Files((str(directory),), len(table))


def to_cluster(session: SparkSession, table: pa.Table, schema: StructType | None, account: Account) -> DataFrame:
    """A frame of rows that were in the driver; Spark reads them when a job does."""
    account.went(table)
    found = _without_empty_pieces(table)
    return session.createDataFrame(found) if schema is None else session.createDataFrame(found, schema=schema)


def _without_empty_pieces(table: pa.Table) -> pa.Table:
    """Spark takes an empty piece for the end of a table, and would lose what comes after it; but one it needs."""
    pieces = [b for b in table.to_batches() if len(b)]
    return pa.Table.from_batches(pieces) if pieces else table.schema.empty_table()
