"""Casts on which the engines agree, and how DuckDB is made to cast as Spark does with ANSI mode off.

Spark wraps an integer that does not fit and saturates a double; DuckDB raises there, and the fragment falls back. Text
that is no value of the type is NULL in both: the patterns below say which text Spark reads.
"""

from __future__ import annotations

from collections.abc import Callable

from datacell.algebra import types
from datacell.algebra.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    NULL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    Type,
)
from datacell.engines.agreed.spelled import RefusedError, Spelled, as_type, type_name

_BLANKS = r"[\x00-\x20\x7F]*"
_WHOLE = rf"^{_BLANKS}([+-]?)([0-9]*)(\.[0-9]*)?{_BLANKS}$"
_NO_WHOLE = rf"^{_BLANKS}[+-]?{_BLANKS}$"
_FRACTION = r"^[\x00-\x20]*([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)[dDfF]?[\x00-\x20]*$"
_MAYBE_FRACTION = r"(?i)(inf|nan|0x)"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIMESTAMP = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?)?$"
_EXACT_DIGITS = 15
"""So many digits of a decimal are a double without rounding twice."""


def cast(value: Spelled, to: Type) -> Spelled:
    """The value as another type."""
    if value.type == to:
        return value
    type_name(to)
    spelling = _spelling(value.type, to)
    if spelling is None:
        raise RefusedError(f"cast from {value.type} to {to}")
    return Spelled(spelling(value.text), to, value.node)


def agreed(given: Type, to: Type) -> bool:
    return given == to or _spelling(given, to) is not None


def widens(given: Type, to: Type) -> bool:
    """Casts that Spark makes without being asked, on the way to a common type or to a parameter."""
    return given in (to, NULL) or (types.common(given, to) == to and STRING not in (given, to))


def _spelling(given: Type, to: Type) -> Callable[[str], str] | None:
    if given == NULL:
        return lambda x: as_type(x, to)
    if to == STRING:
        return _to_text(given)
    if given == STRING:
        return _from_text(to)
    if types.is_number(given) and types.is_number(to):
        return _between_numbers(given, to)
    if BOOLEAN in (given, to):
        other = to if given == BOOLEAN else given
        return (lambda x: as_type(x, to)) if other in types.INTEGERS else None
    if given == TIMESTAMP and to == BIGINT:
        return lambda x: f"(epoch_us(date_trunc('second', {x})) // 1000000)"
    if types.is_time(given) and types.is_time(to):
        return lambda x: as_type(x, to)
    return None


def _between_numbers(given: Type, to: Type) -> Callable[[str], str] | None:
    match given, to:
        case _, Type("decimal") if given.name == "decimal" or given in types.INTEGERS:
            return lambda x: f"TRY_CAST({x} AS {type_name(to)})"
        case Type("decimal"), _ if to in types.INTEGERS:
            return lambda x: as_type(f"trunc({x})", to)
        case Type("decimal"), _ if to == DOUBLE and given.precision <= _EXACT_DIGITS:
            return lambda x: as_type(x, to)
        case _ if given in (FLOAT, DOUBLE) and to in types.INTEGERS:
            return lambda x: as_type(f"trunc({x})", to)
        case _ if to in (FLOAT, DOUBLE) and given.name != "decimal":
            return lambda x: as_type(x, to)
        case _ if given in types.INTEGERS and to in types.INTEGERS:
            return lambda x: as_type(x, to)
    return None


def _to_text(given: Type) -> Callable[[str], str] | None:
    match given:
        case _ if given in (BOOLEAN, *types.INTEGERS):
            return lambda x: as_type(x, STRING)
        case Type("decimal") if given.scale <= 6:
            return lambda x: as_type(x, STRING)
        case _ if given in (DATE, TIMESTAMP, TIMESTAMP_NTZ):
            return lambda x: (
                f"CASE WHEN year({x}) NOT BETWEEN 1 AND 9999 THEN error('a year of more than four digits') "
                f"ELSE {as_type(x, STRING)} END"
            )
    return None


def _from_text(to: Type) -> Callable[[str], str] | None:
    match to:
        case _ if to in types.INTEGERS:
            return lambda x: _whole_number(x, to)
        case _ if to in (FLOAT, DOUBLE):
            return lambda x: _fraction(x, to)
        case _ if to == BOOLEAN:
            return _truth
        case _ if to == DATE:
            return lambda x: _time(x, _DATE, to)
        case _ if to in (TIMESTAMP, TIMESTAMP_NTZ):
            return lambda x: _time(x, _TIMESTAMP, to)
        case _ if to == BINARY:
            return lambda x: f"encode({x})"
    return None


def _whole_number(x: str, to: Type) -> str:
    digits = f"regexp_extract({x}, '{_WHOLE}', 1) || '0' || regexp_extract({x}, '{_WHOLE}', 2)"
    readable = f"regexp_matches({x}, '{_WHOLE}') AND NOT regexp_matches({x}, '{_NO_WHOLE}')"
    return f"CASE WHEN {readable} THEN TRY_CAST({digits} AS {type_name(to)}) END"


def _fraction(x: str, to: Type) -> str:
    number = f"TRY_CAST(regexp_extract({x}, '{_FRACTION}', 1) AS {type_name(to)})"
    return (
        f"CASE WHEN regexp_matches({x}, '{_FRACTION}') THEN coalesce({number}, error('a number too large')) "
        f"WHEN regexp_matches({x}, '{_MAYBE_FRACTION}') THEN error('a number in words') END"
    )


def _truth(x: str) -> str:
    word = rf"lower(regexp_extract({x}, '^{_BLANKS}([a-zA-Z01]+){_BLANKS}$', 1))"
    return (
        f"CASE WHEN {word} IN ('t', 'true', 'y', 'yes', '1') THEN true "
        f"WHEN {word} IN ('f', 'false', 'n', 'no', '0') THEN false END"
    )


def _time(x: str, pattern: str, to: Type) -> str:
    return (
        f"CASE WHEN regexp_matches({x}, '{pattern}') THEN TRY_CAST({x} AS {type_name(to)}) "
        f"WHEN regexp_matches({x}, '[0-9]') THEN error('a time in another form') END"
    )
