"""Calls whose spelling depends on a literal: a unit, a pattern, a number of digits."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from sqlglot import exp

from datacell.algebra import duration, types
from datacell.algebra.types import BOOLEAN, DATE, DOUBLE, INT, STRING, TIMESTAMP, Type
from datacell.engines.agreed import casts, operators
from datacell.engines.agreed.spelled import RefusedError, Spelled, as_type, quoted, text_literal, whole_literal

Unit = TypeVar("Unit")
Special = Callable[[Sequence[Spelled], exp.Expr], Spelled]

TRUNCATE = {
    **dict.fromkeys(("year", "yyyy", "yy"), "year"),
    **dict.fromkeys(("month", "mon", "mm"), "month"),
    **dict.fromkeys(("day", "dd"), "day"),
    **{unit: unit for unit in ("quarter", "week", "hour", "minute", "second", "millisecond", "microsecond")},
}
TRUNCATE_DATE = {
    **{k: v for k, v in TRUNCATE.items() if v in ("year", "month")},
    "quarter": "quarter",
    "week": "week",
}
PARTS = {
    **dict.fromkeys(("year", "y", "years", "yr", "yrs"), "year({0})"),
    **dict.fromkeys(("quarter", "qtr"), "quarter({0})"),
    **dict.fromkeys(("month", "mon", "mons", "months"), "month({0})"),
    **dict.fromkeys(("week", "w", "weeks"), "weekofyear({0})"),
    **dict.fromkeys(("day", "d", "days"), "day({0})"),
    **dict.fromkeys(("dayofweek", "dow"), "dayofweek({0}) + 1"),
    **dict.fromkeys(("dayofweek_iso", "dow_iso"), "isodow({0})"),
    **dict.fromkeys(("doy",), "dayofyear({0})"),
    **dict.fromkeys(("hour", "h", "hours", "hr", "hrs"), "hour({0})"),
    **dict.fromkeys(("minute", "m", "min", "mins", "minutes"), "minute({0})"),
}
_PLAIN_CLASS = r"\[\^?[A-Za-z0-9 _@:/,;=#%!<>.+*-]+\]"
_PLAIN_PATTERN = re.compile(rf"\^?(?:[A-Za-z0-9 _@:/,;=#%!<>\-|)]|\((?!\?)|\\[.]|{_PLAIN_CLASS}|(?<=[^|(^*+?])[*+?])+")


def date_trunc(arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    unit = _unit("date_trunc", arguments[0], TRUNCATE)
    moment = _moment("date_trunc", arguments[1], TIMESTAMP)
    return Spelled(as_type(f"date_trunc('{unit}', {moment.text})", TIMESTAMP), TIMESTAMP, node)


def trunc(arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    unit = _unit("trunc", arguments[1], TRUNCATE_DATE)
    moment = _moment("trunc", arguments[0], DATE)
    return Spelled(as_type(f"date_trunc('{unit}', {moment.text})", DATE), DATE, node)


def date_part(arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    part = _unit("date_part", arguments[0], PARTS)
    moment = _moment("date_part", arguments[1], TIMESTAMP)
    return Spelled(as_type(part.replace("{0}", moment.text), INT), INT, node)


def timestampdiff(arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    if len(arguments) != 3:
        raise RefusedError("datediff with a unit takes three arguments")
    unit = _unit("timestampdiff", arguments[0], duration.UNITS)
    start, end = (_moment("timestampdiff", a, TIMESTAMP) for a in arguments[1:])
    return Spelled(f"((epoch_us({end.text}) - epoch_us({start.text})) // {unit})", types.BIGINT, node)


def timestampadd(arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    unit = _unit("timestampadd", arguments[0], duration.UNITS)
    count = casts.cast(arguments[1], types.BIGINT) if arguments[1].type in types.INTEGERS else None
    if count is None:
        raise RefusedError(f"timestampadd of {arguments[1].type}")
    moment = _moment("timestampadd", arguments[2], TIMESTAMP)
    added = f"({moment.text} + to_microseconds({count.text} * {unit}))"
    return Spelled(added, TIMESTAMP, node)


def rounded(arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    """Half away from zero in both; but DuckDB rounds the binary fraction, Spark the decimal that it prints."""
    value = arguments[0]
    digits = whole_literal(arguments[1]) if len(arguments) > 1 else 0
    if digits is None:
        raise RefusedError("round to a computed number of digits")
    if value.type in types.INTEGERS and digits >= 0:
        return Spelled(value.text, value.type, node)
    if value.type == DOUBLE and digits == 0:
        return Spelled(as_type(f"round({value.text})", DOUBLE), DOUBLE, node)
    if value.type.name == "decimal" and digits >= 0:
        kept = min(value.type.scale, digits)
        whole = value.type.precision - value.type.scale + 1
        result = types.decimal(min(types.MAX_PRECISION, whole + kept), kept)
        return Spelled(as_type(f"round({value.text}, {kept})", result), result, node)
    raise RefusedError(f"round of {value.type} to {digits} digits")


def cast_to(target: Type) -> Special:
    """``int(x)`` is a cast, and so are ``to_date(x)`` and ``to_timestamp(x)`` without a pattern."""

    def spelled(arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
        if len(arguments) != 1:
            raise RefusedError("pattern letters differ")
        found = casts.cast(arguments[0], target)
        return Spelled(found.text, found.type, node)

    return spelled


def div(arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    return operators.divided_whole(node, *arguments)


def zeroifnull(arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    value, zero = operators.same_type([arguments[0], Spelled("0", INT, node)], "zeroifnull")
    return Spelled(f"coalesce({value.text}, {zero.text})", value.type, node)


def sha2(arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    if whole_literal(arguments[1]) not in (0, 256) or arguments[0].type != STRING:
        raise RefusedError("sha2 of other than text and 256 bits")
    return Spelled(f"sha256({arguments[0].text})", STRING, node)


def rlike(arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    pattern = _pattern("rlike", arguments)
    return Spelled(f"regexp_matches({arguments[0].text}, {pattern})", BOOLEAN, node)


def regexp_replace(arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    pattern = _pattern("regexp_replace", arguments)
    new = text_literal(arguments[2])
    if len(arguments) != 3 or new is None or "$" in new or "\\" in new or arguments[2].type != STRING:
        raise RefusedError("regexp_replace by other than plain text")
    if re.match(text_literal(arguments[1]) or "", "") is not None:
        raise RefusedError("regexp_replace of what may be empty")
    return Spelled(f"regexp_replace({arguments[0].text}, {pattern}, {quoted(new)}, 'g')", STRING, node)


def regexp_extract(arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    pattern = _pattern("regexp_extract", arguments)
    group = whole_literal(arguments[2]) if len(arguments) > 2 else 1
    if group is None or not 0 <= group <= (text_literal(arguments[1]) or "").count("("):
        raise RefusedError("regexp_extract of a group that is not there")
    return Spelled(f"regexp_extract({arguments[0].text}, {pattern}, {group})", STRING, node)


def percentile(arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    fraction = arguments[1].node
    plain = isinstance(fraction, exp.Literal) and not fraction.is_string and 0 <= float(fraction.name) <= 1
    if len(arguments) != 2 or not plain or not types.is_number(arguments[0].type):
        raise RefusedError("percentile by other than one written fraction")
    value = casts.cast(arguments[0], DOUBLE)
    return Spelled(f"quantile_cont({value.text}, {fraction.name})", DOUBLE, node)


def _pattern(name: str, arguments: Sequence[Spelled]) -> str:
    pattern = text_literal(arguments[1])
    if arguments[0].type != STRING or pattern is None or _PLAIN_PATTERN.fullmatch(pattern) is None:
        raise RefusedError(f"{name}: Java's regular expressions differ")
    return quoted(pattern)


def _unit(name: str, argument: Spelled, known: Mapping[str, Unit]) -> Unit:
    written = (text_literal(argument) or "").lower()
    if written not in known:
        raise RefusedError(f"{name} by {written or 'a computed unit'}")
    return known[written]


def _moment(name: str, argument: Spelled, wanted: Type) -> Spelled:
    if not types.is_time(argument.type):
        raise RefusedError(f"{name} of {argument.type}")
    return casts.cast(argument, wanted)


_CASTS = (*types.INTEGERS, types.FLOAT, DOUBLE, STRING, BOOLEAN, DATE, TIMESTAMP, types.BINARY)

SPECIAL: Mapping[str, Special] = {
    **{str(t): cast_to(t) for t in _CASTS},
    "date_part": date_part,
    "date_trunc": date_trunc,
    "datepart": date_part,
    "div": div,
    "regexp": rlike,
    "regexp_extract": regexp_extract,
    "regexp_like": rlike,
    "regexp_replace": regexp_replace,
    "rlike": rlike,
    "round": rounded,
    "sha2": sha2,
    "timestampadd": timestampadd,
    "timestampdiff": timestampdiff,
    "to_date": cast_to(DATE),
    "to_timestamp": cast_to(TIMESTAMP),
    "trunc": trunc,
    "zeroifnull": zeroifnull,
}

REMARKS: Mapping[str, str] = {
    **dict.fromkeys((*map(str, _CASTS), "to_date", "to_timestamp"), "a cast, without a pattern"),
    **dict.fromkeys(
        ("regexp", "regexp_extract", "regexp_like", "regexp_replace", "rlike"), "plain written patterns only"
    ),
    **dict.fromkeys(
        ("date_part", "date_trunc", "datepart", "timestampadd", "timestampdiff", "trunc"), "by a written unit"
    ),
    "div": "`//`, of integers",
    "percentile": "`quantile_cont`, by one written fraction",
    "round": "`round`, of doubles to whole numbers, of decimals to written digits",
    "sha2": "`sha256`, of text",
    "zeroifnull": "`coalesce({0}, 0)`",
}
"""Spellings that no template shows, in words."""

SPECIAL_AGGREGATES: Mapping[str, Special] = {"percentile": percentile}
