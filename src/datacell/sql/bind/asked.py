"""What a text has in common with others whose columns a database calls the same, and gives the same types.

A number that a condition of WHERE or HAVING compares something with says nothing of the columns.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from datacell.sql import functions
from datacell.sql.catalog import Catalog
from datacell.sql.text.cutting import Cut
from datacell.sql.text.from_items import from_items

_TEXT = (TokenType.STRING, TokenType.IDENTIFIER)
_COMPARED = (TokenType.GT, TokenType.GTE, TokenType.LT, TokenType.LTE, TokenType.EQ, TokenType.NEQ)
_CONDITIONS = frozenset({"WHERE", "HAVING"})
_CLAUSES = frozenset(
    {"SELECT", "FROM", "GROUP", "ORDER", "LIMIT", "UNION", "INTERSECT", "EXCEPT", "LATERAL", "CASE", "PIVOT", "WINDOW"}
)
"""Words after which a number may be in a column, or say which."""


def asked(catalog: Catalog, cut: Cut) -> Hashable | None:
    """The words of a text over streams alone, beside these; None if it reads or calls what may change."""
    items = from_items(cut)
    streams = [catalog.stream(item.name) for item in items]
    if not streams or None in streams or not all(map(_is_known, cut.tokens, [*cut.tokens[1:], None])):
        return None
    return tuple(_words(cut.tokens)), tuple(stream.columns for stream in streams if stream is not None)


def _words(tokens: Sequence[Token]) -> Iterator[str]:
    in_condition, before = False, None
    for token in tokens:
        word = "" if token.token_type in _TEXT else token.text.upper()
        if word in _CONDITIONS or word in _CLAUSES:
            in_condition = word in _CONDITIONS
        is_constant = token.token_type is TokenType.NUMBER and in_condition and before in _COMPARED
        yield "?" if is_constant else f"{token.token_type.name} {token.text}"
        before = before if token.token_type is TokenType.DASH else token.token_type


def _is_known(token: Token, after: Token | None) -> bool:
    """No function of the user's: others are what they are."""
    is_called = after is not None and after.token_type is TokenType.L_PAREN and token.token_type is TokenType.VAR
    return not is_called or functions.lookup(token.text) is not None
