"""Windows in the text: cut out of the tokens, so that what is left is plain Spark SQL.

A window stands in brackets after a stream's name in FROM, or around it as one of Flink's table functions; both name
the same windows::

    TUMBLE(TABLE s, DESCRIPTOR(ts), size)          s [FIXED size SLIDE size]
    HOP(TABLE s, DESCRIPTOR(ts), slide, size)      s [RANGE size SLIDE slide]
    CUMULATE(TABLE s, DESCRIPTOR(ts), step, size)  s [LANDMARK SLIDE step RESET EVERY size]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlglot.tokenizer_core import Token, TokenType

from datacell.algebra.window import (
    Fixed,
    Landmark,
    LandmarkRows,
    Now,
    Range,
    Rows,
    Unbounded,
    WindowSpec,
)
from datacell.errors import Place, SqlError
from datacell.sql.cursor import Cursor, is_word
from datacell.sql.source import Source

_FORMS = "RANGE, FIXED, ROWS, PARTITION BY, LANDMARK, NOW or UNBOUNDED"
_TABLE_FUNCTIONS = ("TUMBLE", "HOP", "CUMULATE")
_CLAUSES = {"SELECT", "FROM", "JOIN", "WHERE", "GROUP BY", "ON", "HAVING", "ORDER BY", "LIMIT", "USING", "QUALIFY"}


@dataclass(frozen=True)
class PlacedWindow:
    """A window, where it stands, and the event-time column a table function names."""

    window: WindowSpec
    place: Place
    descriptor: Token | None = None


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
        in_from = clauses[-1] in ("FROM", "JOIN")
        if in_from and token.token_type == TokenType.L_BRACKET:
            owner = _owner(source, kept, token)
            windows[owner.start] = _bracket(cursor)
            continue
        if in_from and _starts_table_function(cursor):
            name, placed = _table_function(cursor)
            kept.append(name)
            windows[name.start] = placed
            continue
        _track_clause(clauses, token)
        kept.append(token)
        cursor.position += 1
    return Cut(tuple(kept), windows)


def _track_clause(clauses: list[str], token: Token) -> None:
    if token.token_type == TokenType.L_PAREN:
        clauses.append(clauses[-1] if clauses[-1] in ("FROM", "JOIN") else "")
    elif token.token_type == TokenType.R_PAREN and len(clauses) > 1:
        clauses.pop()
    elif token.token_type not in (TokenType.IDENTIFIER, TokenType.STRING):
        word = " ".join(token.text.upper().split())
        if word in _CLAUSES:
            clauses[-1] = word


def _owner(source: Source, kept: Sequence[Token], bracket: Token) -> Token:
    if kept and kept[-1].token_type == TokenType.R_PAREN:
        raise source.error("a window belongs to a stream, not to a subquery", bracket, "write it after a stream's name")
    if kept and kept[-1].token_type in (TokenType.FROM, TokenType.COMMA, TokenType.JOIN):
        raise source.error("a window belongs after a stream's name", bracket, "write FROM name [RANGE …]")
    return kept[-1]


def _bracket(cursor: Cursor) -> PlacedWindow:
    start = cursor.next("[")
    window = _window(cursor)
    token = cursor.token
    if token is None or token.token_type != TokenType.R_BRACKET:
        cursor.fail("] expected: the window ends here", f"a window is one of {_FORMS}")
    cursor.position += 1
    return PlacedWindow(window, cursor.source.place(start.start, token.end + 1))


def _window(cursor: Cursor) -> WindowSpec:
    if cursor.takes("RANGE"):
        return Range(cursor.interval("RANGE"), _slide(cursor))
    if cursor.takes("FIXED"):
        return Fixed(cursor.interval("FIXED"), _slide(cursor))
    if cursor.takes("NOW"):
        return Now()
    if cursor.takes("UNBOUNDED"):
        return Unbounded()
    if cursor.takes("LANDMARK"):
        return _landmark(cursor)
    partition = _partition(cursor)
    if cursor.takes("ROWS"):
        count = cursor.count("ROWS")
        return Rows(count, cursor.count("SLIDE") if cursor.takes("SLIDE") else 1, partition)
    cursor.fail("a window expected", f"a window is one of {_FORMS}")


def _slide(cursor: Cursor) -> int | None:
    return cursor.interval("SLIDE") if cursor.takes("SLIDE") else None


def _partition(cursor: Cursor) -> tuple[str, ...]:
    if not (cursor.takes("PARTITION", "BY") or cursor.takes("PARTITION BY")):
        return ()
    names = [cursor.name("a column").text]
    while cursor.token is not None and cursor.token.token_type == TokenType.COMMA:
        cursor.position += 1
        names.append(cursor.name("a column").text)
    if not cursor.sees("ROWS"):
        cursor.fail("ROWS expected", "a partitioned window counts rows: [PARTITION BY k ROWS n]")
    return tuple(names)


def _landmark(cursor: Cursor) -> WindowSpec:
    since = _timestamp(cursor) if cursor.takes("FROM") else None
    cursor.expect("SLIDE", hint="a landmark window needs SLIDE, as in [LANDMARK SLIDE 1 MINUTE]")
    after = cursor.tokens[cursor.position + 1 : cursor.position + 2]
    if after and is_word(after[0], "ROWS"):
        count = cursor.count("SLIDE")
        cursor.expect("ROWS")
        return LandmarkRows(count, since)
    slide = cursor.interval("SLIDE")
    reset = cursor.interval("RESET EVERY") if cursor.takes("RESET", "EVERY") else None
    return Landmark(slide, since, reset)


def _timestamp(cursor: Cursor) -> datetime:
    cursor.takes("TIMESTAMP")
    token = cursor.token
    text = cursor.string("a timestamp")
    try:
        instant = datetime.fromisoformat(text.strip())
    except ValueError:
        place = cursor.source.at(token) if token is not None else cursor.here()
        raise SqlError(f"'{text}' is not a timestamp", place=place, hint="write '2026-01-31 12:00:00'") from None
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)


def _starts_table_function(cursor: Cursor) -> bool:
    wrapped = cursor.sees("TABLE", "(")
    start = cursor.position + (2 if wrapped else 0)
    ahead = cursor.tokens[start : start + 2]
    return (
        len(ahead) == 2
        and any(is_word(ahead[0], word) for word in _TABLE_FUNCTIONS)
        and ahead[1].token_type == TokenType.L_PAREN
    )


def _table_function(cursor: Cursor) -> tuple[Token, PlacedWindow]:
    first = cursor.next("TABLE")
    wrapped = is_word(first, "TABLE")
    if wrapped:
        cursor.position += 1
        function = cursor.next("a window function")
    else:
        function = first
    cursor.position += 1
    _named_argument(cursor, "DATA")
    cursor.expect("TABLE", hint=f"write {function.text}(TABLE stream, DESCRIPTOR(ts), …)")
    name = cursor.name("a stream")
    _comma(cursor)
    _named_argument(cursor, "TIMECOL")
    cursor.expect("DESCRIPTOR")
    cursor.position += 1
    descriptor = cursor.name("the event-time column")
    cursor.position += 1
    lengths = _lengths(cursor, function)
    close = cursor.next(")")
    if wrapped:
        close = cursor.next(")")
    placed = PlacedWindow(
        _flink_window(function.text.upper(), lengths), cursor.source.place(first.start, close.end + 1), descriptor
    )
    return name, placed


def _lengths(cursor: Cursor, function: Token) -> list[int]:
    names = {"TUMBLE": ("SIZE",), "HOP": ("SLIDE", "SIZE"), "CUMULATE": ("STEP", "SIZE")}[function.text.upper()]
    lengths = {}
    for name in names:
        _comma(cursor)
        given = next((n for n in names if cursor.takes(n, "=>")), name)
        lengths[given] = cursor.interval(given)
    if cursor.token is not None and cursor.token.token_type == TokenType.COMMA:
        cursor.fail(f"{function.text} takes no offset here", "windows are aligned to the epoch")
    if cursor.token is None or cursor.token.token_type != TokenType.R_PAREN:
        cursor.fail(") expected")
    return [lengths[name] for name in names if name in lengths]


def _flink_window(function: str, lengths: list[int]) -> WindowSpec:
    match function, lengths:
        case "TUMBLE", [size]:
            return Fixed(size, size)
        case "HOP", [slide, size]:
            return Range(size, slide)
        case _, [step, size]:
            return Landmark(step, reset=size)
    raise AssertionError(function)


def _named_argument(cursor: Cursor, name: str) -> None:
    cursor.takes(name, "=>")


def _comma(cursor: Cursor) -> None:
    token = cursor.token
    if token is None or token.token_type != TokenType.COMMA:
        cursor.fail(", expected")
    cursor.position += 1
