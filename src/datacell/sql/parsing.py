"""Tokens to sqlglot trees, with sqlglot's complaints turned into ours."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import Token, TokenType

from datacell.errors import SqlError
from datacell.sql import calls
from datacell.sql.source import Source


def parse_query(source: Source, tokens: Sequence[Token]) -> exp.Expr:
    """A query, or another statement that sqlglot knows."""
    try:
        trees = calls.parse(source.text, list(tokens))
    except ParseError as error:
        raise _ours(source, tokens, error) from None
    except RecursionError:
        raise source.error("this is nested too deeply", tokens[0], "split it with WITH or a subquery") from None
    if len(trees) != 1:
        raise source.error("one statement expected", tokens[0])
    return trees[0]


def parse_expression(source: Source, tokens: Sequence[Token]) -> exp.Expr:
    """A scalar expression."""
    first = tokens[0]
    select = Token(TokenType.SELECT, "SELECT", first.line, first.col, first.start, first.start)
    tree = parse_query(source, [select, *tokens])
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1 or tree.args.get("from_"):
        raise source.error("one expression expected", first)
    found: exp.Expr = tree.expressions[0]
    return found


def _ours(source: Source, tokens: Sequence[Token], error: ParseError) -> SqlError:
    """sqlglot names the line and the column at which the offending token ends."""
    first = error.errors[0] if error.errors else {}
    line, column = first.get("line"), first.get("col")
    token = next((t for t in tokens if t.line == line and t.col == column), tokens[-1])
    message = re.sub(r"\s+", " ", str(first.get("description", "this is not SQL"))).strip(" .")
    if message.startswith("Invalid expression") or "Required keyword" in message:
        message = f"{token.text} is not expected here"
    return source.error(message[0].lower() + message[1:], token, "check the SQL just before it")
