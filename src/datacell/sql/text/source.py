"""A script's text with its tokens, and the places that messages point at."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from sqlglot import exp
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from datacell.errors import Place, SqlError, StreamRuleError
from datacell.sql.text import calls
from datacell.sql.text.comments import UnclosedError, blanked

MAX_NESTING = 150
"""Brackets within brackets. Every stage recurses over expressions, and a person never writes this many."""

MOST_STATEMENTS = 10_000
"""Of a script: each is carried out by itself, and nobody writes so many."""

LONGEST_SCRIPT = 16 << 20
"""Characters: tokens take much more memory than their text."""


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

    def rule(self, message: str, node: exp.Expr | Token, hint: str | None = None) -> StreamRuleError:
        return StreamRuleError(message, place=self.at(node), hint=hint)

    def end(self) -> Place:
        stop = len(self.text.rstrip())
        return self.place(max(0, stop - 1), stop)


def tokenize(source: Source) -> list[Token]:
    """The tokens of a script; an unclosed quote or bracket is an error at its opening."""
    if len(source.text) > LONGEST_SCRIPT:
        hint = "put data into files, and read them with CREATE TABLE"
        raise SqlError(f"this text has more than {LONGEST_SCRIPT >> 20} million characters", hint=hint)
    try:
        tokens = _with_commands(source, calls.tokenize(blanked(source.text)))
    except UnclosedError as unclosed:
        raise _unclosed(source, unclosed) from None
    except TokenError:
        raise SqlError("this text cannot be read as SQL", place=source.end()) from None
    _check_brackets(source, tokens)
    return _hexadecimal(_joined_strings(tokens))


def split(source: Source, tokens: Sequence[Token]) -> list[list[Token]]:
    """The tokens of each statement, without the semicolons; empty statements are dropped."""
    statements: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            statements.append([])
        else:
            statements[-1].append(token)
    found = [statement for statement in statements if statement]
    if len(found) > MOST_STATEMENTS:
        first = found[MOST_STATEMENTS][0]
        raise source.error(f"more than {MOST_STATEMENTS} statements", first, "split the script")
    return found


_COMMANDS = (TokenType.COMMAND, TokenType.EXECUTE, TokenType.FETCH, TokenType.RENAME, TokenType.SHOW)
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


def _unclosed(source: Source, unclosed: UnclosedError) -> SqlError:
    what = {"`": "quoted name", "/*": "comment"}.get(unclosed.quote, "string")
    place = source.place(unclosed.start, unclosed.start + len(unclosed.quote))
    closing = "*/" if unclosed.quote == "/*" else unclosed.quote
    return SqlError(f"this {what} is never closed", place=place, hint=f"add the closing {closing}")


def _with_commands(source: Source, tokens: Sequence[Token]) -> list[Token]:
    """sqlglot reads what follows EXPLAIN, SHOW and some others as one string: here it is tokens like the rest."""
    found: list[Token] = []
    for token in tokens:
        if token.token_type == TokenType.STRING and _is_command(found):
            found += _inner_tokens(source, found[-1], token)
        else:
            found.append(token)
    return found


def _joined_strings(tokens: Sequence[Token]) -> list[Token]:
    """``'a' 'b'`` is one string."""
    found: list[Token] = []
    for are_strings, following in groupby(tokens, key=lambda t: t.token_type == TokenType.STRING):
        run = list(following)
        found += [_joined(run)] if are_strings and len(run) > 1 else run
    return found


def _hexadecimal(tokens: Sequence[Token]) -> list[Token]:
    """``X 'F0'`` is ``X'F0'``."""
    found: list[Token] = []
    for token in tokens:
        before = found[-1] if found else None
        is_digits = token.token_type == TokenType.STRING and bool(re.fullmatch(r"[0-9A-Fa-f]*", token.text))
        if is_digits and before is not None and before.token_type == TokenType.VAR and before.text in ("x", "X"):
            found[-1] = Token(TokenType.HEX_STRING, token.text, before.line, before.col, before.start, token.end)
        else:
            found.append(token)
    return found


def _joined(strings: Sequence[Token]) -> Token:
    first, last = strings[0], strings[-1]
    text = "".join(t.text for t in strings)
    return Token(TokenType.STRING, text, last.line, last.col, first.start, last.end)


def _is_command(before: Sequence[Token]) -> bool:
    """Do these tokens end with a command's first word, at the start of a statement?"""
    starts = len(before) == 1 or (len(before) > 1 and before[-2].token_type in (TokenType.SEMICOLON, TokenType.BEGIN))
    return starts and before[-1].token_type in _COMMANDS


def _inner_tokens(source: Source, command: Token, rest: Token) -> list[Token]:
    """A word in front keeps sqlglot from seeing yet another command."""
    front, start = "x ", command.end + 1
    tokens = calls.tokenize(front + blanked(source.text[start : rest.end + 1]))[1:]
    shift = start - len(front)
    return [Token(t.token_type, t.text, t.line, t.col, t.start + shift, t.end + shift) for t in tokens]
