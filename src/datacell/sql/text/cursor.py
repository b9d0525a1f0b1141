"""Reading tokens one after the other: what our own statements and windows are parsed with."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import NoReturn

from sqlglot.tokenizer_core import Token, TokenType

from datacell.algebra import duration
from datacell.errors import Place, SqlError, did_you_mean
from datacell.sql.text.source import Source, tokenize

LONGEST = 10_000 * 365 * duration.DAY
"""Timestamps end with the year 9999, so no length of time needs to be longer."""

MOST_DIGITS = 18
"""A whole number of so many digits fits in 64 bits."""


class Cursor:
    """A place in a list of tokens. Words compare without regard to case."""

    def __init__(self, source: Source, tokens: Sequence[Token], position: int = 0) -> None:
        self.source, self.tokens, self.position = source, tokens, position

    @property
    def token(self) -> Token | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    @property
    def done(self) -> bool:
        return self.token is None

    def sees(self, *words: str) -> bool:
        """Do these words come next?"""
        ahead = self.tokens[self.position : self.position + len(words)]
        return len(ahead) == len(words) and all(is_word(t, w) for t, w in zip(ahead, words, strict=True))

    def takes(self, *words: str) -> bool:
        """Step over these words if they come next."""
        if not self.sees(*words):
            return False
        self.position += len(words)
        return True

    def expect(self, *words: str, hint: str | None = None) -> None:
        if not self.takes(*words):
            self.fail(f"{' '.join(words)} expected", hint)

    def next(self, what: str) -> Token:
        token = self.token
        if token is None:
            self.fail(f"{what} expected")
        self.position += 1
        return token

    def name(self, what: str) -> Token:
        """An identifier, bare or in backticks."""
        token = self.next(what)
        if token.token_type != TokenType.IDENTIFIER and not token.text.replace("_", "a").isalnum():
            self.position -= 1
            self.fail(f"{what} expected")
        if token.token_type in (TokenType.STRING, TokenType.NUMBER):
            self.position -= 1
            self.fail(f"{what} expected", f"a name is written bare or in backticks: `{token.text}`")
        return token

    def string(self, what: str) -> str:
        token = self.next(what)
        if token.token_type != TokenType.STRING:
            self.position -= 1
            self.fail(f"{what} expected", "write it in single quotes")
        parts = [token.text]
        while self.token is not None and self.token.token_type == TokenType.STRING:
            parts.append(self.next(what).text)
        return "".join(parts)

    def count(self, what: str) -> int:
        """A positive whole number."""
        sign = self.token if self.token is not None and self.token.token_type == TokenType.DASH else None
        if sign is not None:
            self.position += 1
        token = self.next(f"a whole number for {what}")
        if token.token_type != TokenType.NUMBER or not (token.text.isascii() and token.text.isdigit()):
            self.position -= 1
            self.fail(f"{what} needs a whole number", f"write {what} 100")
        if len(token.text) > MOST_DIGITS:
            raise self.source.error(f"{what} is too large", token)
        if sign is not None or int(token.text) == 0:
            place = self.source.place((sign or token).start, token.end + 1)
            raise SqlError(f"{what} must be positive", place=place, hint=f"write {what} 100")
        return int(token.text)

    def interval(self, what: str) -> int:
        """A positive length of time in microseconds: ``5 MINUTES``, ``INTERVAL '5' MINUTE``, ``1 HOUR 30 MINUTES``."""
        start = self.position
        length = self.length(what)
        if length == 0:
            raise self._wrong_length(f"{what} must be positive", start)
        return length

    def length(self, what: str) -> int:
        """A length of time that may be zero."""
        start = self.position
        self.takes("INTERVAL")
        total = self._quantity(what)
        while self.token is not None and self.token.token_type == TokenType.NUMBER:
            total += self._quantity(what)
        if total < 0:
            raise self._wrong_length(f"{what} must be positive", start)
        if total > LONGEST:
            raise self._wrong_length(f"{what} is too long", start)
        if total != int(total):
            raise self._wrong_length(f"{what} is not a whole number of microseconds", start)
        return int(total)

    def _wrong_length(self, message: str, start: int) -> SqlError:
        place = self.source.place(self.tokens[start].start, self.tokens[self.position - 1].end + 1)
        return SqlError(message, place=place, hint="use a length such as 5 MINUTES")

    def _quantity(self, what: str) -> Decimal:
        sign = -1 if self.takes("-") else 1
        token = self.next(f"a length of time for {what}")
        if token.token_type == TokenType.STRING and len(token.text.split()) > 1:
            return sign * self._quoted(what, token)
        number = _number(token.text)
        if number is None:
            self.position -= 1
            self.fail(f"{what} needs a length of time", "write a number and a unit, such as 5 MINUTES")
        if self.token is None or not self.token.text.isalpha():
            self.fail("a unit of time expected", f"write SECONDS, MINUTES, HOURS or DAYS after {token.text}")
        return sign * number * self._unit(what, self.next("a unit of time"))

    def _quoted(self, what: str, token: Token) -> Decimal:
        words = token.text.split()
        numbers, units = [_number(word) for word in words[::2]], [_singular(word) for word in words[1::2]]
        if len(numbers) != len(units) or None in numbers or not set(units) <= set(duration.UNITS):
            raise self.source.error(f"{what} is not a length of time", token, "write it as '5 minutes'")
        return sum((n * duration.UNITS[u] for n, u in zip(numbers, units, strict=True) if n is not None), Decimal(0))

    def _unit(self, what: str, token: Token) -> int:
        unit = _singular(token.text)
        if unit in ("month", "year", "quarter"):
            raise self.source.error(
                f"{what} in {token.text} has no fixed length", token, "use days, for example 30 DAYS"
            )
        if unit not in duration.UNITS:
            hint = did_you_mean(token.text, [f"{name}s" for name in duration.UNITS])
            raise self.source.error(f"{token.text} is not a unit of time", token, hint)
        return duration.UNITS[unit]

    def closing(self) -> int:
        """The index of the token that closes the bracket at the cursor."""
        depth = 0
        for index in range(self.position, len(self.tokens)):
            kind = self.tokens[index].token_type
            if kind in (TokenType.L_PAREN, TokenType.L_BRACKET):
                depth += 1
            elif kind in (TokenType.R_PAREN, TokenType.R_BRACKET):
                depth -= 1
                if depth == 0:
                    return index
        self.fail("this bracket is never closed")

    def until_comma(self) -> list[Token]:
        """Take tokens up to a comma or a closing parenthesis at this depth."""
        start = self.position
        while self.token is not None and self.token.token_type not in (TokenType.COMMA, TokenType.R_PAREN):
            opens = self.token.token_type in (TokenType.L_PAREN, TokenType.L_BRACKET)
            self.position = self.closing() + 1 if opens else self.position + 1
        return list(self.tokens[start : self.position])

    def finish(self, hint: str = "end the statement with ; before it") -> None:
        """Nothing may follow."""
        if self.token is not None:
            self.fail(f"{self.token.text} is not expected here", hint)

    def fail(self, message: str, hint: str | None = None) -> NoReturn:
        raise SqlError(message, place=self.here(), hint=hint)

    def here(self) -> Place:
        """The token at the cursor, or the end of the last one."""
        if self.token is not None:
            return self.source.at(self.token)
        if not self.tokens:
            return self.source.end()
        stop = self.tokens[-1].end + 1
        return self.source.place(stop - 1, stop)


def is_word(token: Token, word: str) -> bool:
    quoted = token.token_type in (TokenType.IDENTIFIER, TokenType.STRING)
    return not quoted and token.text.upper() == word


def is_name(token: Token, name: str) -> bool:
    return token.token_type != TokenType.STRING and token.text.lower() == name.lower()


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


def read_length(text: str) -> int:
    """A length of time written alone, such as ``2 seconds``, in microseconds."""
    source = Source(text)
    cursor = Cursor(source, tokenize(source))
    found = cursor.length("the length")
    cursor.finish()
    return found
