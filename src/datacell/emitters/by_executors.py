"""Files that executors write: an answer whose home is the cluster is delivered without passing through the driver.

Executors write to a hidden directory; when all is there, each of its files gets the firing's name and its own number. A
delivery that is repeated writes the same files again: so files hold every row exactly once. Values are spelled as the
driver spells them (`columns`).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from json import dumps
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import BooleanType, DoubleType, IntegralType, StringType, StructField

from datacell.engines import spelling
from datacell.engines.protocol import Csv, Files
from datacell.errors import in_backticks
from datacell.runtime.storage import files as files_on_disk

FEW = 50_000
"""Rows up to which one file is better than several."""

Save = Callable[[DataFrame, str], None]
"""Writes a frame to a directory."""


def write(frame: DataFrame, count: int, directory: Path, part: str, form: str, save: Save) -> None:
    """The rows of a frame as `PART-00000.FORM`, …, or few rows as `PART.FORM`; what was there is replaced."""
    hidden, few = directory / f".{part}.tmp", count <= FEW
    shutil.rmtree(hidden, ignore_errors=True)
    try:
        save(frame.coalesce(1) if few else frame, f"file://{hidden.absolute()}")
        made = sorted(path for path in hidden.iterdir() if path.name.startswith("part-"))
        names = [f"{part}.{form}"] if few else [f"{part}-{number:05d}.{form}" for number in range(len(made))]
        for path, name in zip(made, names, strict=True):
            path.replace(directory / name)
        for path in directory.glob(f"{part}[.-]*"):
            if path.name not in names:
                path.unlink()
        files_on_disk.sync_path(directory)
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def link(files: Files, directory: Path, part: str, form: str) -> None:
    """The files themselves, which are what would be written, as `PART-00000.FORM`, … or `PART.FORM`."""
    made = sorted(path for one in files.paths for path in Path(one).glob(f"part-*.{form}"))
    names = [f"{part}-{number:05d}.{form}" for number in range(len(made))] if len(made) > 1 else [f"{part}.{form}"]
    for path, name in zip(made, names, strict=True):
        hidden = directory / f".{name}.tmp"
        hidden.unlink(missing_ok=True)
        try:
            os.link(path, hidden)
        except OSError:  # on another disk
            shutil.copyfile(path, hidden)
        hidden.replace(directory / name)
    for path in directory.glob(f"{part}[.-]*"):
        if path.name not in names:
            path.unlink()
    files_on_disk.sync_path(directory)


def has_columns(files: Files, names: Sequence[str]) -> bool:
    """Do files have just these columns?"""
    first = next(path for one in files.paths for path in sorted(Path(one).glob("part-*.parquet")))
    return list(pq.read_schema(first).names) == list(names)


def csv(form: Csv) -> Save:
    def save(frame: DataFrame, path: str) -> None:
        columns = spelling.csv_columns(frame.schema)
        assert columns is not None, "a value that executors do not spell as the driver does"
        spelling.write_csv(frame, columns, form, path, {})

    return save


def json(frame: DataFrame, path: str) -> None:
    """A line for each row, spelled as the driver does."""
    parts: list[Column] = []
    for number, c in enumerate(frame.schema.fields):
        before = "{" if not number else ", "
        parts += [f.lit(f"{before}{dumps(c.name, ensure_ascii=False)}: "), _json_value(c)]
    frame.select(f.concat(*parts, f.lit("}")).alias("value")).write.text(path)


def parquet(compression: str) -> Save:
    return lambda frame, path: frame.write.option("compression", compression).parquet(path)


def _json_value(column: StructField) -> Column:
    value = f.col(in_backticks(column.name))
    shown = spelling.spelled(value, column.dataType)
    match column.dataType:
        case StringType():
            shown = f.regexp_extract(f.to_json(f.struct(value.alias("v"))), r'(?s)^\{"v":(.*)\}$', 1)
        case DoubleType():
            quoted = f.concat(f.lit('"'), shown, f.lit('"'))
            shown = f.when(f.isnan(value) | (f.abs(value) == float("inf")), quoted).otherwise(shown)
        case IntegralType() | BooleanType():
            pass
        case _:
            shown = f.concat(f.lit('"'), shown, f.lit('"'))
    return f.when(value.isNull(), f.lit("null")).otherwise(shown)
