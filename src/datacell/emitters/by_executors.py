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
from pyspark.sql.types import (
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntegralType,
    StringType,
    StructField,
    TimestampNTZType,
    TimestampType,
)

from datacell.engines.protocol import ParquetFiles
from datacell.errors import in_backticks
from datacell.runtime.storage import files as files_on_disk

_SPELLED = (
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    IntegralType,
    StringType,
    TimestampNTZType,
    TimestampType,
)
"""Not FLOAT, of which Java may write more digits than are needed."""

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
        files_on_disk.sync_directory(directory)
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def link(files: ParquetFiles, directory: Path, part: str) -> None:
    """The files themselves, which are what would be written, as `PART-00000.parquet`, … or `PART.parquet`."""
    made = sorted(path for one in files.paths for path in Path(one).glob("part-*.parquet"))
    names = [f"{part}-{number:05d}.parquet" for number in range(len(made))] if len(made) > 1 else [f"{part}.parquet"]
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
    files_on_disk.sync_directory(directory)


def has_columns(files: ParquetFiles, names: Sequence[str]) -> bool:
    """Do files have just these columns?"""
    first = next(path for one in files.paths for path in sorted(Path(one).glob("part-*.parquet")))
    return list(pq.read_schema(first).names) == list(names)


def csv(separator: str, header: bool) -> Save:
    options = {
        "sep": separator,
        "header": str(header).lower(),
        "escape": '"',
        "ignoreLeadingWhiteSpace": "false",
        "ignoreTrailingWhiteSpace": "false",
    }

    def save(frame: DataFrame, path: str) -> None:
        fields = [spelled(f.col(in_backticks(c.name)), c.dataType).alias(c.name) for c in frame.schema.fields]
        frame.select(*fields).write.options(**options).csv(path)

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


def spells(kind: DataType) -> bool:
    """Do executors spell values of the type as the driver does?"""
    return isinstance(kind, _SPELLED)


def spelled(value: Column, kind: DataType) -> Column:
    """A value as text; NULL stays NULL."""
    if isinstance(kind, DoubleType):
        return _number(value)
    if isinstance(kind, TimestampType | TimestampNTZType):
        return _instant(value, "Z" if isinstance(kind, TimestampType) else "")
    if isinstance(kind, DecimalType):  # a cast would write 0E-18
        return f.call_function("format_number", value, f.lit(f"0.{'0' * kind.scale}".rstrip(".")))
    return value.cast("string")


def _json_value(column: StructField) -> Column:
    value = f.col(in_backticks(column.name))
    shown = spelled(value, column.dataType)
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


def _instant(value: Column, zone: str) -> Column:
    seconds = f.date_format(value, "yyyy-MM-dd'T'HH:mm:ss")
    micros = f.date_format(value, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS")
    return f.concat(f.when(f.date_trunc("second", value) == value, seconds).otherwise(micros), f.lit(zone))


def _number(value: Column) -> Column:
    """Java writes 1.5E-5 and 1.0E7 where Python writes 1.5e-05 and 10000000.0; the digits are the same.

    Until Java 19 there may be more of them than are needed where neighbours are more than one apart.
    """
    text, size = value.cast("string"), f.abs(value)
    plain = f.regexp_replace(text.cast("decimal(38,20)").cast("string"), "0+$", "")
    whole = f.regexp_replace(plain, r"\.$", ".0")
    rounded = [f.upper(f.format_string(f"%.{digits}e", value)) for digits in (14, 15, 16)]
    digits = f.coalesce(*(f.when((size >= 1e16) & (r.cast("double") == value), r) for r in rounded), text)
    mantissa = f.regexp_replace(f.regexp_extract(digits, r"^(.*)E", 1), r"\.?0*$", "")
    power = f.regexp_extract(digits, r"E([+-]?\d+)$", 1).cast("int")
    sign = f.when(power < 0, "e-").otherwise("e+")
    scientific = f.concat(mantissa, sign, f.format_string("%02d", f.abs(power)))
    odd = f.when((size >= 1e7) & (size < 1e16) | (size >= 1e-4) & (size < 1e-3), whole).otherwise(scientific)
    special = f.when(f.isnan(value), f.lit("NaN")).when(size == float("inf"), text)
    return f.coalesce(special, f.when(text.contains("E"), odd).otherwise(text))
