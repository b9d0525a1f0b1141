"""Quantities in a text: numbers of rows and lengths of time, read at a cursor.

Every function is told what the quantity is for, such as ``SLIDE``, for its messages.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from sqlglot.tokenizer_core import Token, TokenType

from datacell.algebra import duration
from datacell.errors import SqlError, did_you_mean
from datacell.sql.text.cursor import Cursor
from datacell.sql.text.source import Source, tokenize

LONGEST = 10_000 * 365 * duration.DAY
"""Timestamps end with the year 9999, so no length of time needs to be longer."""

MOST_DIGITS = 18
"""A whole number of so many digits fits in 64 bits."""


def read_count(cursor: Cursor, what: str) -> int:
    """A positive whole number."""
    sign = cursor.token if cursor.token is not None and cursor.token.token_type == TokenType.DASH else None
    if sign is not None:
        cursor.position += 1
    token = cursor.next(f"a whole number for {what}")
    if token.token_type != TokenType.NUMBER or not (token.text.isascii() and token.text.isdigit()):
        cursor.position -= 1
        cursor.fail(f"{what} needs a whole number", f"write {what} 100")
    if len(token.text) > MOST_DIGITS:
        raise cursor.source.error(f"{what} is too large", token)
    if sign is not None or int(token.text) == 0:
        place = cursor.source.place((sign or token).start, token.end + 1)
        raise SqlError(f"{what} must be positive", place=place, hint=f"write {what} 100")
    return int(token.text)


def read_interval(cursor: Cursor, what: str) -> int:
    """A positive length of time in microseconds: ``5 MINUTES``, ``INTERVAL '5' MINUTE``, ``1 HOUR 30 MINUTES``."""
    start = cursor.position
    length = read_length(cursor, what)
    if length == 0:
        raise _wrong_length(cursor, f"{what} must be positive", start)
    return length


def read_length(cursor: Cursor, what: str) -> int:
    """A length of time that may be zero."""
    start = cursor.position
    cursor.takes("INTERVAL")
    total = _quantity(cursor, what)
    while cursor.token is not None and cursor.token.token_type == TokenType.NUMBER:
        total += _quantity(cursor, what)
    if total < 0:
        raise _wrong_length(cursor, f"{what} must be positive", start)
    if total > LONGEST:
        raise _wrong_length(cursor, f"{what} is too long", start)
    if total != int(total):
        raise _wrong_length(cursor, f"{what} is not a whole number of microseconds", start)
    return int(total)


def length_of(text: str) -> int:
    """A length of time written alone, such as ``2 seconds``, in microseconds."""
    source = Source(text)
    cursor = Cursor(source, tokenize(source))
    found = read_length(cursor, "the length")
    cursor.finish()
    return found


def _wrong_length(cursor: Cursor, message: str, start: int) -> SqlError:
    place = cursor.source.place(cursor.tokens[start].start, cursor.tokens[cursor.position - 1].end + 1)
    return SqlError(message, place=place, hint="use a length such as 5 MINUTES")


def _quantity(cursor: Cursor, what: str) -> Decimal:
    sign = -1 if cursor.takes("-") else 1
    token = cursor.next(f"a length of time for {what}")
    if token.token_type == TokenType.STRING and len(token.text.split()) > 1:
        return sign * _quoted(cursor, what, token)
    number = _number(token.text)
    if number is None:
        cursor.position -= 1
        cursor.fail(f"{what} needs a length of time", "write a number and a unit, such as 5 MINUTES")
    if cursor.token is None or not cursor.token.text.isalpha():
        cursor.fail("a unit of time expected", f"write SECONDS, MINUTES, HOURS or DAYS after {token.text}")
    return sign * number * _unit(cursor, what, cursor.next("a unit of time"))


def _quoted(cursor: Cursor, what: str, token: Token) -> Decimal:
    words = token.text.split()
    numbers, units = [_number(word) for word in words[::2]], [_singular(word) for word in words[1::2]]
    if len(numbers) != len(units) or None in numbers or not set(units) <= set(duration.UNITS):
        raise cursor.source.error(f"{what} is not a length of time", token, "write it as '5 minutes'")
    return sum((n * duration.UNITS[u] for n, u in zip(numbers, units, strict=True) if n is not None), Decimal(0))


def _unit(cursor: Cursor, what: str, token: Token) -> int:
    unit = _singular(token.text)
    if unit in ("month", "year", "quarter"):
        raise cursor.source.error(f"{what} in {token.text} has no fixed length", token, "use days, for example 30 DAYS")
    if unit not in duration.UNITS:
        hint = did_you_mean(token.text, [f"{name}s" for name in duration.UNITS])
        raise cursor.source.error(f"{token.text} is not a unit of time", token, hint)
    return duration.UNITS[unit]


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite():
        return None
    return number if number.adjusted() < MOST_DIGITS else Decimal(LONGEST)


def _singular(unit: str) -> str:
    lower = unit.lower()
    return lower[:-1] if lower.endswith("s") else lower
