"""Spark's own types, read as they are: what they print leaves out fields of many, and does not quote their names."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, DataType, MapType, StringType, StructType

from datacell.algebra import types
from datacell.algebra.types import STRING, Type


def type_of(kind: DataType, *, collated: bool = True) -> Type:
    """ValueError if there is no such type here. Text leaves Spark as text, whatever it is compared by there."""
    match kind:
        case StructType():
            return types.struct(*((field.name, type_of(field.dataType, collated=collated)) for field in kind))
        case ArrayType():
            return types.array(type_of(kind.elementType, collated=collated))
        case MapType():
            key, value = (type_of(part, collated=collated) for part in (kind.keyType, kind.valueType))
            return types.map_of(key, value)
        case StringType() if not collated:
            return STRING
    return types.of(kind.simpleString())
