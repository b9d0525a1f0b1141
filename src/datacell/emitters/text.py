"""Values as text: timestamps in ISO 8601 and UTC, everything else as JSON has it."""

from __future__ import annotations

import base64
import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa


def rows(table: pa.Table) -> list[dict[str, Any]]:
    """The rows as plain values that JSON has."""
    columns = {name: [plain(v) for v in table[name].to_pylist()] for name in table.schema.names}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


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
            return _quoted(value) if value == "" or any(c in value for c in '",\n\r') else value
        case list() | dict():
            return _quoted(json.dumps(value, ensure_ascii=False))
    return str(value)


def csv_line(values: list[Any]) -> str:
    return ",".join(map(csv_field, values))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    match value:
        case datetime():
            return instant(value)
        case date():
            return value.isoformat()
        case Decimal():
            return str(value)
        case bytes():
            return base64.b64encode(value).decode()
        case timedelta():
            return value.total_seconds()
        case list():
            return [plain(v) for v in value]
        case dict():
            return {k: plain(v) for k, v in value.items()}
    return value


def instant(value: datetime) -> str:
    """``2013-09-01T00:00:01Z``, with a fraction only where there is one."""
    if value.tzinfo is None:
        return value.isoformat()
    moved = value.astimezone(UTC).replace(tzinfo=None)
    return f"{moved.isoformat()}Z"
