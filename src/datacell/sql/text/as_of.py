"""``rates FOR SYSTEM_TIME AS OF o.ts``: the version of a row that was valid at the event time of another one.

It says in other words what windows say. The rows of ``o`` are seen at their very instant, ``[NOW]``, and of ``rates``
is seen what is the latest then: ``[LATEST BY key]``, where the key is the one that the stream declares, or that stands
in brackets before FOR.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot.tokenizer_core import Token

from datacell.algebra.definitions import StreamDefinition
from datacell.algebra.window import LatestBy, Now, is_keyed
from datacell.errors import did_you_mean
from datacell.sql.text.cursor import Cursor, is_name
from datacell.sql.text.cutting import Cut
from datacell.sql.text.from_items import FromItem, from_items
from datacell.sql.text.source import Source
from datacell.sql.text.windows import PlacedWindow

_WORDS = ("FOR", "SYSTEM_TIME", "AS", "OF")
_HINT = "write rates FOR SYSTEM_TIME AS OF o.ts, where ts is the event time of o"


def with_versions(source: Source, cut: Cut, streams: Mapping[str, StreamDefinition]) -> Cut:
    """The query without these words, and with the windows that they mean."""
    cursor, kept = Cursor(source, cut.tokens), list[Token]()
    asked: list[tuple[Token, Token, Token]] = []
    while cursor.token is not None:
        if kept and cursor.takes(*_WORDS):
            owner = kept[-1]
            alias = cursor.name("a stream")
            cursor.expect(".", hint=_HINT)
            asked.append((owner, alias, cursor.name("its event time")))
        else:
            kept.append(cursor.next("a token"))
    if not asked:
        return cut
    found = Cut(tuple(kept), dict(cut.windows))
    for owner, alias, column in asked:
        _place(source, found, streams, owner, alias, column)
    return found


def _place(
    source: Source, cut: Cut, streams: Mapping[str, StreamDefinition], owner: Token, alias: Token, column: Token
) -> None:
    items = list(from_items(cut))
    at = next((item for item in items if item.name.lower() in streams and _called(cut.tokens, item, alias)), None)
    if at is None:
        raise source.error(f"there is no stream {alias.text} in this FROM", alias, _HINT)
    stream = streams[at.name.lower()]
    if stream.event_time is None or not is_name(column, stream.event_time):
        hint = f"its event time is {stream.event_time}" if stream.event_time else "declare WATERMARK FOR a column"
        raise source.rule(f"{alias.text}.{column.text} is not the event time of {stream.name}", column, hint)
    now = cut.windows.setdefault(at.position, PlacedWindow(Now(), source.at(at.token)))
    if not isinstance(now.window, Now):
        problem = f"{alias.text} is seen at the very time of each row, not through a window"
        raise source.rule(problem, alias, f"write {at.name} [NOW], or no window")
    _see_versions(source, cut, streams, owner)


def _see_versions(source: Source, cut: Cut, streams: Mapping[str, StreamDefinition], owner: Token) -> None:
    placed = cut.windows.get(owner.start)
    if placed is not None:
        if not is_keyed(placed.window):
            hint = f"write {owner.text} [LATEST BY key] FOR SYSTEM_TIME AS OF …"
            raise source.rule("only of LATEST rows there are versions", owner, hint)
        return
    stream = streams.get(owner.text.lower())
    if stream is None:
        meant = did_you_mean(owner.text, [one.name for one in streams.values()])
        raise source.error(f"{owner.text} is not a stream", owner, meant)
    if not stream.key:
        how = f"write {owner.text} [LATEST BY key] FOR SYSTEM_TIME AS OF …, or declare PRIMARY KEY (key) NOT ENFORCED"
        raise source.rule(f"{owner.text} has no key: of which rows is the latest meant?", owner, how)
    keys = tuple(_in_place_of(owner, name) for name in stream.key)
    cut.windows[owner.start] = PlacedWindow(LatestBy(stream.key), source.at(owner), keys)


def _called(tokens: Sequence[Token], item: FromItem, alias: Token) -> bool:
    """Does the item go by this name?"""
    if not item.has_alias:
        return is_name(item.token, alias.text)
    index = next(i for i, token in enumerate(tokens) if token is item.token) + 1
    given = tokens[index + 1] if tokens[index].text.upper() == "AS" else tokens[index]
    return is_name(given, alias.text)


def _in_place_of(token: Token, text: str) -> Token:
    """Another word in the place of one."""
    return Token(token.token_type, text, token.line, token.col, token.start, token.end)
