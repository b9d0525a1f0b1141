"""The spool: what cannot be replayed (sockets, `push`) is written down first, and read from there like any file.

A group of rows is one file; it is there whole or not at all, and once `append` returns it will be read, whatever
happens.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from datacell.emitters import text
from datacell.errors import SqlError
from datacell.receptors.sources import open_source
from datacell.runtime import files
from datacell.sql.catalog import StreamDefinition


def is_spooled(stream: StreamDefinition) -> bool:
    """A stream without a source of its own is fed by `push`."""
    return not stream.options


class Spool:
    """Files of lines, numbered in the order in which they came."""

    def __init__(self, stream: StreamDefinition, directory: Path, form: str = "json") -> None:
        self.stream, self.directory, self.form = stream, directory, form
        directory.mkdir(parents=True, exist_ok=True)
        present = files.numbered(directory, f".{form}")
        self._next = present[-1][0] + 1 if present else 0

    def append(self, lines: Iterable[str]) -> None:
        """Write a group of lines down."""
        content = "".join(f"{line}\n" for line in lines).encode()
        path = self.directory / files.numbered_name(self._next, f".{self.form}")
        files.write(path, lambda file: file.write(content))
        self._next += 1

    def push(self, rows: Any) -> int:
        """Write rows down: dicts, tuples, a pandas frame, an Arrow table."""
        plain = self._rows(rows)
        if plain:
            self.append(json.dumps(row, ensure_ascii=False) for row in plain)
        return len(plain)

    def _rows(self, rows: Any) -> list[dict[str, Any]]:
        if isinstance(rows, pa.Table):
            return text.rows(rows)
        if hasattr(rows, "to_dict") and hasattr(rows, "columns"):
            return text.rows(pa.Table.from_pandas(rows, preserve_index=False))
        return [text.plain(self._named(row)) for row in rows]

    def _named(self, row: Any) -> dict[str, Any]:
        names = [c.name for c in self.stream.columns]
        if isinstance(row, dict):
            return row
        if isinstance(row, Sequence) and not isinstance(row, str) and len(row) == len(names):
            return dict(zip(names, row, strict=True))
        raise SqlError(f"a row of {self.stream.name} is a dict, or a tuple of {len(names)}: {', '.join(names)}")


def spool_source(spark: SparkSession, stream: StreamDefinition, spool: Spool) -> DataFrame:
    """The spool as a streaming frame."""
    options = (("format", spool.form), ("path", str(spool.directory)))
    return open_source(spark, StreamDefinition(stream.name, stream.columns, options=options))
