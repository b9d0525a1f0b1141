"""What CREATE TABLE and CREATE VIEW say to us: ``'datacell.refresh' = '10 minutes'`` among OPTIONS or TBLPROPERTIES."""

from __future__ import annotations

import re
from itertools import pairwise

from sqlglot.tokenizer_core import TokenType

from datacell.algebra.definitions import TableDefinition
from datacell.errors import Place, SqlError
from datacell.sql.text.cursor import Cursor
from datacell.sql.text.quantities import length_of

_SCHEME = re.compile(r"[a-zA-Z][\w+.-]*:")
REFRESH, NEVER = "datacell.refresh", "never"


def table_definition(cursor: Cursor) -> TableDefinition:
    """Of the statement from the cursor on."""
    tokens = cursor.tokens[cursor.position :]
    text = " ".join(cursor.source.text[t.start : t.end + 1] for t in tokens)
    for index, token in enumerate(tokens[:-1]):
        if token.text.lower().startswith(REFRESH) and token.text[len(REFRESH) :]:  # 'name' 'value', which is one token
            return refreshed(text, token.text[len(REFRESH) :], cursor.source.at(token))
        if token.text.lower() == REFRESH:
            value = (
                tokens[index + 2] if tokens[index + 1].text == "=" and index + 2 < len(tokens) else tokens[index + 1]
            )
            return refreshed(text, value.text, cursor.source.at(value))
    return TableDefinition(text)


def relative_path(cursor: Cursor) -> tuple[int, int, str] | None:
    """A relative path after LOCATION or among the options: from where to where it stands in the text, what it is."""
    tokens = cursor.tokens[cursor.position :]
    named = [token for token in tokens if token.text != "="]
    for before, token in pairwise(named):
        if before.text.lower() in ("location", "path") and token.token_type == TokenType.STRING:
            if token.text.startswith("/") or _SCHEME.match(token.text):
                return None
            return token.start - tokens[0].start, token.end + 1 - tokens[0].start, token.text
    return None


def refreshed(text: str, value: str, place: Place | None = None) -> TableDefinition:
    """A table with this value of the option."""
    if value.strip().lower() == NEVER:
        return TableDefinition(text, is_fixed=True)
    try:
        interval = length_of(value)
    except SqlError:
        interval = 0
    if not interval:
        hint = f"write '10 minutes', or '{NEVER}'; without it REFRESH TABLE replaces the table"
        raise SqlError(f"{REFRESH} is {value!r}", place=place, hint=hint)
    return TableDefinition(text, interval=interval)
