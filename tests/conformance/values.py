"""Answers as text, and when two of them are the same.

NULL is NULL, text is quoted, a double has all its digits in an expression and twelve in an aggregate, whose last digits
depend on the order of the rows. -0.0 is 0.0: no agreed expression tells them apart.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from typing import Any

import pyarrow as pa


def same(a: Any, b: Any) -> bool:
    """NaN is itself, -0.0 is 0.0."""
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b))
    return type(a) is type(b) and bool(a == b)


def show(value: Any, digits: int | None = None) -> str:
    match value:
        case None:
            return "NULL"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case float():
            return repr(value + 0.0) if digits is None else f"{value + 0.0:.{digits}g}"
        case bool():
            return str(value).lower()
        case dt.datetime():
            return value.replace(tzinfo=None).isoformat(sep=" ")
        case bytes():
            return f"0x{value.hex()}"
    return str(value)


def rows(table: pa.Table, digits: int | None = None) -> list[str]:
    """One line per row."""
    columns = [[show(v, digits) for v in column.to_pylist()] for column in table.columns]
    return [", ".join(row) for row in zip(*columns, strict=True)]


def plain(table: pa.Table) -> pa.Table:
    """Days and instants as numbers: Python has no dates beyond the year 9999."""
    for i, f in enumerate(table.schema):
        if pa.types.is_date32(f.type) or pa.types.is_timestamp(f.type):
            number = pa.int32() if pa.types.is_date32(f.type) else pa.int64()
            table = table.set_column(i, f.name, table.column(i).cast(number))
    return table
