"""Reading tokens one after the other: what our own statements and windows are parsed with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from sqlglot.tokenizer_core import Token, TokenType

from datacell.algebra import duration
from datacell.errors import Place, SqlError, did_you_mean
from datacell.sql.source import Source


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
        token = self.next(what)
        negative = token.token_type == TokenType.DASH
        if negative:
            token = self.next(what)
        if token.token_type != TokenType.NUMBER or not token.text.isdigit():
            self.position -= 1
            self.fail(f"{what} expected: a whole number")
        if negative or int(token.text) == 0:
            raise self.source.error(f"{what} must be positive", token)
        return int(token.text)

    def interval(self, what: str) -> int:
        """A positive length of time in microseconds: ``5 MINUTES``, ``INTERVAL '5' MINUTE``, ``1 HOUR 30 MINUTES``."""
        start = self.position
        length = self.length(what)
        if length == 0:
            raise self._wrong_length(what, start)
        return length

    def length(self, what: str) -> int:
        """A length of time that may be zero."""
        start = self.position
        self.takes("INTERVAL")
        total = self._quantity(what)
        while self.token is not None and self.token.token_type == TokenType.NUMBER:
            total += self._quantity(what)
        if total < 0:
            raise self._wrong_length(what, start)
        return total

    def _wrong_length(self, what: str, start: int) -> SqlError:
        place = self.source.place(self.tokens[start].start, self.tokens[self.position - 1].end + 1)
        return SqlError(f"{what} must be positive", place=place, hint="use a length such as 5 MINUTES")

    def _quantity(self, what: str) -> int:
        token = self.next(f"{what} (such as 5 MINUTES)")
        sign = 1
        if token.token_type == TokenType.DASH:
            sign, token = -1, self.next(what)
        if token.token_type == TokenType.STRING and len(token.text.split()) > 1:
            return self._quoted(what, token)
        try:
            number = float(token.text)
        except ValueError:
            self.position -= 1
            self.fail(f"{what} expected", "write a length of time such as 5 MINUTES")
        length = sign * number * self._unit(what, self.next("a unit of time"))
        if not length.is_integer():
            raise self.source.error(f"{what} is not a whole number of microseconds", token)
        return int(length)

    def _quoted(self, what: str, token: Token) -> int:
        words = token.text.split()
        try:
            pairs = [
                (float(n), duration.UNITS[u.lower().rstrip("s")]) for n, u in zip(words[::2], words[1::2], strict=True)
            ]
        except (ValueError, KeyError):
            raise self.source.error(f"{what} is not a length of time", token, "write it as '5 minutes'") from None
        return int(sum(number * unit for number, unit in pairs))

    def _unit(self, what: str, token: Token) -> int:
        unit = token.text.lower()
        unit = unit[:-1] if unit.endswith("s") else unit
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

    def finish(self) -> None:
        """Nothing may follow."""
        if self.token is not None:
            self.fail(f"{self.token.text} is not expected here", "end the statement with ; before it")

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
