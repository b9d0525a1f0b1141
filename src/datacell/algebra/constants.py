"""Constants as values that can be compared, beside a column of some type; None where there may be any doubt."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TypeAlias

from sqlglot import exp

from datacell.algebra import types
from datacell.algebra.types import Type

Constant: TypeAlias = Decimal | float | str | bool | date | datetime

WHOLE = types.INTEGERS

_MOST_DIGITS, _EXACT_DIGITS = 18, 15
"""Of a number beside whole numbers; and beside doubles, which both engines then round alike."""

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d{1,6})?)?")
_WRITTEN = {types.DATE: (exp.DType.DATE,), types.TIMESTAMP: (exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMP)}


def constant(node: exp.Expr, beside: Type) -> Constant | None:
    """What an expression is worth in a comparison with a column of that type."""
    match node.unnest():
        case exp.Boolean(this=value) if beside == types.BOOLEAN:
            return bool(value)
        case exp.Literal(is_string=True, this=text) if beside == types.STRING:
            return str(text)
        case exp.Literal(is_string=False, this=text):
            return _number(str(text), beside)
        case exp.Neg(this=exp.Literal(is_string=False, this=text)):
            return _number(f"-{text}", beside)
        case exp.Cast(this=exp.Literal(is_string=True, this=text), to=exp.DataType(this=kind)):
            return _instant(str(text), beside) if kind in _WRITTEN.get(beside, ()) else None
    return None


def _number(text: str, beside: Type) -> Constant | None:
    if not _NUMBER.fullmatch(text):
        return None
    digits = sum(map(str.isdigit, text))
    if beside in WHOLE and digits <= _MOST_DIGITS:
        return Decimal(text)
    return float(text) if beside == types.DOUBLE and digits <= _EXACT_DIGITS else None


def _instant(text: str, beside: Type) -> Constant | None:
    form = _DATE if beside == types.DATE else _INSTANT
    if not form.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text) if beside == types.DATE else datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None
