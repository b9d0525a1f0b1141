"""Windows cut out of the tokens of a query, so that what is left is plain Spark SQL.

A window stands in brackets after a stream's name in FROM, or around it as a table function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot.tokenizer_core import Token, TokenType

from datacell.sql.text.cursor import Cursor, is_word
from datacell.sql.text.source import Source
from datacell.sql.text.table_functions import starts_table_function, table_function
from datacell.sql.text.windows import PlacedWindow, bracket

IN_FROM = ("FROM", "JOIN", "TABLE")
_CLAUSES = {
    *("SELECT", "FROM", "JOIN", "WHERE", "GROUP BY", "ON", "HAVING", "ORDER BY", "LIMIT", "USING", "QUALIFY"),
    *("TABLE", "VIEW", "WINDOW", "UNION", "EXCEPT", "MINUS", "INTERSECT", "SORT BY", "CLUSTER BY", "DISTRIBUTE BY"),
    "PARTITION BY",
}
BEFORE_ITEM = (TokenType.FROM, TokenType.COMMA, TokenType.JOIN, TokenType.L_PAREN, TokenType.TABLE)


@dataclass(frozen=True)
class Cut:
    """Tokens without windows, and the windows by the position at which their stream's name starts."""

    tokens: tuple[Token, ...]
    windows: dict[int, PlacedWindow]


def cut(source: Source, tokens: Sequence[Token]) -> Cut:
    """Take every window out of the tokens of a query."""
    kept: list[Token] = []
    windows: dict[int, PlacedWindow] = {}
    clauses = [""]
    cursor = Cursor(source, tokens)
    while cursor.token is not None:
        token = cursor.token
        in_from = clauses[-1] in IN_FROM
        if in_from and token.token_type == TokenType.L_BRACKET:
            owner = _owner(source, kept, token)
            if owner.start in windows:
                raise source.error(f"{owner.text} has two windows", token, "keep one of them")
            windows[owner.start] = bracket(cursor)
            continue
        if in_from and starts_table_function(cursor):
            name, placed = table_function(cursor)
            kept.append(name)
            windows[name.start] = placed
            continue
        if token.token_type == TokenType.L_BRACKET and _looks_like_window(cursor):
            raise source.error("a window belongs after a stream's name in FROM", token, "write FROM name [RANGE …]")
        track_clause(clauses, token, kept)
        kept.append(token)
        cursor.position += 1
    return Cut(tuple(kept), windows)


def track_clause(clauses: list[str], token: Token, before: Sequence[Token]) -> None:
    """Parentheses right after FROM, JOIN or a comma group joins; all others begin something else.

    A comma after an ON goes on with FROM: within a condition commas stand in parentheses.
    """
    if token.token_type == TokenType.L_PAREN:
        groups_joins = clauses[-1] in IN_FROM and bool(before) and before[-1].token_type in BEFORE_ITEM
        clauses.append(clauses[-1] if groups_joins else "")
    elif token.token_type == TokenType.R_PAREN and len(clauses) > 1:
        clauses.pop()
    elif token.token_type == TokenType.COMMA and clauses[-1] in ("ON", "USING"):
        clauses[-1] = "FROM"
    elif token.token_type == TokenType.PIPE_GT:
        clauses[-1] = ""
    elif token.token_type not in (TokenType.IDENTIFIER, TokenType.STRING):
        word = " ".join(token.text.upper().split())
        if word in _CLAUSES:
            clauses[-1] = word


def _owner(source: Source, kept: Sequence[Token], opening: Token) -> Token:
    """The name that the bracket follows."""
    if kept[-1].token_type == TokenType.R_PAREN:
        raise source.error("a window belongs to a stream, not to a subquery", opening, "write it after a stream's name")
    if kept[-1].token_type in BEFORE_ITEM:
        raise source.error("a window belongs after a stream's name", opening, "write FROM name [RANGE …]")
    first = len(kept) - 1
    while first >= 2 and kept[first - 1].token_type == TokenType.DOT:
        first -= 2
    if kept[first - 1].token_type not in BEFORE_ITEM:
        hint = f"write it before the alias: name [RANGE …] AS {kept[-1].text}"
        raise source.error("a window belongs right after a stream's name", opening, hint)
    return kept[-1]


def _looks_like_window(cursor: Cursor) -> bool:
    ahead = cursor.tokens[cursor.position + 1 : cursor.position + 3]
    return (
        len(ahead) == 2
        and any(is_word(ahead[0], word) for word in ("RANGE", "FIXED", "ROWS", "LANDMARK"))
        and (ahead[1].token_type == TokenType.NUMBER or is_word(ahead[1], "INTERVAL") or is_word(ahead[1], "SLIDE"))
    )
