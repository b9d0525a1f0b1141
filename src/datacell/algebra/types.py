"""The types of Spark SQL, as values.

A type prints as Spark prints it (``array<decimal(10,2)>``) and is read back from any spelling that Spark accepts.
The widening rules are Spark's with ANSI mode off, the mode every query runs in: a bad cast is NULL, it never stops
a query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

MAX_PRECISION = 38


@dataclass(frozen=True, slots=True)
class Type:
    """A Spark type: a name, and what stands between its brackets."""

    name: str
    arguments: tuple[Type, ...] = ()
    precision: int = 0
    scale: int = 0
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        match self.name:
            case "decimal":
                return f"decimal({self.precision},{self.scale})"
            case "struct":
                inner = ",".join(f"{n}:{t}" for n, t in zip(self.names, self.arguments, strict=True))
                return f"struct<{inner}>"
            case "array" | "map":
                return f"{self.name}<{','.join(map(str, self.arguments))}>"
        return self.name


def spelled(t: Type) -> str:
    """The type as Spark reads it, whatever its fields are called."""
    inner = [spelled(argument) for argument in t.arguments]
    match t.name:
        case "struct":
            fields = (f"`{n.replace('`', '``')}`:{i}" for n, i in zip(t.names, inner, strict=True))
            return f"struct<{','.join(fields)}>"
        case "array" | "map":
            return f"{t.name}<{','.join(inner)}>"
    return str(t)


BOOLEAN = Type("boolean")
TINYINT, SMALLINT, INT, BIGINT = Type("tinyint"), Type("smallint"), Type("int"), Type("bigint")
FLOAT, DOUBLE = Type("float"), Type("double")
STRING, BINARY = Type("string"), Type("binary")
DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME = Type("date"), Type("timestamp"), Type("timestamp_ntz"), Type("time(6)")
CALENDAR_INTERVAL = Type("interval")
DAY_TIME_INTERVAL, YEAR_MONTH_INTERVAL = Type("interval day to second"), Type("interval year to month")
VARIANT = Type("variant")
NULL = Type("void")

_COLLATED, _BY_BYTES = "string collate ", "UTF8_BINARY"

INTEGERS = (TINYINT, SMALLINT, INT, BIGINT)
_NUMBERS = (*INTEGERS, FLOAT, DOUBLE)
_INTEGER_DIGITS = {TINYINT: 3, SMALLINT: 5, INT: 10, BIGINT: 20}

_KINDS = {
    exp.DType.BOOLEAN: BOOLEAN,
    exp.DType.TINYINT: TINYINT,
    exp.DType.SMALLINT: SMALLINT,
    exp.DType.INT: INT,
    exp.DType.BIGINT: BIGINT,
    exp.DType.FLOAT: FLOAT,
    exp.DType.DOUBLE: DOUBLE,
    exp.DType.TEXT: STRING,
    exp.DType.CHAR: STRING,
    exp.DType.VARCHAR: STRING,
    exp.DType.BINARY: BINARY,
    exp.DType.VARBINARY: BINARY,
    exp.DType.DATE: DATE,
    exp.DType.TIMESTAMP: TIMESTAMP,
    exp.DType.TIMESTAMPTZ: TIMESTAMP,
    exp.DType.TIMESTAMPLTZ: TIMESTAMP,
    exp.DType.DATETIME: TIMESTAMP,
    exp.DType.TIMESTAMPNTZ: TIMESTAMP_NTZ,
    exp.DType.INTERVAL: CALENDAR_INTERVAL,
    exp.DType.VARIANT: VARIANT,
    exp.DType.NULL: NULL,
}


def decimal(precision: int, scale: int) -> Type:
    return Type("decimal", precision=precision, scale=scale)


def array(element: Type) -> Type:
    return Type("array", (element,))


def map_of(key: Type, value: Type) -> Type:
    return Type("map", (key, value))


def struct(*fields: tuple[str, Type]) -> Type:
    return Type("struct", tuple(t for _, t in fields), names=tuple(n for n, _ in fields))


def is_number(t: Type) -> bool:
    return t in _NUMBERS or t.name == "decimal"


def is_collated(t: Type) -> bool:
    """Is there text in it that is compared otherwise than by its bytes?"""
    return t.name.startswith(_COLLATED) or any(map(is_collated, t.arguments))


def collation(t: Type) -> str:
    """The name of the collation of text."""
    return t.name.removeprefix(_COLLATED)


def has_text(t: Type) -> bool:
    return t == STRING or any(map(has_text, t.arguments))


def uncollated(t: Type) -> Type:
    """The type of the same values where nobody compares them."""
    return STRING if t.name.startswith(_COLLATED) else replace(t, arguments=tuple(map(uncollated, t.arguments)))


def is_interval(t: Type) -> bool:
    return t.name.startswith("interval")


def is_time(t: Type) -> bool:
    return t in (DATE, TIMESTAMP, TIMESTAMP_NTZ)


def is_portable(t: Type) -> bool:
    """Can values of the type leave Spark? A variant, a time of day, months and two fields of one name cannot."""
    months = is_interval(t) and (t == CALENDAR_INTERVAL or "year" in t.name or "month" in t.name)
    is_odd = t == VARIANT or months or t.name.startswith("time(") or len(set(t.names)) < len(t.names)
    return not is_odd and all(map(is_portable, t.arguments))


def of(text: str) -> Type:
    """Read a type as Spark spells it; ValueError if there is no such type."""
    spelled = re.sub(r"\bvoid\b(?=\s*(?:[,>]|$))", "null", text, flags=re.IGNORECASE)
    try:
        (inner,) = exp.DataType.build(f"array<{spelled}>", dialect="spark").expressions  # else a collation gets lost
        return of_sqlglot(inner)
    except (ParseError, TokenError, ValueError) as error:
        raise ValueError(f"there is no type {text}") from error


def of_sqlglot(node: exp.Expr) -> Type:
    """Read a type from sqlglot's tree; ValueError if Spark has no such type."""
    inner = node.expressions
    match node.this:
        case exp.Interval() as interval:
            return Type(f"interval {interval.args['unit'].sql().lower()}")
        case exp.DType.ARRAY if len(inner) == 1:
            return array(of_sqlglot(inner[0]))
        case exp.DType.MAP if len(inner) == 2:
            return map_of(*map(of_sqlglot, inner))
        case exp.DType.STRUCT if all(isinstance(part, exp.ColumnDef) for part in inner):
            return struct(*((part.name, of_column(part)) for part in inner))
        case exp.DType.DECIMAL:
            numbers = [int(part.name) for part in inner]
            return decimal(*(numbers + [10, 0][len(numbers) :]))
        case exp.DType.TEXT if node.args.get("collate") is not None:
            return _collated(node.args["collate"])
        case exp.DType.TIME:
            return Type(f"time({inner[0].name if inner else 6})")
        case exp.DType() as kind if kind in _KINDS:
            return _KINDS[kind]
    raise ValueError(f"there is no type {node.sql(dialect='spark')}")


def of_column(field: exp.ColumnDef) -> Type:
    """The type of a column, or of a field of a struct, as it is declared."""
    kinds = (constraint.args.get("kind") for constraint in field.args.get("constraints") or ())
    collation = next((k.this for k in kinds if isinstance(k, exp.CollateColumnConstraint)), None)
    return of_sqlglot(field.args["kind"]) if collation is None else _collated(collation)


def _collated(name: exp.Expr) -> Type:
    called = name.name.upper()
    return STRING if called == _BY_BYTES else Type(f"{_COLLATED}{called}")


def to_sqlglot(t: Type) -> exp.DataType:
    """The same type as a tree that sqlglot can print in any dialect."""
    match t.name:
        case "array" | "map":
            return exp.DataType(this=exp.DType[t.name.upper()], expressions=_inner_to_sqlglot(t), nested=True)
        case "struct":
            pairs = zip(t.names, _inner_to_sqlglot(t), strict=True)
            fields = [exp.ColumnDef(this=exp.to_identifier(name), kind=kind) for name, kind in pairs]
            return exp.DataType(this=exp.DType.STRUCT, expressions=fields, nested=True)
        case "void":
            return exp.DataType(this=exp.DType.NULL)
        case name if name.startswith(_COLLATED):
            return exp.DataType(this=exp.DType.TEXT, collate=exp.to_identifier(name.removeprefix(_COLLATED)))
    return exp.DataType.build(str(t), dialect="spark")


def _inner_to_sqlglot(t: Type) -> list[exp.DataType]:
    return [to_sqlglot(inner) for inner in t.arguments]


def common(a: Type, b: Type) -> Type | None:
    """The narrowest type that holds the values of both, or None."""
    if b in (a, NULL):
        return a
    if a == NULL:
        return b
    if is_number(a) and is_number(b):
        return _common_number(a, b)
    if is_time(a) and is_time(b):
        return TIMESTAMP if TIMESTAMP in (a, b) else TIMESTAMP_NTZ
    if a.name == b.name and len(a.arguments) == len(b.arguments) and _same_fields(a, b):
        inner = [common(x, y) for x, y in zip(a.arguments, b.arguments, strict=True)]
        if None not in inner and a.name in ("array", "map", "struct"):
            return Type(a.name, tuple(t for t in inner if t is not None), names=a.names)
        return None
    if STRING in (a, b):
        other = b if a == STRING else a
        return None if other.arguments or other in (BINARY, BOOLEAN, CALENDAR_INTERVAL) else STRING
    if is_interval(a) and is_interval(b):
        return _common_interval(a, b)
    return None


def common_of(types: list[Type]) -> Type | None:
    """`common` over several types; `void` if there are none."""
    found: Type | None = NULL
    for t in types:
        found = None if found is None else common(found, t)
    return found


def renamed(t: Type, as_in: Type) -> Type:
    """A struct with the names that the fields of another have; other types as they are."""
    if t.name != "struct" or as_in.name != "struct" or len(t.names) != len(as_in.names):
        return t
    return Type("struct", t.arguments, names=as_in.names)


def as_decimal(t: Type) -> Type:
    """The decimal that holds every value of an integer type; a decimal itself."""
    return t if t.name == "decimal" else decimal(_INTEGER_DIGITS[t], 0)


def _same_fields(a: Type, b: Type) -> bool:
    return [name.lower() for name in a.names] == [name.lower() for name in b.names]


def _common_number(a: Type, b: Type) -> Type:
    if a in _NUMBERS and b in _NUMBERS:
        return max(a, b, key=_NUMBERS.index)
    if FLOAT in (a, b) or DOUBLE in (a, b):
        return DOUBLE
    x, y = as_decimal(a), as_decimal(b)
    scale = max(x.scale, y.scale)
    whole = max(x.precision - x.scale, y.precision - y.scale)
    return decimal(min(whole + scale, MAX_PRECISION), min(scale, MAX_PRECISION - whole))


def bounded_decimal(precision: int, scale: int) -> Type:
    """Spark gives up digits after the point, but keeps at least six, when 38 digits do not suffice."""
    if precision <= MAX_PRECISION:
        return decimal(precision, scale)
    whole = precision - scale
    return decimal(MAX_PRECISION, max(MAX_PRECISION - whole, min(scale, 6)))


def _common_interval(a: Type, b: Type) -> Type | None:
    units = ("year", "month", "day", "hour", "minute", "second")
    if CALENDAR_INTERVAL in (a, b):
        return None
    used = sorted(units.index(w) for t in (a, b) for w in t.name.split() if w in units)
    if used[0] < 2 <= used[-1]:
        return None
    first, last = units[used[0]], units[used[-1]]
    return Type(f"interval {first}" if first == last else f"interval {first} to {last}")


def sum_digits(x: Type, y: Type) -> tuple[int, int]:
    """Precision and scale of the sum or difference of two decimals, before they are bounded."""
    scale = max(x.scale, y.scale)
    return max(x.precision - x.scale, y.precision - y.scale) + scale + 1, scale


def product_digits(x: Type, y: Type) -> tuple[int, int]:
    """Precision and scale of the product of two decimals, before they are bounded."""
    return x.precision + y.precision + 1, x.scale + y.scale
