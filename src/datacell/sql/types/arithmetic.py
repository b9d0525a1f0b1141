"""The types of ``+ - * / % div`` as Spark gives them with ANSI mode off.

A string counts as a double, NULL takes the type of the other side, a decimal gets the digits that the result can
need, and dates and timestamps move by intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from datacell.algebra import types
from datacell.algebra.types import Type, product_digits, sum_digits
from datacell.sql.types.errors import SignatureError

SYMBOLS: Mapping[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.IntDiv: "div",
}


def result(operator: type[exp.Expr], a: Type, b: Type, operands: Sequence[exp.Expr] = ()) -> Type:
    """The type of an operation; the operands' trees show which integers are literals, and so how long they are."""
    found: Type | None = None
    if _is_temporal(a) or _is_temporal(b):
        found = _moved_time(operator, a, b)
    elif operator is exp.IntDiv:
        found = types.BIGINT if _whole(a) and _whole(b) else None
    elif _countable(a) and _countable(b):
        found = _number(operator, a, b, operands)
    if found is None:
        raise SignatureError(f"{a} {SYMBOLS[operator]} {b} has no meaning", 1 if _countable(a) else 0)
    return found


def _number(operator: type[exp.Expr], a: Type, b: Type, operands: Sequence[exp.Expr]) -> Type:
    a, b = (types.DOUBLE if t == types.STRING else t for t in (a, b))
    if a == types.NULL and (b == types.NULL or operator is exp.Div):
        return types.DOUBLE
    left, right = (b if a == types.NULL else a), (a if b == types.NULL else b)
    if "decimal" in (left.name, right.name) and types.DOUBLE not in (left, right) and types.FLOAT not in (left, right):
        x, y = (_decimal_operand(t, tree) for t, tree in zip((left, right), (*operands, None, None), strict=False))
        return types.bounded_decimal(*_DIGITS[operator](x, y))
    if operator is exp.Div:
        return types.DOUBLE
    common = types.common(left, right)
    assert common is not None
    return common


def _decimal_operand(t: Type, tree: exp.Expr | None) -> Type:
    """An integer literal counts with the digits it is written with."""
    literal = _integer_literal(tree)
    if t.name == "decimal" or t == types.TINYINT or literal is None:
        return types.as_decimal(t)
    return types.decimal(len(literal.lstrip("0") or "0"), 0)


def _integer_literal(tree: exp.Expr | None) -> str | None:
    if isinstance(tree, exp.Neg):
        tree = tree.this
    if isinstance(tree, exp.Literal) and tree.name.isdigit() and not tree.is_string:
        return str(tree.name)
    return None


def _quotient_digits(x: Type, y: Type) -> tuple[int, int]:
    scale = max(6, x.scale + y.precision + 1)
    return x.precision - x.scale + y.scale + scale, scale


def _remainder_digits(x: Type, y: Type) -> tuple[int, int]:
    scale = max(x.scale, y.scale)
    return min(x.precision - x.scale, y.precision - y.scale) + scale, scale


_DIGITS: Mapping[type[exp.Expr], Callable[[Type, Type], tuple[int, int]]] = {
    exp.Add: sum_digits,
    exp.Sub: sum_digits,
    exp.Mul: product_digits,
    exp.Div: _quotient_digits,
    exp.Mod: _remainder_digits,
}


def _moved_time(operator: type[exp.Expr], a: Type, b: Type) -> Type | None:
    match operator:
        case exp.Add:
            return _moved(a, b) or _moved(b, a) or _moved_by_null(a, b) or _interval_sum(a, b)
        case exp.Sub:
            return _moved(a, b) or _distance(a, b) or _interval_sum(a, b)
        case exp.Mul:
            return _scaled(a, b) or _scaled(b, a)
        case exp.Div:
            return _scaled(a, b)
        case exp.IntDiv if _interval_sum(a, b) not in (None, types.CALENDAR_INTERVAL):
            return types.BIGINT
    return None


def _moved(time: Type, by: Type) -> Type | None:
    """A point in time moved by days or by an interval."""
    if time == types.DATE and by in (types.TINYINT, types.SMALLINT, types.INT):
        return types.DATE
    if not types.is_interval(by) or not (types.is_time(time) or time == types.STRING or time.name.startswith("time(")):
        return None
    if time == types.STRING and _is_year_month(by):
        return None
    shorter_than_day = any(unit in by.name for unit in ("hour", "minute", "second"))
    return types.TIMESTAMP if time == types.DATE and shorter_than_day else time


def _moved_by_null(a: Type, b: Type) -> Type | None:
    """Spark takes the NULL for an interval."""
    time = b if a == types.NULL else a
    if types.NULL in (a, b) and types.is_time(time):
        return types.TIMESTAMP if time == types.DATE else time
    return None


def _distance(a: Type, b: Type) -> Type | None:
    days = (types.DATE, types.NULL)
    if (a in (*days, types.STRING) and b == types.DATE) or (a == types.DATE and b in days):
        return Type("interval day")
    points = (*days, types.TIMESTAMP, types.TIMESTAMP_NTZ)
    if a in points and b in points and (types.is_time(a) or types.is_time(b)):
        return types.DAY_TIME_INTERVAL
    return None


def _interval_sum(a: Type, b: Type) -> Type | None:
    if {a, b} == {types.NULL, types.CALENDAR_INTERVAL}:
        return None
    if all(types.is_interval(t) or t == types.NULL for t in (a, b)):
        return types.common(a, b)
    return None


def _scaled(interval: Type, by: Type) -> Type | None:
    if not types.is_interval(interval) or not _countable(by):
        return None
    if interval == types.CALENDAR_INTERVAL:
        return interval
    return types.YEAR_MONTH_INTERVAL if _is_year_month(interval) else types.DAY_TIME_INTERVAL


def _is_year_month(interval: Type) -> bool:
    return "year" in interval.name or "month" in interval.name


def _is_temporal(t: Type) -> bool:
    return types.is_time(t) or types.is_interval(t) or t.name.startswith("time(")


def _whole(t: Type) -> bool:
    return t in types.INTEGERS or t.name == "decimal" or t == types.NULL


def _countable(t: Type) -> bool:
    return types.is_number(t) or t in (types.STRING, types.NULL)
