"""Windows in brackets: ``[RANGE 5 MINUTES SLIDE 1 MINUTE]`` and its kin."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlglot.tokenizer_core import Token, TokenType

from datacell.algebra.window import (
    Fixed,
    Landmark,
    LandmarkRows,
    LatestBy,
    Now,
    Range,
    Rows,
    Session,
    Unbounded,
    WindowSpec,
)
from datacell.errors import Place, SqlError
from datacell.sql.text.cursor import Cursor, is_word
from datacell.sql.text.quantities import read_count, read_interval

_FORMS = {
    "RANGE": "[RANGE 5 MINUTES SLIDE 1 MINUTE]",
    "FIXED": "[FIXED 5 MINUTES SLIDE 1 MINUTE]",
    "ROWS": "[ROWS 100 SLIDE 10], where both count rows",
    "PARTITION BY": "[PARTITION BY k ROWS 100 SLIDE 10], where both count rows",
    "PARTITION": "[PARTITION BY k ROWS 100 SLIDE 10], where both count rows",
    "LANDMARK": "[LANDMARK SLIDE 1 HOUR RESET EVERY 1 DAY] or [LANDMARK SLIDE 100 ROWS]",
    "LATEST": "[LATEST BY id], [LATEST BY id DELETE WHEN (op = 'd')] or [LATEST BY id SLIDE 1 MINUTE]",
    "SESSION": "[SESSION 30 MINUTES PARTITION BY k] or [SESSION 30 MINUTES]",
    "NOW": "[NOW], with nothing more",
    "UNBOUNDED": "[UNBOUNDED], with nothing more",
}
_A_WINDOW = "a window is one of RANGE, FIXED, ROWS, PARTITION BY, LANDMARK, SESSION, LATEST BY, NOW or UNBOUNDED"


@dataclass(frozen=True)
class PlacedWindow:
    """A window, where it stands, the names in it, and the event-time column that a table function names.

    `ends` is the condition under which a row only ends its key.
    """

    window: WindowSpec
    place: Place
    partition: tuple[Token, ...] = ()
    descriptor: Token | None = None
    ends: tuple[Token, ...] = ()


def bracket(cursor: Cursor) -> PlacedWindow:
    """The window whose bracket opens at the cursor."""
    start = cursor.next("[")
    form = cursor.token.text.upper() if cursor.token is not None else ""
    ends: tuple[Token, ...] = ()
    if cursor.takes("LATEST"):
        partition, ends, window = _latest(cursor)
    elif cursor.takes("SESSION"):
        gap = read_interval(cursor, "SESSION")
        partition = partition_by(cursor)
        window = Session(gap, tuple(t.text for t in partition))
    else:
        partition = _partition(cursor)
        window = _window(cursor, tuple(t.text for t in partition))
    token = cursor.token
    if token is None or token.token_type != TokenType.R_BRACKET:
        shown = f"{token.text} is not expected in this window" if token is not None else "] expected"
        cursor.fail(shown, f"write {_FORMS[' '.join(form.split())]}")
    cursor.position += 1
    return PlacedWindow(window, cursor.source.place(start.start, token.end + 1), partition, ends=ends)


def _window(cursor: Cursor, partition: tuple[str, ...]) -> WindowSpec:
    if cursor.takes("ROWS"):
        count = read_count(cursor, "ROWS")
        return Rows(count, read_count(cursor, "SLIDE") if cursor.takes("SLIDE") else 1, partition)
    if partition:
        cursor.fail("ROWS expected", "a partitioned window counts rows: [PARTITION BY k ROWS n]")
    if cursor.takes("RANGE"):
        return Range(read_interval(cursor, "RANGE"), _slide(cursor))
    if cursor.takes("FIXED"):
        return Fixed(read_interval(cursor, "FIXED"), _slide(cursor))
    if cursor.takes("NOW"):
        return Now()
    if cursor.takes("UNBOUNDED"):
        return Unbounded()
    if cursor.takes("LANDMARK"):
        return _landmark(cursor)
    cursor.fail("a window expected", _A_WINDOW)


def _slide(cursor: Cursor) -> int | None:
    return read_interval(cursor, "SLIDE") if cursor.takes("SLIDE") else None


def _partition(cursor: Cursor) -> tuple[Token, ...]:
    if cursor.sees("PARTITION", "BY", "ROWS") or cursor.sees("PARTITION BY", "ROWS"):
        ahead = Cursor(cursor.source, cursor.tokens, cursor.position + (2 if cursor.sees("PARTITION", "BY") else 1))
        if _next_is_number(ahead):
            ahead.fail("a column expected", "write [PARTITION BY k ROWS n]")
    return partition_by(cursor)


def partition_by(cursor: Cursor) -> tuple[Token, ...]:
    """``PARTITION BY a, b``, if that comes next."""
    if not (cursor.takes("PARTITION", "BY") or cursor.takes("PARTITION BY")):
        return ()
    return _names(cursor)


def _names(cursor: Cursor) -> tuple[Token, ...]:
    """Names with commas between them, perhaps in parentheses; in a table function a comma may end them, too."""
    if cursor.takes("("):
        names = _names(cursor)
        cursor.expect(")")
        return names
    found = [cursor.name("a column")]
    while cursor.sees(",") and not (cursor.sees(",", "DESCRIPTOR", "(") or cursor.sees(",", "TIMECOL", "=>")):
        cursor.position += 1
        found.append(cursor.name("a column"))
    return tuple(found)


def _latest(cursor: Cursor) -> tuple[tuple[Token, ...], tuple[Token, ...], WindowSpec]:
    """What follows LATEST: its keys, the condition that ends a key, and the window."""
    if not cursor.takes("BY"):
        cursor.fail("BY expected", "say of which key the latest row is wanted: [LATEST BY id]")
    keys = _names(cursor)
    ends: tuple[Token, ...] = ()
    if cursor.takes("DELETE"):
        cursor.expect("WHEN", hint="write [LATEST BY id DELETE WHEN (op = 'd')]")
        if not cursor.sees("("):
            cursor.fail("( expected", "write [LATEST BY id DELETE WHEN (op = 'd')]")
        close = cursor.closing()
        ends = tuple(cursor.tokens[cursor.position + 1 : close])
        if not ends:
            cursor.fail("the condition is empty", "write [LATEST BY id DELETE WHEN (op = 'd')]")
        cursor.position = close + 1
    return keys, ends, LatestBy(tuple(t.text for t in keys), None, _slide(cursor))


def _next_is_number(cursor: Cursor) -> bool:
    ahead = cursor.tokens[cursor.position + 1 : cursor.position + 2]
    return bool(ahead) and ahead[0].token_type == TokenType.NUMBER


def _landmark(cursor: Cursor) -> WindowSpec:
    since = _timestamp(cursor) if cursor.takes("FROM") else None
    cursor.expect("SLIDE", hint="a landmark window needs SLIDE, as in [LANDMARK SLIDE 1 MINUTE]")
    after = cursor.tokens[cursor.position + 1 : cursor.position + 2]
    if after and is_word(after[0], "ROWS"):
        count = read_count(cursor, "SLIDE")
        cursor.expect("ROWS")
        return LandmarkRows(count, since)
    slide = read_interval(cursor, "SLIDE")
    reset = read_interval(cursor, "RESET EVERY") if cursor.takes("RESET", "EVERY") else None
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
