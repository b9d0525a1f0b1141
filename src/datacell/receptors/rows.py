"""Rows that are pushed from Python, as an Arrow table of the stream's columns. Every value arrives as it was pushed.

NaN is a number, unless it comes from pandas, where it means that a value is missing. A time without a zone is in UTC.
Microseconds are the finest time there is. A text is read as a number or a time where the column is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from datacell.algebra.definitions import StreamDefinition
from datacell.algebra.schema import Schema
from datacell.engines.arrow import arrow_schema
from datacell.errors import SqlError


def to_table(rows: Any, stream: StreamDefinition) -> pa.Table:
    """The rows: dicts, tuples, a generator of either, a pandas frame, an Arrow table, batch or reader."""
    schema = arrow_schema(Schema(stream.fields))
    if isinstance(rows, pa.RecordBatch):
        rows = pa.Table.from_batches([rows])
    if isinstance(rows, pa.RecordBatchReader):
        rows = rows.read_all()
    if hasattr(rows, "to_dict") and hasattr(rows, "columns") and not isinstance(rows, pa.Table):
        rows = pa.Table.from_pandas(rows, preserve_index=False)
    if isinstance(rows, pa.Table):
        return _conformed(rows, schema, stream)
    if not isinstance(rows, Iterable):
        problem = f"rows of {stream.name} are dicts or tuples, a pandas frame or an Arrow table; this is {rows!r:.80}"
        raise SqlError(problem, hint="nothing was pushed")
    return _built(rows, schema, stream)


def _conformed(table: pa.Table, schema: pa.Schema, stream: StreamDefinition) -> pa.Table:
    given = {name.lower(): name for name in table.schema.names}
    _refuse_unknown(given.values(), stream)
    columns = []
    for field in schema:
        if field.name.lower() not in given:
            columns.append(pa.nulls(len(table), field.type))
            continue
        column = table[given[field.name.lower()]]
        coarser = pa.types.is_timestamp(column.type) and pa.types.is_timestamp(field.type)
        try:
            columns.append(column.cast(field.type, safe=not coarser))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise _misfit(field, stream, error) from error
    return pa.table(columns, schema=schema)


def _built(rows: Iterable[Any], schema: pa.Schema, stream: StreamDefinition) -> pa.Table:
    values: list[list[Any]] = [[] for _ in schema]
    places = {field.name.lower(): place for place, field in enumerate(schema)}
    for row in rows:
        for column, value in zip(values, _in_order(row, places, stream), strict=True):
            column.append(value)
    return pa.table([_array(v, f, stream) for v, f in zip(values, schema, strict=True)], schema=schema)


def _in_order(row: Any, places: Mapping[str, int], stream: StreamDefinition) -> Sequence[Any]:
    if isinstance(row, Mapping):
        found: list[Any] = [None] * len(places)
        for name, value in row.items():
            place = places.get(str(name).lower())
            if place is None:
                _refuse_unknown([str(name)], stream)
            else:
                found[place] = value
        return found
    if isinstance(row, Sequence) and not isinstance(row, str | bytes) and len(row) == len(places):
        return row
    names = ", ".join(c.name for c in stream.columns)
    raise SqlError(f"a row of {stream.name} is a dict, or a tuple of {len(places)}: {names}")


def _array(values: list[Any], field: pa.Field, stream: StreamDefinition) -> pa.Array:
    if pa.types.is_integer(field.type) and (broken := next(filter(_is_broken, values), None)) is not None:
        raise _misfit(field, stream, ValueError(f"{broken} would be cut off"))
    try:
        return pa.array(values, field.type, from_pandas=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, TypeError, ValueError):
        pass
    try:
        return pa.array([_read(value, field.type) for value in values], field.type, from_pandas=False)
    except (
        pa.ArrowInvalid,
        pa.ArrowTypeError,
        pa.ArrowNotImplementedError,
        ArithmeticError,
        TypeError,
        ValueError,
    ) as e:
        raise _misfit(field, stream, e) from e


def _read(value: Any, kind: pa.DataType) -> Any:
    """A value that Arrow does not take for this type, if it can be read as one."""
    if isinstance(value, datetime) and pa.types.is_date(kind):
        return value.date()
    if isinstance(value, date) and not isinstance(value, datetime) and pa.types.is_timestamp(kind):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    if isinstance(value, str) and pa.types.is_timestamp(kind):
        return datetime.fromisoformat(value)
    if isinstance(value, str) and pa.types.is_date(kind):
        return date.fromisoformat(value)
    if isinstance(value, str | float | int) and pa.types.is_decimal(kind):
        return pa.scalar(str(value)).cast(kind).as_py()
    if isinstance(value, str) and (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return pa.scalar(value).cast(kind).as_py()
    return value.item() if hasattr(value, "item") and getattr(value, "shape", None) == () else value


def _is_broken(value: Any) -> bool:
    """Arrow cuts such numbers off without a word."""
    return isinstance(value, float | np.floating) and not float(value).is_integer()


def _refuse_unknown(names: Iterable[str], stream: StreamDefinition) -> None:
    known = [c.name.lower() for c in stream.columns]
    wrong = next((name for name in names if name.lower() not in known), None)
    if wrong is not None:
        raise SqlError(
            f"stream {stream.name} has no column {wrong}", hint=f"it has {', '.join(c.name for c in stream.columns)}"
        )


def _misfit(field: pa.Field, stream: StreamDefinition, error: Exception) -> SqlError:
    kind = next(c.type for c in stream.columns if c.name == field.name)
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return SqlError(f"a value of {stream.name}.{field.name} is no {kind}: {reason}", hint="nothing was pushed")
