"""What a query reads, as far as its tokens tell: so much is known of a text also where nothing else is understood."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot.tokenizer_core import Token, TokenType

from datacell.sql.text.cutting import BEFORE_ITEM, IN_FROM, Cut, track_clause
from datacell.sql.text.samples import length

_NO_ALIAS = {
    *("ANTI", "CROSS", "EXCEPT", "FULL", "INNER", "INTERSECT", "JOIN", "LATERAL", "LEFT", "NATURAL", "ON", "RIGHT"),
    *("SEMI", "MINUS", "UNION", "USING", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "WINDOW", "SORT"),
    *("CLUSTER", "DISTRIBUTE", "PIVOT", "UNPIVOT", "TABLESAMPLE", "SELECT", "FROM", "QUALIFY", "SET", "INSERT"),
}
_NO_NAME = (TokenType.STRING, TokenType.NUMBER, TokenType.L_PAREN, TokenType.R_PAREN, TokenType.COMMA)


@dataclass(frozen=True)
class FromItem:
    """A name in FROM with its window, and what of the text it takes; `is_query` of ``TABLE name``."""

    name: str
    position: int
    """Where the last part of its name starts, by which its window is known."""
    start: int
    stop: int
    is_query: bool
    has_alias: bool
    token: Token
    sample: str
    """The TABLESAMPLE that follows: the name of what it draws from stands behind it."""


def from_items(cut: Cut) -> Iterator[FromItem]:
    """The names in FROM, but for named subqueries and functions."""
    named = _named_subqueries(cut.tokens)
    clauses = [""]
    for index, token in enumerate(cut.tokens):
        in_from = clauses[-1] in IN_FROM
        track_clause(clauses, token, cut.tokens[:index])
        before = cut.tokens[index - 1] if index else None
        if not in_from or before is None or before.token_type not in BEFORE_ITEM or token.token_type in _NO_NAME:
            continue
        last = _last_part(cut.tokens, index)
        item = _item(cut, index, last)
        after = cut.tokens[last + 1 : last + 2]
        is_call = bool(after) and after[0].token_type == TokenType.L_PAREN
        is_named = item.name.lower() in named and item.position not in cut.windows
        if not is_call and not is_named:
            yield item


def _item(cut: Cut, first: int, last: int) -> FromItem:
    tokens, window = cut.tokens, cut.windows.get(cut.tokens[last].start)
    start, stop = tokens[first].start, tokens[last].end + 1
    if window is not None:
        start, stop = min(start, window.place.start), max(stop, window.place.end)
    is_query = tokens[first - 1].token_type == TokenType.TABLE
    name = ".".join(t.text for t in tokens[first : last + 1 : 2])
    start = tokens[first - 1].start if is_query else start
    sampled = length(tokens[last + 1 :])
    text, end = "", last + sampled
    if sampled:
        text = " ".join(token.text for token in tokens[last + 1 : end + 1])
        stop = tokens[end].end + 1
    has_alias = _has_alias(tokens[end + 1 :])
    return FromItem(name, tokens[last].start, start, stop, is_query, has_alias, tokens[last], text)


def _last_part(tokens: Sequence[Token], index: int) -> int:
    """``a.b.c`` is one name."""
    while index + 2 < len(tokens) and tokens[index + 1].token_type == TokenType.DOT:
        index += 2
    return index


def _has_alias(after: Sequence[Token]) -> bool:
    if not after:
        return False
    token = after[0]
    if token.token_type in (TokenType.ALIAS, TokenType.IDENTIFIER):
        return True
    word = token.text.upper().split()[0] if token.text.strip() else ""
    is_word = word.replace("_", "a").isalnum() and token.token_type not in (TokenType.STRING, TokenType.NUMBER)
    return is_word and word not in _NO_ALIAS


def _named_subqueries(tokens: Sequence[Token]) -> set[str]:
    """``name AS (`` and ``name (a, b) AS (``."""
    found = set()
    for index, token in enumerate(tokens[:-1]):
        if token.token_type != TokenType.ALIAS or tokens[index + 1].token_type != TokenType.L_PAREN or not index:
            continue
        at = index - 1
        if tokens[at].token_type == TokenType.R_PAREN:
            while at > 0 and tokens[at].token_type != TokenType.L_PAREN:
                at -= 1
            at -= 1
        found.add(tokens[at].text.lower())
    return found
