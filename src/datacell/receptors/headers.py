"""The headers of csv files: by name where they have the stream's names, by position where only some are other ones.

The law: a column is never silently taken for another. The header of the files that are there at the start says how the
stream's columns lie in them; the rows of a file whose header says otherwise are rejected.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlparse

import pyarrow as pa
import pyarrow.compute as pc
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from datacell.algebra.definitions import REASON
from datacell.receptors.file_order import FILE_ORDER
from datacell.runtime.streams.conditions import LONGEST_TEXT
from datacell.runtime.streams.gate import TEXT

_LONGEST = 1 << 20
_SHOWN = 200


def layout(header: Sequence[str], columns: Sequence[str]) -> tuple[int, ...] | None:
    """For each column its place in the header; None if the header contradicts the columns, or has none of them."""
    found = [name.lower() for name in header]
    wanted = [name.lower() for name in columns]
    if len(set(found)) == len(found) and set(wanted) <= set(found):
        return tuple(found.index(name) for name in wanted)
    misplaced = any(name in found and (i >= len(found) or found[i] != name) for i, name in enumerate(wanted))
    if misplaced or len(found) != len(wanted) or not set(found) & set(wanted):
        return None
    return tuple(range(len(wanted)))


def split(line: str, separator: str, quote: str) -> list[str]:
    """The names of a header line."""
    text = line.removeprefix("\ufeff").rstrip("\r\n")
    if len(separator) != 1 or len(quote) != 1:
        return [name.strip() for name in text.split(separator)]
    try:
        row = next(csv.reader([text], delimiter=separator, quotechar=quote), [])
    except csv.Error:
        return [text]
    return [name.strip() for name in row]


def first_line(spark: SparkSession, file: str) -> str | None:
    """The first line of a file; None if it is empty or cannot be read now."""
    parsed = urlparse(file)
    path = Path(unquote(parsed.path))
    try:
        if parsed.scheme in ("", "file") and path.suffix not in (".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate"):
            with path.open("rb") as opened:
                return opened.readline(_LONGEST).decode(errors="replace") or None
        found = spark.read.text(file).head(1)
    except (OSError, PySparkException, Py4JError):
        return None
    return str(found[0][0]) if found else None


def same(spark: SparkSession, header: str, files: Iterable[str]) -> bool:
    """Do all files that have a line begin with just this header?"""
    found = (line.rstrip("\r\n") for file in files if (line := first_line(spark, file)) is not None)
    return all(line == header for line in found)


@dataclass(frozen=True)
class HeaderCheck:
    """Rejects the rows of files whose header is not laid out as the stream expects."""

    columns: tuple[str, ...]
    expected: tuple[int, ...]
    header_of: Callable[[str], list[str] | None]

    def __call__(self, batch: pa.Table) -> pa.Table:
        files = batch[FILE_ORDER[1]]
        wrong = {file: why for file in pc.unique(files).to_pylist() if (why := self._wrong(file)) is not None}
        for file, why in wrong.items():
            batch = _reject(batch, pc.equal(files, file), why)
        return batch

    def _wrong(self, file: str) -> str | None:
        header = self.header_of(file)
        if header is None or layout(header, self.columns) == self.expected:
            return None
        return f"its file has the header {', '.join(header)[:_SHOWN]}"


def _reject(batch: pa.Table, rows: pa.ChunkedArray, why: str) -> pa.Table:
    at = batch.schema.get_field_index
    text = pc.if_else(rows, pc.coalesce(batch[TEXT], _shown(batch)), batch[TEXT])
    reason = pc.if_else(rows, why, batch[REASON])
    return batch.set_column(at(REASON), REASON, reason).set_column(at(TEXT), TEXT, text)


def _shown(batch: pa.Table) -> pa.ChunkedArray:
    plain = [c for n, c in zip(batch.schema.names, batch.columns, strict=True) if n not in (REASON, TEXT, *FILE_ORDER)]
    texts = [c.cast(pa.string()) for c in plain if not pa.types.is_nested(c.type) and not pa.types.is_binary(c.type)]
    joined = pc.binary_join_element_wise(*texts, ",", null_handling="replace")
    return pc.utf8_slice_codeunits(joined, 0, LONGEST_TEXT)
