"""Operators: arithmetic, comparison, logic. Operands are brought to the type in which Spark computes.

An integer that overflows wraps around on Spark and raises in DuckDB, so such a fragment falls back. Division by zero
is NULL on Spark and made so in DuckDB. NaN equals itself and is the greatest number in both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from datacell.algebra import duration, types
from datacell.algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    NULL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    Type,
    product_digits,
    sum_digits,
)
from datacell.engines.agreed import casts
from datacell.engines.agreed.spelled import RefusedError, Spelled, as_type, whole_literal

COMPARISONS: Mapping[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
}
ARITHMETIC: Mapping[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*"}
BITS: Mapping[type[exp.Expr], str] = {exp.BitwiseAnd: "&", exp.BitwiseOr: "|", exp.BitwiseXor: "^"}

_MONTHS = {"month": 1, "year": 12}
_WHOLE_DAYS = ("day", "week")


def same_type(values: list[Spelled], what: str) -> list[Spelled]:
    """All values in the type that holds them all."""
    target = types.common_of([v.type for v in values])
    if target is None or not all(casts.widens(v.type, target) for v in values):
        raise RefusedError(f"{what} of {' and '.join(dict.fromkeys(str(v.type) for v in values))}")
    return [casts.cast(v, target) for v in values] if target != NULL else values


def compared(node: exp.Expr, left: Spelled, right: Spelled) -> Spelled:
    a, b = same_type([left, right], "comparison")
    return Spelled(f"({a.text} {COMPARISONS[type(node)]} {b.text})", BOOLEAN, node)


def calculated(node: exp.Expr, left: Spelled, right: Spelled) -> Spelled:
    """``+ - *``"""
    symbol = ARITHMETIC[type(node)]
    if "decimal" in (left.type.name, right.type.name) and not _fractions(left, right):
        return _decimal(node, symbol, left, right)
    a, b = _numbers(symbol, left, right)
    return Spelled(f"({a.text} {symbol} {b.text})", a.type, node)


def divided(node: exp.Expr, left: Spelled, right: Spelled) -> Spelled:
    if "decimal" in (left.type.name, right.type.name) and not _fractions(left, right):
        raise RefusedError("a quotient of decimals is a double in DuckDB")
    _numbers("/", left, right)
    a, b = casts.cast(left, DOUBLE), casts.cast(right, DOUBLE)
    return Spelled(f"({a.text} / nullif({b.text}, 0))", DOUBLE, node)


def divided_whole(node: exp.Expr, left: Spelled, right: Spelled) -> Spelled:
    if not all(v.type in types.INTEGERS for v in (left, right)):
        raise RefusedError(f"div of {left.type} and {right.type}")
    a, b = casts.cast(left, BIGINT), casts.cast(right, BIGINT)
    return Spelled(f"({a.text} // nullif({b.text}, 0))", BIGINT, node)


def remainder(node: exp.Expr, left: Spelled, right: Spelled) -> Spelled:
    if "decimal" in (left.type.name, right.type.name):
        raise RefusedError("% of decimals")
    a, b = _numbers("%", left, right)
    return Spelled(f"({a.text} % nullif({b.text}, 0))", a.type, node)


def negated(node: exp.Expr, value: Spelled) -> Spelled:
    if not types.is_number(value.type):
        raise RefusedError(f"- of {value.type}")
    return Spelled(f"(-{value.text})", value.type, node)


def bits(node: exp.Expr, left: Spelled, right: Spelled) -> Spelled:
    if not all(v.type in types.INTEGERS for v in (left, right)):
        raise RefusedError(f"{BITS[type(node)]} of {left.type} and {right.type}")
    a, b = same_type([left, right], BITS[type(node)])
    text = f"xor({a.text}, {b.text})" if isinstance(node, exp.BitwiseXor) else f"({a.text} {BITS[type(node)]} {b.text})"
    return Spelled(as_type(text, a.type), a.type, node)


def matched(node: exp.Expr, operands: Sequence[Spelled], escape: str = "\\") -> Spelled:
    """LIKE; ILIKE looks at case only as far as ASCII."""
    value, pattern = operands
    if value.type != STRING or pattern.type != STRING:
        raise RefusedError(f"LIKE of {value.type} and {pattern.type}")
    word = "ILIKE" if isinstance(node, exp.ILike) else "LIKE"
    text = f"({value.text} {word} {pattern.text} ESCAPE '{escape}')"
    if word == "ILIKE":
        wide = f"strlen({value.text}) <> length({value.text}) OR strlen({pattern.text}) <> length({pattern.text})"
        text = f"CASE WHEN {wide} THEN error('text beyond ASCII') ELSE {text} END"
    return Spelled(f"(NOT {text})" if node.args.get("negate") else text, BOOLEAN, node)


def concatenated(node: exp.Expr, left: Spelled, right: Spelled) -> Spelled:
    if not all(casts.agreed(v.type, STRING) for v in (left, right)):
        raise RefusedError(f"|| of {left.type} and {right.type}")
    a, b = casts.cast(left, STRING), casts.cast(right, STRING)
    return Spelled(f"({a.text} || {b.text})", STRING, node)


def moved(node: exp.Expr, time: Spelled, by: exp.Interval | Spelled) -> Spelled:
    """A point in time moved by days or by a written interval."""
    sign = "-" if isinstance(node, exp.Sub) else "+"
    if isinstance(by, Spelled):
        if time.type != DATE or by.type not in (types.TINYINT, types.SMALLINT, types.INT):
            raise RefusedError(f"{time.type} {sign} {by.type}")
        return Spelled(as_type(f"({time.text} {sign} {casts.cast(by, types.INT).text})", DATE), DATE, node)
    count, unit = _interval(by)
    if time.type not in (DATE, TIMESTAMP, TIMESTAMP_NTZ):
        raise RefusedError(f"{time.type} {sign} an interval")
    step = (
        f"to_months({count * _MONTHS[unit]})" if unit in _MONTHS else f"to_microseconds({count * duration.UNITS[unit]})"
    )
    date_stays = time.type == DATE and (unit in _MONTHS or unit in _WHOLE_DAYS)
    result = time.type if time.type != DATE or date_stays else TIMESTAMP
    return Spelled(as_type(f"({as_type(time.text, TIMESTAMP)} {sign} {step})", result), result, node)


def _interval(node: exp.Interval) -> tuple[int, str]:
    unit = node.args.get("unit")
    value = node.this
    name = unit.name.lower().removesuffix("s") if isinstance(unit, exp.Var) else ""
    written = value.name if isinstance(value, exp.Literal) else ""
    if (name not in duration.UNITS and name not in _MONTHS) or not written.removeprefix("-").isdigit():
        raise RefusedError(f"the interval {node.sql(dialect='spark')}")
    return int(written), name


def _numbers(symbol: str, left: Spelled, right: Spelled) -> list[Spelled]:
    if not all(types.is_number(v.type) or v.type == NULL for v in (left, right)):
        raise RefusedError(f"{left.type} {symbol} {right.type}")
    if left.type == NULL and right.type == NULL:
        left, right = casts.cast(left, DOUBLE), casts.cast(right, DOUBLE)
    return same_type([left, right], symbol)


def _fractions(*values: Spelled) -> bool:
    return any(v.type in (types.FLOAT, DOUBLE) for v in values)


def _decimal(node: exp.Expr, symbol: str, left: Spelled, right: Spelled) -> Spelled:
    if not all(v.type.name == "decimal" or v.type in types.INTEGERS for v in (left, right)):
        raise RefusedError(f"{left.type} {symbol} {right.type}")
    x, y = _digits(left), _digits(right)
    precision, scale = _DIGITS[symbol](x, y)
    if precision > types.MAX_PRECISION:
        raise RefusedError(f"{symbol} of decimals with more than {types.MAX_PRECISION} digits")
    a, b = casts.cast(left, x), casts.cast(right, y)
    result = types.decimal(precision, scale)
    return Spelled(as_type(f"({a.text} {symbol} {b.text})", result), result, node)


def _digits(value: Spelled) -> Type:
    """An integer literal counts with the digits it is written with."""
    literal = whole_literal(value)
    if literal is not None and value.type in types.INTEGERS:
        return types.decimal(len(str(abs(literal))), 0)
    return types.as_decimal(value.type)


_DIGITS: Mapping[str, Callable[[Type, Type], tuple[int, int]]] = {
    "+": sum_digits,
    "-": sum_digits,
    "*": product_digits,
}
