"""Files: a directory with one part file per firing. Exactly once: the part has the firing's number as its name.

The directory belongs to the emitter. Firings come in order, so a part with a later number than the first one that is
delivered was left by another run, and is removed: what is there is what this run wrote.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from datacell.emitters import columns, text
from datacell.errors import CheckpointError, EmitterError
from datacell.runtime.storage import files
from datacell.runtime.storage.output import Firing

Fill = Callable[[BinaryIO, pa.Table], object]


class FileEmitter:
    """csv with a header, json lines, or parquet. A firing without rows writes no file."""

    guarantee = "exactly once"

    def __init__(self, directory: Path, form: str, fill: Fill) -> None:
        self.directory, self.form, self._fill = directory, form, fill
        self._begun = False

    def deliver(self, firing: Firing) -> None:
        try:
            self._write(firing)
        except (CheckpointError, OSError) as error:
            message = error.message if isinstance(error, CheckpointError) else str(error)
            raise EmitterError(message, hint="free some space or fix the permissions: it is tried again") from error

    def close(self) -> None:
        pass

    def _write(self, firing: Firing) -> None:
        if not self._begun:
            _remove_after(self.directory, f".{self.form}", firing.number)
            self._begun = True
        path = self.directory / f"part-{firing.number:010d}.{self.form}"
        if len(firing.rows):
            files.write(path, lambda file: self._fill(file, firing.rows))
        else:
            path.unlink(missing_ok=True)


@dataclass(frozen=True)
class Csv:
    """NULL is empty, an empty string is quoted, what is nested is JSON."""

    separator: str = ","
    header: bool = True

    def __call__(self, file: BinaryIO, rows: pa.Table) -> None:
        if self.header:
            file.write((self.separator.join(map(text.csv_field, rows.schema.names)) + "\n").encode())
        for block in columns.csv(rows, self.separator):
            file.write(block)


def write_json(file: BinaryIO, rows: pa.Table) -> None:
    for block in columns.json(rows):
        file.write(block)


@dataclass(frozen=True)
class Parquet:
    compression: str = "snappy"

    def __call__(self, file: BinaryIO, rows: pa.Table) -> None:
        pq.write_table(rows, file, compression=self.compression)


def _remove_after(directory: Path, suffix: str, first: int) -> None:
    found = directory.glob(f"part-[0-9]*{suffix}") if directory.is_dir() else ()
    for path in found:
        number = path.name.removeprefix("part-").removesuffix(suffix)
        if number.isdigit() and int(number) > first:
            path.unlink(missing_ok=True)
