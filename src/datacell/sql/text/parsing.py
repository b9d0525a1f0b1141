"""Tokens to sqlglot trees, with sqlglot's complaints turned into ours."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import Token, TokenType

from datacell.errors import SqlError, UnsupportedError, closest
from datacell.sql.text import calls
from datacell.sql.text.pipes import unpiped
from datacell.sql.text.places import place_constants
from datacell.sql.text.source import Source

_KEYWORDS = ("FROM", "WHERE", "JOIN", "HAVING", "LIMIT", "UNION", "INTERSECT", "EXCEPT", "QUALIFY", "SELECT", "USING")
_SET_WORDS = (TokenType.UNION, TokenType.ALL, TokenType.DISTINCT, TokenType.EXCEPT, TokenType.INTERSECT)
_VALUES = (TokenType.VAR, TokenType.IDENTIFIER, TokenType.NUMBER, TokenType.STRING)
_AFTER_LIST = (
    *(TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.HAVING),
    *(TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.UNION, TokenType.LIMIT),
)


def parse_query(source: Source, tokens: Sequence[Token]) -> exp.Expr:
    """A query, or another statement that sqlglot knows."""
    _check_lists(source, tokens)
    try:
        with _quiet():
            trees = calls.parse(source.text, _with_selects(unpiped(source, tokens)))
    except ParseError as error:
        raise _ours(source, tokens, error) from None
    except RecursionError:
        raise source.error("this is nested too deeply", tokens[0], "split it with WITH or a subquery") from None
    if len(trees) != 1:
        raise source.error("one statement expected", tokens[0])
    place_constants(trees[0], tokens)
    return trees[0]


def _with_selects(tokens: Sequence[Token]) -> list[Token]:
    """``TABLE name`` as a query is ``SELECT * FROM name``."""
    found: list[Token] = []
    for index, token in enumerate(tokens):
        if token.token_type == TokenType.TABLE and _begins_query(tokens, index):
            found += [
                Token(kind, text, token.line, token.col, token.start, token.end)
                for kind, text in ((TokenType.SELECT, "SELECT"), (TokenType.STAR, "*"), (TokenType.FROM, "FROM"))
            ]
        else:
            found.append(token)
    return found


def _begins_query(tokens: Sequence[Token], index: int) -> bool:
    after = tokens[index + 1 : index + 2]
    if not after or after[0].token_type not in (TokenType.VAR, TokenType.IDENTIFIER):
        return False
    before = [t.token_type for t in tokens[max(0, index - 2) : index]]
    if before[-1:] == [TokenType.L_PAREN]:
        return len(before) == 1 or before[0] not in (TokenType.VAR, TokenType.IDENTIFIER)
    return not before or before[-1] in _SET_WORDS


def parse_expression(source: Source, tokens: Sequence[Token]) -> exp.Expr:
    """A scalar expression."""
    first = tokens[0]
    select = Token(TokenType.SELECT, "SELECT", first.line, first.col, first.start, first.start)
    tree = parse_query(source, [select, *tokens])
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1 or tree.args.get("from_"):
        raise source.error("one expression expected", first)
    found: exp.Expr = tree.expressions[0]
    return found


@contextmanager
def _quiet() -> Iterator[None]:
    """sqlglot logs what it cannot read; we raise it, or leave it to Spark."""
    logger = logging.getLogger("sqlglot")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _check_lists(source: Source, tokens: Sequence[Token]) -> None:
    """sqlglot forgives an empty select list and a comma too many; Spark does not."""
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        ends = following is None or following.token_type in _AFTER_LIST
        if ends and token.token_type == TokenType.COMMA:
            raise source.error("something is missing after this comma", token, "remove the comma")
        if ends and token.token_type == TokenType.SELECT:
            raise source.error("SELECT names no columns", token, "write SELECT *, or name columns")


def _ours(source: Source, tokens: Sequence[Token], error: ParseError) -> SqlError:
    """sqlglot names the line and the column at which the offending token ends."""
    first = error.errors[0] if error.errors else {}
    line, column = first.get("line"), first.get("col")
    token = next((t for t in tokens if t.line == line and t.col == column), tokens[-1])
    said = re.sub(r"\s+", " ", str(first.get("description", "this is not SQL"))).strip(" .")
    if token is tokens[-1] and token.token_type not in (*_VALUES, TokenType.R_PAREN, TokenType.R_BRACKET):
        return source.error(f"something is missing after {token.text}", token, "finish the expression")
    message, hint = _meaning(said, token, tokens[: tokens.index(token)])
    if said.startswith("Unsupported"):
        return UnsupportedError(said, place=source.at(token))
    return source.error(message, token, hint)


def _meaning(said: str, token: Token, before: Sequence[Token]) -> tuple[str, str]:
    """sqlglot's words in ours, and what to do."""
    if said.lower().startswith("expected type"):
        return f"there is no type {token.text}", "the types are Spark's: INT, DOUBLE, STRING, TIMESTAMP, …"
    if said.startswith(("Expecting", "Expected")) and not said.endswith((")", "]")):
        said = f"{said.split(maxsplit=1)[1]} expected"
    elif said.startswith(("Expecting", "Expected")):
        return f"{said[-1]} expected before {token.text}", "close the bracket, or add what is missing"
    elif said.startswith("Invalid expression") or "Required keyword" in said:
        said = f"{token.text} is not expected here"
    return said, _advice(token, before)


def _advice(token: Token, before: Sequence[Token]) -> str:
    for word in (token, *before[-1:]):
        meant = closest(word.text, _KEYWORDS, likeness=0.7)
        if word.token_type == TokenType.VAR and meant is not None and meant != word.text.upper():
            return f"did you mean {meant} instead of {word.text}?"
    if token.token_type in (TokenType.SELECT, TokenType.WITH, TokenType.CREATE) and before:
        return f"end the statement before {token.text} with ;, or put {token.text} … in parentheses"
    if token.token_type in _VALUES:
        return "a comma or an operator may be missing before it"
    return "check the SQL just before it"
