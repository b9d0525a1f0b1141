"""Files: a directory with one part file per firing. Exactly once: the part has the firing's number as its name.

What has its home on the cluster is written by executors, in as many parts as they like (`by_executors`).

The directory belongs to the emitter (`ownership`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from datacell.algebra.schema import Schema
from datacell.emitters import by_executors, columns, text
from datacell.emitters.by_executors import Save
from datacell.emitters.ownership import Claim
from datacell.engines import spelling
from datacell.engines.arrow import fields_of
from datacell.engines.protocol import Csv, Files
from datacell.engines.reasons import told
from datacell.engines.spark import read_files
from datacell.errors import CheckpointError, EmitterError
from datacell.runtime.storage import files
from datacell.runtime.storage.output import Firing, Takes

Fill = Callable[[BinaryIO, pa.Table], object]


class FileEmitter:
    """csv with a header, json lines, or parquet. A firing without rows writes no file."""

    guarantee = "exactly once"

    def __init__(
        self, claim: Claim, form: str, fill: Fill, spark: SparkSession | None = None, save: Save | None = None
    ) -> None:
        """`fill` writes a file in the driver, `save` lets executors write a directory."""
        self.directory, self.form, self._fill = claim.directory, form, fill
        self._claim = claim
        self._spark, self._save = spark, save
        self.takes_files: Takes = fill.form if isinstance(fill, WriteCsv) else True

    def deliver(self, firing: Firing) -> None:
        try:
            with told(EmitterError, f"Spark cannot write {self.form}"):
                self._write(firing)
        except (CheckpointError, OSError) as error:
            message = error.message if isinstance(error, CheckpointError) else str(error)
            raise EmitterError(message, hint="free some space or fix the permissions: it is tried again") from error

    def close(self) -> None:
        self._claim.release()

    def _part(self, firing: Firing) -> str:
        return f"part-{self._claim.first + firing.number:010d}"

    def _write(self, firing: Firing) -> None:
        if self._wrote_by_executors(firing):
            return
        path = self.directory / f"{self._part(firing)}.{self.form}"
        if len(firing.rows):
            files.write(path, lambda file: self._fill(file, firing.rows))
        else:
            path.unlink(missing_ok=True)

    def _wrote_by_executors(self, firing: Firing) -> bool:
        """Rows that are on the cluster, of types that executors spell as the driver does, are written by them."""
        if not isinstance(firing.content, Files) or self._spark is None or self._save is None:
            return False
        assert firing.schema is not None
        part = self._part(firing)
        if self._is_as_written(firing.content, firing.schema.names):
            self.directory.mkdir(parents=True, exist_ok=True)
            by_executors.link(firing.content, self.directory, part, self.form)
            return True
        frame = read_files(self._spark, firing.content, Schema(fields_of(firing.schema)))
        if self.form != "parquet" and not all(spelling.spells(c.dataType) for c in frame.schema.fields):
            return False
        self.directory.mkdir(parents=True, exist_ok=True)
        by_executors.write(frame, firing.count, self.directory, part, self.form, self._save)
        return True

    def _is_as_written(self, found: Files, names: Sequence[str]) -> bool:
        """Are the files what this emitter would write?"""
        if found.csv is not None:
            return self._fill == WriteCsv(found.csv)
        return self._fill == WriteParquet() and by_executors.has_columns(found, names)


@dataclass(frozen=True)
class WriteCsv:
    form: Csv

    def __call__(self, file: BinaryIO, rows: pa.Table) -> None:
        if self.form.header:
            file.write((self.form.separator.join(map(text.csv_field, rows.schema.names)) + "\n").encode())
        for block in columns.csv(rows, self.form.separator):
            file.write(block)


def write_json(file: BinaryIO, rows: pa.Table) -> None:
    for block in columns.json(rows):
        file.write(block)


@dataclass(frozen=True)
class WriteParquet:
    compression: str = "snappy"

    def __call__(self, file: BinaryIO, rows: pa.Table) -> None:
        pq.write_table(rows, file, compression=self.compression)
