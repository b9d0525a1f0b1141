"""SET and RESET: what may be set makes Spark faster or slower; what a query means is not up to a session.

A cell computes in UTC, with ANSI mode off, with names whose case does not count. If a script could change that, the
same query would have another meaning below the SET than above it, and after a restart. So of Spark's settings for SQL
only those can be set that are known to concern speed; all others are refused, also those of which nobody has heard.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from datacell.sql.text.cursor import Cursor

_SPEED = (
    *("spark.sql.shuffle.partitions", "spark.sql.adaptive.", "spark.sql.autobroadcastjointhreshold"),
    *("spark.sql.broadcasttimeout", "spark.sql.files.", "spark.sql.join.", "spark.sql.inmemorycolumnarstorage."),
    *("spark.sql.codegen.", "spark.sql.statistics.", "spark.sql.cbo.", "spark.sql.ui.", "spark.sql.debug."),
)
_ELSEWHERE = ("spark.sql.catalog.", "spark.sql.defaultcatalog")
"""Where tables are: not what a query over them means."""

_HINT = "leave it out: a cell computes in UTC with ANSI mode off, and CAST, try_cast and to_utc_timestamp say the rest"


def is_about_speed(key: str) -> bool:
    """Is this a setting of Spark's that only makes it faster or slower?"""
    return key.lower().startswith(_SPEED)


def may_be_set(key: str) -> bool:
    """Does this setting leave the meaning of queries alone?"""
    name = key.lower()
    return not name.startswith("spark.sql.") or name.startswith((*_SPEED, *_ELSEWHERE))


def check_setting(cursor: Cursor) -> None:
    """Refuse a SET or RESET that would change what queries mean."""
    word, *rest = cursor.tokens[cursor.position :]
    if cursor.sees("SET", "TIME", "ZONE"):
        raise cursor.source.error("SET TIME ZONE would change what queries mean", word, _HINT)
    if word.text.upper() == "RESET" and not rest:
        raise cursor.source.error("RESET would change what queries mean", word, "name what is to be reset: RESET key")
    key = assigned(rest) if word.text.upper() == "SET" else _joined(rest)
    if key is not None and not may_be_set(key):
        raise cursor.source.error(f"{word.text.upper()} {key} would change what queries mean", rest[0], _HINT)


def assigned(rest: Sequence[Token]) -> str | None:
    """The key to which the tokens after SET assign a value; None if they only ask for it, or set a variable."""
    end = next((i for i, t in enumerate(rest) if t.token_type == TokenType.EQ), None)
    if end is None or rest[0].text.upper() in ("VAR", "VARIABLE"):
        return None
    return _joined(rest[:end])


def _joined(tokens: Sequence[Token]) -> str:
    return "".join(t.text for t in tokens)
