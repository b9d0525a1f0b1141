"""The types of literals: the narrowest that Spark reads them as."""

from __future__ import annotations

from sqlglot import exp

from datacell.algebra import types
from datacell.algebra.types import Type
from datacell.sql.types.errors import SignatureError

_UNITS = {
    "year": "year",
    "month": "month",
    "week": "day",
    "day": "day",
    "hour": "hour",
    "minute": "minute",
    "second": "second",
    "millisecond": "second",
    "microsecond": "second",
    "nanosecond": "second",
}


def literal_type(node: exp.Expr) -> Type:
    """Text, NULL, true, bytes, or a number: 1 is an int, 1.5 a decimal(2,1), 1e3 a double."""
    match node:
        case exp.Null():
            return types.NULL
        case exp.Boolean():
            return types.BOOLEAN
        case exp.HexString():
            return types.BINARY
        case exp.Neg():
            return _number_type(f"-{node.this.name.lower()}")
        case exp.Literal() if not node.is_string:
            return _number_type(node.name.lower())
    return types.STRING


def interval_type(node: exp.Expr) -> Type:
    """``interval day``, or from the first unit to the last: ``interval day to second``."""
    unit = node.args.get("unit")
    if isinstance(unit, exp.IntervalSpan):
        return _between(_unit(unit.this.name), _unit(unit.expression.name))
    if unit is not None:
        return Type(f"interval {_unit(unit.name)}")
    units = [_unit(word) for word in str(node.name).split() if word.isalpha()]
    if not units:
        raise SignatureError("an interval needs a unit: INTERVAL '5' MINUTE")
    return _between(units[0], units[-1])


def _number_type(text: str) -> Type:
    if "e" in text:
        return types.DOUBLE
    if "." not in text:
        return _integer_type(int(text))
    whole, _, fraction = text.removeprefix("-").partition(".")
    return types.decimal(max(len(whole.lstrip("0")) + len(fraction), 1), len(fraction))


def _integer_type(value: int) -> Type:
    if -(2**31) <= value < 2**31:
        return types.INT
    return types.BIGINT if -(2**63) <= value < 2**63 else types.decimal(len(str(abs(value))), 0)


def _between(first: str, last: str) -> Type:
    return Type(f"interval {first}" if first == last else f"interval {first} to {last}")


def _unit(written: str) -> str:
    name = written.lower().removesuffix("s")
    if name not in _UNITS:
        raise SignatureError(f"there is no interval unit {written}")
    return _UNITS[name]
