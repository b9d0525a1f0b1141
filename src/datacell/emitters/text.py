"""Values as text: timestamps in ISO 8601 and UTC, everything else as JSON has it.

This is the definition, value by value; `columns` gives the same text for whole columns, fast.
"""

from __future__ import annotations

import base64
import json
import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa


def rows(table: pa.Table) -> list[dict[str, Any]]:
    """The rows as plain values that JSON has."""
    columns = {name: plain_column(table[name]) for name in table.schema.names}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def plain_column(column: pa.ChunkedArray | pa.Array) -> list[Any]:
    """The values of a column as JSON has them."""
    return [plain(value, column.type) for value in column.to_pylist()]


def json_line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)


def csv_field(value: Any) -> str:
    """A field of a csv line: NULL is empty, an empty string is quoted."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return quoted(value) if value == "" or any(c in value for c in '",\n\r') else value
        case list() | dict():
            return quoted(json_text(value))
    return str(value)


def csv_line(values: list[Any]) -> str:
    return ",".join(map(csv_field, values))


def json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def plain(value: Any, kind: pa.DataType | None = None) -> Any:
    """A value as JSON has it; `kind` tells a map from a list of pairs and a float from a double."""
    match value:
        case float():
            return number(value, kind)
        case datetime():
            return instant(value)
        case date():
            return value.isoformat()
        case Decimal():
            return format(value, "f")
        case bytes():
            return base64.b64encode(value).decode()
        case timedelta():
            return value.total_seconds()
        case list() if kind is not None and pa.types.is_map(kind):
            return {_key(plain(k, kind.key_type)): plain(v, kind.item_type) for k, v in value}
        case list():
            return [plain(v, None if kind is None else kind.value_type) for v in value]
        case dict():
            return {k: plain(v, None if kind is None else kind.field(k).type) for k, v in value.items()}
    return value


def number(value: float, kind: pa.DataType | None = None) -> float | str:
    """JSON has no numbers that are not finite: they are strings, spelled as Spark reads them."""
    if math.isfinite(value):
        return float(str(np.float32(value))) if kind == pa.float32() else value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def instant(value: datetime) -> str:
    """``2013-09-01T00:00:01Z``, with a fraction only where there is one."""
    if value.tzinfo is None:
        return value.isoformat()
    moved = value.astimezone(UTC).replace(tzinfo=None)
    return f"{moved.isoformat()}Z"


def _key(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)
