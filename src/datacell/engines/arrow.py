"""Our types as Arrow's. A timestamp is an instant: microseconds in UTC."""

from __future__ import annotations

import pyarrow as pa

from datacell.algebra import types
from datacell.algebra.schema import Field, Schema
from datacell.algebra.types import Type
from datacell.errors import SqlError

_PLAIN: dict[Type, pa.DataType] = {
    types.BOOLEAN: pa.bool_(),
    types.TINYINT: pa.int8(),
    types.SMALLINT: pa.int16(),
    types.INT: pa.int32(),
    types.BIGINT: pa.int64(),
    types.FLOAT: pa.float32(),
    types.DOUBLE: pa.float64(),
    types.STRING: pa.string(),
    types.BINARY: pa.binary(),
    types.DATE: pa.date32(),
    types.TIMESTAMP: pa.timestamp("us", tz="UTC"),
    types.TIMESTAMP_NTZ: pa.timestamp("us"),
    types.NULL: pa.null(),
}


def arrow_type(t: Type) -> pa.DataType:
    """The type in which values are carried between the engines; an error if there is none."""
    if t in _PLAIN:
        return _PLAIN[t]
    match t.name, t.arguments:
        case "decimal", _:
            return pa.decimal128(t.precision, t.scale)
        case "array", (element,):
            return pa.list_(arrow_type(element))
        case "map", (key, value):
            return pa.map_(arrow_type(key), arrow_type(value))
        case "struct", inner:
            return pa.struct([pa.field(n, arrow_type(i)) for n, i in zip(t.names, inner, strict=True)])
    if t.name.startswith("interval") and "month" not in t.name and "year" not in t.name and t.name != "interval":
        return pa.duration("us")
    raise SqlError(f"values of type {t} cannot leave Spark", hint="CAST(… AS STRING)")


def type_of(t: pa.DataType) -> Type:
    """Our type that Arrow's stands for; ValueError if there is none."""
    for ours, theirs in _PLAIN.items():
        if theirs == t:
            return ours
    if pa.types.is_timestamp(t):
        return types.TIMESTAMP_NTZ if t.tz is None else types.TIMESTAMP
    if pa.types.is_large_string(t) or pa.types.is_string_view(t):
        return types.STRING
    if pa.types.is_decimal(t):
        return types.of(f"decimal({t.precision},{t.scale})")
    if pa.types.is_duration(t):
        return types.DAY_TIME_INTERVAL
    if pa.types.is_list(t):
        return types.of(f"array<{type_of(t.value_type)}>")
    if pa.types.is_map(t):
        return types.of(f"map<{type_of(t.key_type)},{type_of(t.item_type)}>")
    if pa.types.is_struct(t):
        return types.of(f"struct<{','.join(f'`{f.name}`:{type_of(f.type)}' for f in t)}>")
    raise ValueError(f"{t} is no type of a table")


def fields_of(schema: pa.Schema) -> tuple[Field, ...]:
    """The columns of an Arrow table as ours."""
    return tuple(Field(f.name, type_of(f.type)) for f in schema)


def arrow_schema(schema: Schema) -> pa.Schema:
    return pa.schema([pa.field(f.name, arrow_type(f.type)) for f in schema])


def conform(table: pa.Table, schema: Schema) -> pa.Table:
    """The same rows with exactly the plan's names and types."""
    return shaped(table, arrow_schema(schema))


def shaped(table: pa.Table, wanted: pa.Schema) -> pa.Table:
    """The same rows with exactly these names and types."""
    return table if table.schema.equals(wanted) else table.rename_columns(wanted.names).cast(wanted)


def selected(table: pa.Table, columns: Schema) -> pa.Table:
    """The named columns of an input, with exactly these types; other columns of it are not looked at."""
    return conform(table.select(list(columns.names)), columns)


def readable(table: pa.Table) -> pa.Table:
    """The same rows; in Spark text may have bytes that are no letters, which it shows as �."""
    for number, (name, column) in enumerate(zip(table.schema.names, table.columns, strict=True)):
        if pa.types.is_string(column.type) and not _is_readable(column):
            shown = (None if v is None else v.decode(errors="replace") for v in column.cast(pa.binary()).to_pylist())
            table = table.set_column(number, name, pa.array(shown, column.type))
    return table


def _is_readable(column: pa.ChunkedArray) -> bool:
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True
