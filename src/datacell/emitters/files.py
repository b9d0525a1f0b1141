"""Files: a directory with one part file per firing. Exactly once: the part has the firing's number as its name."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import pyarrow.parquet as pq

from datacell.emitters import text
from datacell.runtime import files
from datacell.runtime.output import Firing


class FileEmitter:
    """csv with a header, json lines, or parquet. A firing without rows writes no file."""

    guarantee = "exactly once"

    def __init__(self, directory: Path, form: str) -> None:
        self.directory, self.form = directory, form
        self._fill = {"csv": _csv, "json": _json, "parquet": _parquet}[form]

    def deliver(self, firing: Firing) -> None:
        if len(firing.rows):
            path = self.directory / f"part-{firing.number:010d}.{self.form}"
            files.write(path, lambda file: self._fill(file, firing))

    def close(self) -> None:
        pass


def _csv(file: BinaryIO, firing: Firing) -> None:
    lines = [text.csv_line(list(firing.rows.schema.names))]
    lines += [text.csv_line(list(row.values())) for row in text.rows(firing.rows)]
    file.write("".join(f"{line}\n" for line in lines).encode())


def _json(file: BinaryIO, firing: Firing) -> None:
    file.write("".join(f"{text.json_line(row)}\n" for row in text.rows(firing.rows)).encode())


def _parquet(file: BinaryIO, firing: Firing) -> None:
    pq.write_table(firing.rows, file)
