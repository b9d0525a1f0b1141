"""Results that no signature can state, because they depend on the value of a literal or on a name.

A rule gets the name of the function, the types of the arguments after their casts, and the trees of the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from datacell.algebra import types
from datacell.algebra.types import Type
from datacell.sql.functions import shapes
from datacell.sql.functions.values import RuleFunction, Trees, Types, integer, text
from datacell.sql.types import arithmetic
from datacell.sql.types.casting import castable
from datacell.sql.types.coercion import by_way_of_text, can_cast, comparable
from datacell.sql.types.errors import SignatureError

_UNITS = {
    alias: unit
    for unit, aliases in {
        "year": "y years yr yrs",
        "yearofweek": "",
        "quarter": "qtr",
        "month": "mon mons months",
        "week": "w weeks",
        "day": "d days",
        "dayofweek": "dow",
        "dayofweek_iso": "dow_iso",
        "doy": "",
        "hour": "h hours hr hrs",
        "minute": "m min mins minutes",
        "second": "s sec seconds secs",
    }.items()
    for alias in (unit, *aliases.split())
}


def date_part(name: str, given: Types, trees: Trees) -> Type:
    written, source = text(name, trees, 0), given[1]
    unit = _UNITS.get(written.lower())
    if unit is None or unit not in _units_of(source):
        raise SignatureError(f"{name} cannot take {written} from {source}", 0)
    if unit == "second":
        return types.decimal(8, 6)
    return types.INT if unit in ("year", "day") or not types.is_interval(source) else types.TINYINT


def rounded(name: str, given: Types, trees: Trees) -> Type:
    """A decimal keeps room for the carry, every other number keeps its type."""
    digits = integer(trees[1]) if len(trees) > 1 else 0
    if digits is None:
        raise SignatureError(f"{name} needs a number of digits, written as a literal, as argument 2", 1)
    if given[0].name != "decimal":
        return given[0]
    precision, scale = given[0].precision, given[0].scale
    whole = precision - scale + 1
    if digits < 0:
        return types.decimal(min(types.MAX_PRECISION, max(whole, 1 - digits)), 0)
    kept = min(scale, digits)
    return types.decimal(min(types.MAX_PRECISION, whole + kept), kept)


def ceiled(_: str, given: Types, __: Trees) -> Type:
    """`ceil` and `floor` without digits: a whole number."""
    if given[0].name != "decimal":
        return types.BIGINT
    precision, scale = given[0].precision, given[0].scale
    return given[0] if scale == 0 else types.bounded_decimal(precision - scale + 1, 0)


def time_digits(_: str, __: Types, trees: Trees) -> Type:
    digits = integer(trees[0]) if trees else 6
    return Type(f"time({6 if digits is None else digits})")


def number_format(name: str, _: Types, trees: Trees) -> Type:
    whole, _point, fraction = text(name, trees, 1).upper().replace("D", ".").partition(".")
    digits, scale = (sum(c in "09" for c in part) for part in (whole, fraction))
    return types.decimal(digits + scale, scale)


def decoded(_: str, given: Types, __: Trees) -> Type:
    """`decode(value, key, result, ..., default)`."""
    results = [*given[2::2], *(given[-1:] if len(given) % 2 == 0 else ())]
    for i in range(1, len(given) - 1, 2):
        if not comparable(given[0], given[i]):
            raise SignatureError(f"decode needs keys to compare with {given[0]}, not {given[i]}", i)
    common = types.common_of(results)
    if common is None:
        raise SignatureError("decode needs results of one type")
    return common


def concatenated(name: str, given: Types, _: Trees) -> Type:
    """Arrays make an array, binaries a binary, and everything else is text."""
    if any(t.name == "array" for t in given):
        found = types.common_of(list(given))
        if found is None:
            raise SignatureError(f"{name} needs arrays of one type, not {' and '.join(map(str, given))}", 1)
        return found
    if given and all(t == types.BINARY for t in given):
        return types.BINARY
    for i, t in enumerate(given):
        if not can_cast(t, types.STRING):
            raise SignatureError(f"{name} needs a string, not {t}", i)
    return types.STRING


def cast(name: str, given: Types, _: Trees) -> Type:
    """A type's name as a function casts to it."""
    to = types.of(name)
    if not castable(given[0], to):
        raise SignatureError(f"{given[0]} cannot be cast to {to}", 0)
    return to


def compared(name: str, given: Types, _: Trees) -> Type:
    if not comparable(given[0], given[1]):
        raise SignatureError(f"{name} needs values that can be compared, not {given[0]} and {given[1]}", 1)
    return types.BOOLEAN


def first_unless_equal(name: str, given: Types, trees: Trees) -> Type:
    compared(name, given, trees)
    return given[0]


def first_unless_zero(name: str, given: Types, trees: Trees) -> Type:
    compared(name, (given[0], types.INT), trees)
    return given[0]


def widest(name: str, given: Types, _: Trees) -> Type:
    """The common type of all arguments, if text is not what makes it possible."""
    found = given[0]
    for i, t in enumerate(given[1:], 1):
        common = types.common(found, t)
        if common is None or by_way_of_text(found, t):
            raise SignatureError(f"{name} needs something like {found} as argument {i + 1}, not {t}", i)
        found = common
    return found


def widest_bound(name: str, given: Types, trees: Trees) -> Type:
    return widest(name, given[:2], trees)


def contained(name: str, given: Types, trees: Trees) -> Type:
    widest(name, (given[0].arguments[0], given[1]), trees)
    return types.BOOLEAN


def widest_array(name: str, given: Types, _: Trees) -> Type:
    """What `sequence` returns: an interval as its step has no say in the type."""
    element = types.common_of([t for t in given if not types.is_interval(t)])
    if element is None:
        raise SignatureError(f"{name} needs two ends of one type, not {given[0]} and {given[1]}", 1)
    return types.array(element)


def or_zero(name: str, given: Types, _: Trees) -> Type:
    found = types.common(given[0], types.INT)
    if found is None:
        raise SignatureError(f"{name} needs a number, not {given[0]}", 0)
    return found


def array_of_first(_: str, given: Types, __: Trees) -> Type:
    return types.array(given[0])


def _arithmetic(operator: type[exp.Binary]) -> RuleFunction:
    return lambda _, given, trees: arithmetic.result(operator, given[0], given[1], trees)


def _units_of(source: Type) -> frozenset[str]:
    if not types.is_interval(source) or source == types.CALENDAR_INTERVAL:
        return frozenset(_UNITS.values())
    year_month = "year" in source.name or "month" in source.name
    return frozenset(("year", "month") if year_month else ("day", "hour", "minute", "second"))


RULES: Mapping[str, RuleFunction] = {
    "array_of_first": array_of_first,
    "arrays_zip": shapes.arrays_zip,
    "cast": cast,
    "ceiled": ceiled,
    "compared": compared,
    "concatenated": concatenated,
    "contained": contained,
    "date_part": date_part,
    "decoded": decoded,
    "difference": _arithmetic(exp.Sub),
    "first_unless_equal": first_unless_equal,
    "first_unless_zero": first_unless_zero,
    "histogram": shapes.histogram,
    "inlined": shapes.inlined,
    "json_columns": shapes.json_columns,
    "named_struct": shapes.named_struct,
    "number_format": number_format,
    "or_zero": or_zero,
    "product": _arithmetic(exp.Mul),
    "quotient": _arithmetic(exp.Div),
    "remainder": _arithmetic(exp.Mod),
    "rounded": rounded,
    "row_schema": shapes.row_schema,
    "schema": shapes.schema,
    "stacked_columns": shapes.stacked_columns,
    "struct": shapes.struct,
    "sum": _arithmetic(exp.Add),
    "time_digits": time_digits,
    "top_array": shapes.top_array,
    "top_items": shapes.top_items,
    "top_sketch": shapes.top_sketch,
    "variant_type": shapes.variant_type,
    "widest_bound": widest_bound,
    "widest_array": widest_array,
    "widest": widest,
    "whole_quotient": _arithmetic(exp.IntDiv),
}
