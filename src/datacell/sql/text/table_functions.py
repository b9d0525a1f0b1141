"""Windows as Flink writes them: table functions, which name the same windows as brackets do::

    TUMBLE(TABLE s, DESCRIPTOR(ts), size)          s [FIXED size SLIDE size]
    HOP(TABLE s, DESCRIPTOR(ts), slide, size)      s [RANGE size SLIDE slide]
    CUMULATE(TABLE s, DESCRIPTOR(ts), step, size)  s [LANDMARK SLIDE step RESET EVERY size]
    SESSION(TABLE s PARTITION BY k, DESCRIPTOR(ts), gap)  s [SESSION gap PARTITION BY k]

The arguments after the first two may be named.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from datacell.algebra.window import Fixed, Landmark, Range, Session, WindowSpec
from datacell.errors import did_you_mean
from datacell.sql.text.cursor import Cursor
from datacell.sql.text.quantities import read_interval
from datacell.sql.text.windows import PlacedWindow, partition_by

_ARGUMENTS = {"TUMBLE": ("SIZE",), "HOP": ("SLIDE", "SIZE"), "CUMULATE": ("STEP", "SIZE"), "SESSION": ("GAP",)}


def starts_table_function(cursor: Cursor) -> bool:
    """``name(TABLE …`` or ``name(DATA => …``, perhaps within ``TABLE( )``."""
    wrapped = cursor.sees("TABLE", "(")
    ahead = Cursor(cursor.source, cursor.tokens, cursor.position + (2 if wrapped else 0))
    name = ahead.token
    if name is None or name.token_type in (TokenType.STRING, TokenType.NUMBER, TokenType.L_PAREN):
        return False
    ahead.position += 1
    if name.text.upper() in _ARGUMENTS:
        return ahead.sees("(")
    if not (ahead.sees("(", "TABLE") or ahead.sees("(", "DATA", "=>")):
        return False
    hint = did_you_mean(name.text, _ARGUMENTS)
    raise cursor.source.error(f"there is no window function {name.text}", name, hint)


def table_function(cursor: Cursor) -> tuple[Token, PlacedWindow]:
    """The stream's name and its window."""
    first = cursor.token
    wrapped = cursor.takes("TABLE", "(")
    function = cursor.next("a window function")
    usage = _usage(function.text.upper())
    cursor.expect("(", hint=usage)
    cursor.takes("DATA", "=>")
    cursor.expect("TABLE", hint=usage)
    name = cursor.name("a stream")
    keys = partition_by(cursor) if function.text.upper() == "SESSION" else ()
    cursor.expect(",", hint=usage)
    cursor.takes("TIMECOL", "=>")
    cursor.expect("DESCRIPTOR", "(", hint=usage)
    descriptor = cursor.name("the event-time column")
    cursor.expect(")", hint=usage)
    lengths = _lengths(cursor, function, usage)
    window = _flink_window(function.text.upper(), lengths, tuple(t.text for t in keys))
    if wrapped:
        cursor.expect(")", hint="close TABLE(")
    assert first is not None
    place = cursor.source.place(first.start, cursor.tokens[cursor.position - 1].end + 1)
    return name, PlacedWindow(window, place, keys, descriptor)


def _usage(function: str) -> str:
    return f"write {function}(TABLE stream, DESCRIPTOR(ts), {', '.join(map(str.lower, _ARGUMENTS[function]))})"


def _lengths(cursor: Cursor, function: Token, usage: str) -> dict[str, int]:
    """The lengths by name, given in order or as ``SIZE => INTERVAL '5' MINUTES``, and the closing parenthesis."""
    names = _ARGUMENTS[function.text.upper()]
    lengths: dict[str, int] = {}
    for name in names:
        cursor.expect(",", hint=usage)
        given = _argument_name(cursor, names) or name
        if given in lengths:
            cursor.fail(f"{given} is given twice", usage)
        lengths[given] = read_interval(cursor, given)
    if cursor.sees(","):
        cursor.position += 1
        cursor.fail(f"{function.text} takes no offset here", "windows are aligned to the epoch")
    cursor.expect(")", hint=usage)
    return lengths


def _argument_name(cursor: Cursor, names: Sequence[str]) -> str | None:
    token = cursor.token
    if token is None or not Cursor(cursor.source, cursor.tokens, cursor.position + 1).sees("=>"):
        return None
    if token.text.upper() not in names:
        cursor.fail(f"there is no argument {token.text}", did_you_mean(token.text, names))
    cursor.position += 2
    return token.text.upper()


def _flink_window(function: str, lengths: dict[str, int], keys: tuple[str, ...]) -> WindowSpec:
    if function == "SESSION":
        return Session(lengths["GAP"], keys)
    size = lengths["SIZE"]
    match function:
        case "TUMBLE":
            return Fixed(size, size)
        case "HOP":
            return Range(size, lengths["SLIDE"])
    return Landmark(lengths["STEP"], reset=size)
