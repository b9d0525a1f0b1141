"""The order of rows from files. Spark reads large files first; rows are put back into the order of the files.

Which files a micro-batch has goes by their age. Of files of one age Spark takes those first that it lists first: of a
directory in any order, of a pattern in the order of names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as f

FILE_ORDER = ("__file_time", "__file_path", "__file_start")
"""Columns by which the rows of one micro-batch of files are put in order; rows of one stretch of a file are in it."""

MOST_FILES = 500
"""Files that are looked for one by one whenever a micro-batch begins, as those of a pattern are."""

ANY_FILE = "[^._]*"
"""A pattern for the files of a directory that Spark does not take for hidden."""

_LIMITS = frozenset({"maxfilespertrigger", "maxbytespertrigger"})
_PATTERN = re.compile(r"[*?\[\]{}\\]|://")


def listed_by_name(path: str, options: Mapping[str, str]) -> str:
    """A directory as a pattern, if micro-batches divide its files and some of them are of one age."""
    local = Path(path)
    if not _LIMITS & {name.lower() for name in options} or _PATTERN.search(path) or not local.is_dir():
        return path
    found = list(islice(local.iterdir(), MOST_FILES + 1))
    if len(found) > MOST_FILES or not all(one.is_file() for one in found):
        return path
    ages = {one.stat().st_mtime_ns // 1_000_000 for one in found}
    return path if len(ages) == len(found) else str(local / ANY_FILE)


def file_order() -> list[Column]:
    """These columns, of a frame that reads files."""
    names = ("file_modification_time", "file_path", "file_block_start")
    return [f.col(f"_metadata.{name}").alias(alias) for name, alias in zip(names, FILE_ORDER, strict=True)]


def ordered(rows: pa.Table, keys: Sequence[str] = FILE_ORDER) -> pa.Table:
    """The rows by these columns, which are then dropped; rows that tie stay in order.

    Rows come in long runs that agree on all of them, so only the runs are sorted.
    """
    present = [k for k in keys if k in rows.schema.names]
    if not present or not len(rows):
        return rows.drop_columns(present)
    marks = [rows[k].combine_chunks().dictionary_encode() for k in present]
    codes = np.array([m.indices.to_numpy() for m in marks])
    begins = np.concatenate(([0], np.flatnonzero((codes[:, 1:] != codes[:, :-1]).any(axis=0)) + 1))
    values = [list(map(_plain, m.dictionary.to_pylist())) for m in marks]
    order = sorted(
        range(len(begins)), key=lambda run: [v[c] for v, c in zip(values, codes[:, begins[run]], strict=True)]
    )
    plain, lengths = rows.drop_columns(present), np.diff(np.append(begins, len(rows)))
    return pa.concat_tables([plain.slice(int(begins[run]), int(lengths[run])) for run in order])


def _plain(value: Any) -> Any:
    """A path as it is called; Spark spells it as a part of a URL, in which blanks come after letters."""
    return unquote(value) if isinstance(value, str) else value
