"""Values as text, by executors, spelled as the driver spells them; and csv that is written so.

What is written as csv here has lost nothing: NULL is empty, an empty string is quoted, every other value is spelled so
that it can be read back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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

_ZEROS = "00000"
"""As many as may be missing of six digits of a second."""

_NO_TEXT = "\ue000NULL\ue000"
"""What a field without quotes and text counts as: not as an empty string, which has quotes."""


@dataclass(frozen=True)
class Spelled:
    """How the columns of a frame become those of csv: first the texts that Spark makes itself, then what comes of them.

    Two steps, for in one Spark would make the text of a value again wherever an expression reads it.
    """

    texts: Sequence[Column]
    columns: Sequence[Column]

    def of(self, frame: DataFrame) -> DataFrame:
        return frame.select(*self.texts).select(*self.columns)


def csv_columns(schema: StructType) -> Spelled | None:
    """The columns as csv has them; None if executors spell one of them in another way than the driver."""
    if not all(spells(column.dataType) for column in schema.fields):
        return None
    texts, columns = list[Column](), list[Column]()
    for number, column in enumerate(schema.fields):
        value, text = f.col(in_backticks(column.name)), f.col(f"text {number}")
        texts.append(_text(value, column.dataType).alias(f"text {number}"))
        if isinstance(column.dataType, DoubleType):
            texts.append(value.alias(f"value {number}"))
        columns.append(_finished(f.col(f"value {number}"), text, column.dataType).alias(column.name))
    return Spelled(texts, columns)


def write_csv(frame: DataFrame, columns: Spelled, form: Csv, directory: str, options: dict[str, str]) -> None:
    """The rows of a frame as csv that executors write; what was there is gone."""
    columns.of(frame).write.mode("overwrite").options(**options, **csv_options(form)).csv(directory)


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
    return _finished(value, _text(value, kind), kind)


def _text(value: Column, kind: DataType) -> Column:
    """A value as Spark writes it; a cast would write decimals like 0E-18."""
    if isinstance(kind, DecimalType):
        return f.call_function("format_number", value, f.lit(f"0.{'0' * kind.scale}".rstrip(".")))
    return value.cast("string")


def _finished(value: Column, text: Column, kind: DataType) -> Column:
    """Spark's text of a value as the driver writes it."""
    if isinstance(kind, DoubleType):
        return _number(value, text)
    if isinstance(kind, TimestampType | TimestampNTZType):
        return _instant(text, "Z" if isinstance(kind, TimestampType) else "")
    return text


def _instant(text: Column, zone: str) -> Column:
    """With a T, and with six digits of a second or none."""
    point = f.instr(text, ".")
    zeros = f.substring(f.lit(_ZEROS), f.lit(1), f.lit(len(_ZEROS) + 1) + point - f.length(text))
    fill = f.when(point > 0, zeros).otherwise(f.lit(""))
    return f.concat(f.replace(text, f.lit(" "), f.lit("T")), fill, f.lit(zone))


def _number(value: Column, text: Column) -> Column:
    """Java writes 1.5E-5 and 1.0E7 where Python writes 1.5e-05 and 10000000.0; the digits are the same.

    The expression is kept short: Spark compiles it into the loop over all rows, and one that is too long, or that calls
    a function over an array, takes longer for every row.
    """
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
