"""A script's text with its tokens, and the places that messages point at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from sqlglot import exp
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from datacell.errors import Place, SqlError
from datacell.sql import calls

MAX_NESTING = 150
"""Brackets within brackets. Every stage recurses over expressions, and a person never writes this many."""


@dataclass(frozen=True)
class Source:
    """A text and the name of where it came from."""

    text: str
    file: str = "<sql>"

    def place(self, start: int, end: int) -> Place:
        return Place(self.text, start, end, self.file)

    def at(self, node: exp.Expr | Token) -> Place:
        """Where a node or a token stands."""
        if isinstance(node, Token):
            return self.place(node.start, node.end + 1)
        meta = node.meta
        if "start" not in meta:
            return self.at(node.parent) if node.parent is not None else self.place(0, 0)
        return self.place(meta["start"], meta["end"] + 1)

    def error(self, message: str, node: exp.Expr | Token, hint: str | None = None) -> SqlError:
        return SqlError(message, place=self.at(node), hint=hint)

    def end(self) -> Place:
        stop = len(self.text.rstrip())
        return self.place(max(0, stop - 1), stop)


def tokenize(source: Source) -> list[Token]:
    """The tokens of a script; an unclosed quote or bracket is an error at its opening."""
    try:
        tokens = calls.tokenize(source.text)
    except TokenError as error:
        _raise_unclosed(source, error)
    _check_brackets(source, tokens)
    return tokens


def split(tokens: Sequence[Token]) -> list[list[Token]]:
    """The tokens of each statement, without the semicolons; empty statements are dropped."""
    statements: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            statements.append([])
        else:
            statements[-1].append(token)
    return [statement for statement in statements if statement]


_PAIRS = {TokenType.L_PAREN: TokenType.R_PAREN, TokenType.L_BRACKET: TokenType.R_BRACKET}
_CLOSING = set(_PAIRS.values())


def _check_brackets(source: Source, tokens: Sequence[Token]) -> None:
    opened: list[Token] = []
    for token in tokens:
        if token.token_type in _PAIRS:
            opened.append(token)
            if len(opened) > MAX_NESTING:
                raise source.error(
                    f"more than {MAX_NESTING} brackets within brackets", token, "split the expression with a subquery"
                )
        elif token.token_type in _CLOSING:
            if not opened:
                raise source.error(f"{token.text} closes nothing", token, f"remove this {token.text}")
            if _PAIRS[opened[-1].token_type] != token.token_type:
                raise source.error(
                    f"{token.text} does not close this {opened[-1].text}", opened[-1], "close the inner bracket first"
                )
            opened.pop()
        elif token.token_type == TokenType.SEMICOLON and opened:
            break
    if opened:
        raise source.error(f"this {opened[-1].text} is never closed", opened[-1], "add the closing bracket")


def _raise_unclosed(source: Source, error: TokenError) -> NoReturn:
    """sqlglot says only that a quote is missing; the last one that opens without closing is where it begins."""
    start, quote = _unclosed_quote(source.text)
    what = {"'": "string", '"': "string", "`": "quoted name", "/*": "comment"}.get(quote, "text")
    place = source.place(start, start + len(quote))
    raise SqlError(f"this {what} is never closed", place=place, hint=f"add the closing {_close(quote)}") from error


def _close(quote: str) -> str:
    return "*/" if quote == "/*" else quote


def _unclosed_quote(text: str) -> tuple[int, str]:
    position = 0
    while position < len(text):
        two, one = text[position : position + 2], text[position]
        if two == "--":
            position = _after(text, "\n", position) or len(text)
        elif two == "/*" or one in "'\"`":
            quote = two if two == "/*" else one
            stop = _after(text, _close(quote), position + len(quote), escapes=quote in "'\"")
            if stop is None:
                return position, quote
            position = stop
        else:
            position += 1
    return max(0, len(text) - 1), text[-1:]


def _after(text: str, what: str, position: int, escapes: bool = False) -> int | None:
    while True:
        found = text.find(what, position)
        if found < 0:
            return None
        slashes = len(text[:found]) - len(text[:found].rstrip("\\")) if escapes else 0
        if slashes % 2 == 0:
            return found + len(what)
        position = found + 1
