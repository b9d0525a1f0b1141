"""Reading tokens one after the other: what our own statements and windows are parsed with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from sqlglot.tokenizer_core import Token, TokenType

from datacell.errors import Place, SqlError
from datacell.sql.text.source import Source


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
        if not token.text:
            self.position -= 1
            self.fail(f"{what} expected: a name has at least one character")
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
