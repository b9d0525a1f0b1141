"""Values as text, by executors, spelled as the driver spells them; and csv that is written so.

What is written as csv here has lost nothing: NULL is empty, an empty string is quoted, every other value is spelled so
that it can be read back.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    StructType,
    TimestampNTZType,
    TimestampType,
)

from datacell.engines.protocol import Csv
from datacell.errors import in_backticks

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

_NO_TEXT = "\ue000NULL\ue000"
"""What a field without quotes and text counts as: not as an empty string, which has quotes."""


def csv_columns(schema: StructType) -> list[Column] | None:
    """The columns as csv has them; None if executors spell one of them in another way than the driver."""
    if not all(spells(column.dataType) for column in schema.fields):
        return None
    return [spelled(f.col(in_backticks(c.name)), c.dataType).alias(c.name) for c in schema.fields]


def write_csv(frame: DataFrame, columns: Sequence[Column], form: Csv, directory: str, options: dict[str, str]) -> None:
    """The rows of a frame as csv that executors write; what was there is gone."""
    frame.select(*columns).write.mode("overwrite").options(**options, **csv_options(form)).csv(directory)


def csv_options(form: Csv) -> dict[str, str]:
    return {
        "sep": form.separator,
        "header": str(form.header).lower(),
        "escape": '"',
        "ignoreLeadingWhiteSpace": "false",
        "ignoreTrailingWhiteSpace": "false",
    }


def csv_reading_options(form: Csv) -> dict[str, str]:
    return {**csv_options(form), "multiLine": "true", "nullValue": _NO_TEXT}


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


def _instant(value: Column, zone: str) -> Column:
    """Spark's own text with a T, and with six digits of a second or none."""
    text = f.translate(value.cast("string"), " ", "T")
    digits = f.rpad(f.substring_index(text, ".", -1), 6, "0")
    precise = f.concat(f.substring_index(text, ".", 1), f.lit("."), digits)
    return f.concat(f.when(text.contains("."), precise).otherwise(text), f.lit(zone))


def _number(value: Column) -> Column:
    """Java writes 1.5E-5 and 1.0E7 where Python writes 1.5e-05 and 10000000.0; the digits are the same.

    The expression is kept short: Spark compiles it into the loop over all rows, and one that is too long, or that calls
    a function over an array, takes longer for every row.
    """
    text = value.cast("string")
    return f.when(text.contains("E"), _with_exponent(value, text)).otherwise(text)


def _with_exponent(value: Column, text: Column) -> Column:
    """What Java writes with an exponent; until Java 19 there may be more digits than a very large number needs."""
    plain = f.regexp_replace(f.rtrim(text.cast("decimal(38,22)").cast("string"), f.lit("0")), r"\.$", ".0")
    rounded = [f.format_string(f"%.{digits}E", value) for digits in (14, 15, 16)]
    is_large = f.abs(value) >= 1e16
    shortest = f.coalesce(*(f.when(is_large & (r.cast("double") == value), r) for r in rounded), text)
    power = f.substring_index(shortest, "E", -1).cast("int")
    digits = f.regexp_replace(f.substring_index(shortest, "E", 1), r"\.?0*$", "")
    sign = f.when(power < 0, "e-").otherwise("e+")
    scientific = f.concat(digits, sign, f.when(f.abs(power) < 10, "0").otherwise(""), f.abs(power).cast("string"))
    return f.when((f.abs(value) >= 1e-4) & ~is_large, plain).otherwise(scientific)
