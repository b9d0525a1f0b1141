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

    What is done with such a number alone is a function over an array of it, for Spark would compile it into the loop
    over all rows, which then is too long for Java to make fast.
    """
    text = value.cast("string")
    odd = f.element_at(f.transform(f.array(value), _with_exponent), 1)
    return f.when(text.contains("E"), odd).otherwise(text)


def _with_exponent(value: Column) -> Column:
    """A number that Java writes with an exponent.

    Until Java 19 there may be more digits than are needed where neighbours are more than one apart.
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
    return f.when((size >= 1e7) & (size < 1e16) | (size >= 1e-4) & (size < 1e-3), whole).otherwise(scientific)
