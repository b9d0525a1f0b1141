"""CREATE STREAM and CREATE EMITTER: columns, constraints, watermark, options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from datacell.algebra import scalar, types
from datacell.algebra.definitions import StreamColumn, StreamDefinition, reserved
from datacell.algebra.plan import Table
from datacell.algebra.types import TIMESTAMP, TIMESTAMP_NTZ, Type
from datacell.errors import Place, SqlError, did_you_mean
from datacell.sql.bind.context import Context
from datacell.sql.bind.expressions import Expressions
from datacell.sql.bind.queries import no_subquery
from datacell.sql.bind.scope import Relation, Scope, Visible
from datacell.sql.bind.subqueries import Subqueries
from datacell.sql.catalog import Catalog
from datacell.sql.statements import source_options
from datacell.sql.statements.source_options import ENVELOPE
from datacell.sql.text.cursor import Cursor, is_name
from datacell.sql.text.parsing import parse_expression
from datacell.sql.text.quantities import length_of, read_interval, read_length
from datacell.sql.text.source import Source

KEEP = "datacell.keep"
_ENVELOPED = ("json", "text", "kafka")
"""Formats whose rows may be messages in an envelope, among those that are known."""

Options = tuple[tuple[str, str], ...]


class _Columns:
    """What the parentheses of CREATE STREAM have said so far."""

    def __init__(self) -> None:
        self.columns: list[StreamColumn] = []
        self.checks: list[tuple[int, list[Token]]] = []
        self.event_time: str | None = None
        self.lateness = 0
        self.ahead: int | None = None
        self.watermark: tuple[Token, list[Token]] | None = None
        self.idle_timeout: int | None = None
        self.key: list[Token] = []


def stream_definition(cursor: Cursor, catalog: Catalog, name: str) -> StreamDefinition:
    """The rest of CREATE STREAM after its name."""
    opening = cursor.here()
    found = _columns(cursor)
    if not found.columns:
        raise SqlError("a stream needs at least one column", place=opening, hint="write (name TYPE, …)")
    _bind_watermark(cursor.source, found)
    columns = _bind_checks(cursor.source, catalog, name, found)
    sourced = cursor.here()
    settings = _source_options(cursor)
    said = {key.lower(): value for key, value in settings}
    kept = _kept_for(said[KEEP], sourced) if KEEP in said else None
    is_enveloped = _is_enveloped(said, sourced)
    settings = tuple(setting for setting in settings if setting[0].lower() not in (KEEP, ENVELOPE))
    timing = found.event_time, found.lateness, found.idle_timeout
    key = _bind_key(cursor.source, found)
    return StreamDefinition(name, columns, *timing, settings, found.ahead, kept, key, is_enveloped)


def _kept_for(value: str, place: Place | None) -> int:
    """How long rows are kept."""
    try:
        length = length_of(value)
    except SqlError:
        length = 0
    if length <= 0:
        raise SqlError(f"{KEEP} is {value!r}", place=place, hint="write '1 hour'")
    return length


def _is_enveloped(said: Mapping[str, str], place: Place | None) -> bool:
    if ENVELOPE not in said:
        return False
    if said[ENVELOPE].lower() != "debezium":
        raise SqlError(f"there is no envelope {said[ENVELOPE]}", place=place, hint="write 'debezium'")
    form = said["format"].lower()
    lines = said.get("lines", "csv").lower() if form == "tcp" else form
    if lines in source_options.KNOWN and lines not in _ENVELOPED:
        hint = "an envelope is read of json, of text, of TCP with lines = 'json', or of Kafka"
        raise SqlError(f"messages in an envelope are JSON, not {lines}", place=place, hint=hint)
    return True


def options(cursor: Cursor) -> Options:
    """``(format = 'csv', header = 'true')``; keys may be dotted, or quoted."""
    return tuple((key, value) for key, value, _ in _placed_options(cursor))


def _placed_options(cursor: Cursor) -> list[tuple[str, str, Place]]:
    """The options, and where the name of each stands."""
    cursor.expect("(", hint="write WITH (format = 'csv', …)")
    found: list[tuple[str, str, Place]] = []
    while not cursor.takes(")"):
        opening = cursor.here()
        key = _option_key(cursor)
        place = replace(opening, end=cursor.source.at(cursor.tokens[cursor.position - 1]).end)
        if key.lower() in (name.lower() for name, _, _ in found):
            raise SqlError(f"option {key} is given twice", place=place, hint="remove one of them")
        cursor.expect("=", hint="write name = 'value'")
        found.append((key, _option_value(cursor), place))
        if not cursor.takes(",") and not cursor.sees(")"):
            cursor.fail(", or ) expected")
    return found


def _source_options(cursor: Cursor) -> Options:
    """WITH of a stream: a format, if it says something of a source, and no option that is known to nobody."""
    opening = cursor.here()
    if not cursor.takes("WITH"):
        return ()
    found = _placed_options(cursor)
    form = next((value for key, value, _ in found if key.lower() == "format"), None)
    for key, _, place in found:
        if not source_options.is_known(form, key):
            raise _unknown_option(form, key, place)
    if form is None and any(source_options.needs_source(key) for key, _, _ in found):
        raise SqlError("the source of a stream needs a format", place=opening, hint="add format = 'csv'")
    return tuple((key, value) for key, value, _ in found)


def _unknown_option(form: str | None, key: str, place: Place) -> SqlError:
    if form is None or source_options.is_ours(key):
        return SqlError(f"a stream has no option {key}", place=place, hint=did_you_mean(key, source_options.OURS))
    hint = did_you_mean(key, source_options.KNOWN[form.lower()])
    return SqlError(f"a source of format {form} has no option {key}", place=place, hint=hint)


def _option_key(cursor: Cursor) -> str:
    token = cursor.token
    if token is not None and token.token_type == TokenType.STRING:
        return cursor.string("an option")
    parts = [cursor.name("an option").text]
    while cursor.takes("."):
        parts.append(cursor.name("an option").text)
    return ".".join(parts)


def _option_value(cursor: Cursor) -> str:
    token = cursor.next("a value")
    match token.token_type:
        case TokenType.STRING:
            cursor.position -= 1
            return cursor.string("a value")
        case TokenType.NUMBER | TokenType.TRUE | TokenType.FALSE:
            return token.text.lower()
    cursor.position -= 1
    cursor.fail("a value expected", f"write it in quotes: '{token.text}'")


def _columns(cursor: Cursor) -> _Columns:
    cursor.expect("(", hint="write CREATE STREAM name (column TYPE, …)")
    found = _Columns()
    while not cursor.takes(")"):
        if cursor.sees("WATERMARK", "FOR"):
            if found.watermark is not None:
                cursor.fail("a stream has one watermark", "remove one of them")
            cursor.position += 2
            _watermark(cursor, found)
        elif cursor.sees("IDLE", "TIMEOUT"):
            if found.idle_timeout is not None:
                cursor.fail("a stream has one IDLE TIMEOUT", "remove one of them")
            cursor.position += 2
            found.idle_timeout = read_interval(cursor, "IDLE TIMEOUT")
        elif cursor.sees("PRIMARY", "KEY") or cursor.sees("PRIMARY KEY"):
            _primary_key(cursor, found)
        else:
            _column(cursor, found)
        if not cursor.takes(",") and not cursor.sees(")"):
            cursor.fail(", or ) expected", "a column is: name TYPE [NOT NULL] [CHECK (condition)]")
    return found


def _primary_key(cursor: Cursor, found: _Columns) -> None:
    """``PRIMARY KEY (id) NOT ENFORCED``: many rows may have one key, of which each is the latest until the next."""
    if found.key:
        cursor.fail("a stream has one PRIMARY KEY", "remove one of them")
    hint = "write PRIMARY KEY (id) NOT ENFORCED"
    if not cursor.takes("PRIMARY KEY"):
        cursor.expect("PRIMARY", "KEY")
    cursor.expect("(", hint=hint)
    found.key = [cursor.name("a column")]
    while cursor.takes(","):
        found.key.append(cursor.name("a column"))
    cursor.expect(")", hint=hint)
    cursor.expect("NOT", "ENFORCED", hint=hint)


def _bind_key(source: Source, found: _Columns) -> tuple[str, ...]:
    names = {c.name.lower(): c.name for c in found.columns}
    for token in found.key:
        if token.text.lower() not in names:
            raise source.error(
                f"the key column {token.text} is not declared", token, did_you_mean(token.text, names.values())
            )
    return tuple(names[token.text.lower()] for token in found.key)


def _column(cursor: Cursor, found: _Columns) -> None:
    name = cursor.name("a column")
    if any(c.name.lower() == name.text.lower() for c in found.columns):
        raise cursor.source.error(f"column {name.text} is declared twice", name, "rename one of them")
    if refused := reserved(name.text):
        raise cursor.source.error(refused, name, "choose another name")
    type_ = _type(cursor)
    nullable = True
    while True:
        if cursor.takes("NOT", "NULL"):
            nullable = False
        elif cursor.takes("CHECK"):
            found.checks.append((len(found.columns), _parenthesized(cursor)))
        elif not cursor.takes("NULL"):
            break
    plain = types.uncollated(type_)
    collated = None if plain == type_ else type_
    found.columns.append(StreamColumn(name.text, plain, nullable, collated=collated))


def _type(cursor: Cursor) -> Type:
    if cursor.sees(",") or cursor.sees(")"):
        cursor.fail("a type expected", "a column is: name TYPE [NOT NULL] [CHECK (condition)]")
    if cursor.sees("AS"):
        cursor.fail("a stream has no computed columns", "compute it in a query: INSERT INTO another stream SELECT …")
    start = cursor.next("a type")
    stop = start
    if cursor.sees("<"):
        stop = _closing_angle(cursor)
    elif cursor.sees("("):
        end = cursor.closing()
        stop = cursor.tokens[end]
        cursor.position = end + 1
    if cursor.takes("COLLATE"):
        stop = cursor.next("a collation")
    text, place = cursor.source.text[start.start : stop.end + 1], cursor.source.place(start.start, stop.end + 1)
    try:
        found = types.of(text)
    except ValueError:
        known = ["boolean", "int", "bigint", "double", "decimal(10,2)", "string", "timestamp", "date", "array<int>"]
        raise SqlError(f"there is no type {text}", place=place, hint=did_you_mean(text, known)) from None
    if not types.is_portable(found):
        hint = "declare it STRING, and let queries make of it what they need"
        raise SqlError(f"a stream cannot hold values of type {found}", place=place, hint=hint)
    return found


def _closing_angle(cursor: Cursor) -> Token:
    depth = 0
    while True:
        token = cursor.next(">")
        depth += token.text.count("<") - token.text.count(">")
        if depth <= 0:
            return token


def _parenthesized(cursor: Cursor) -> list[Token]:
    if not cursor.sees("("):
        cursor.fail("( expected", "write CHECK (condition)")
    end = cursor.closing()
    inside = list(cursor.tokens[cursor.position + 1 : end])
    if not inside:
        cursor.fail("CHECK is empty", "write CHECK (value >= 0)")
    cursor.position = end + 1
    return inside


def _watermark(cursor: Cursor, found: _Columns) -> None:
    column = cursor.name("the event-time column")
    cursor.expect("AS", hint=f"write WATERMARK FOR {column.text} AS {column.text} - INTERVAL 2 SECONDS")
    found.watermark = (column, cursor.until_comma())


def _bind_watermark(source: Source, found: _Columns) -> None:
    if found.watermark is None:
        return
    token, expression = found.watermark
    column = next((c for c in found.columns if c.name.lower() == token.text.lower()), None)
    if column is None:
        hint = did_you_mean(token.text, [c.name for c in found.columns])
        raise source.error(f"the watermark column {token.text} is not declared", token, hint)
    if column.type not in (TIMESTAMP, TIMESTAMP_NTZ):
        hint = "INSERT INTO a stream with a timestamp what a query makes of it: timestamp_millis(…), to_timestamp(…)"
        raise source.error(f"the watermark column {column.name} is {column.type}, not a timestamp", token, hint)
    found.event_time = column.name
    found.lateness, found.ahead = _lateness(source, token, expression)


def _lateness(source: Source, column: Token, expression: Sequence[Token]) -> tuple[int, int | None]:
    """``ts - INTERVAL 2 SECONDS AHEAD AT MOST INTERVAL 1 HOUR``: both lengths may be left out."""
    cursor = Cursor(source, expression)
    hint = f"write AS {column.text} - INTERVAL 2 SECONDS"
    if cursor.done or not is_name(cursor.next("the column"), column.text):
        raise source.error(f"a watermark is {column.text} minus an interval", column, hint)
    lateness, ahead = 0, None
    if not cursor.done and not cursor.sees("AHEAD"):
        cursor.expect("-", hint=hint)
        lateness = read_length(cursor, "the lateness")
    if cursor.takes("AHEAD"):
        cursor.expect("AT", "MOST", hint="write AHEAD AT MOST INTERVAL 1 HOUR")
        ahead = read_interval(cursor, "AHEAD AT MOST")
    cursor.finish(hint)
    return lateness, ahead


def _bind_checks(source: Source, catalog: Catalog, name: str, found: _Columns) -> tuple[StreamColumn, ...]:
    """A column may have several CHECKs: all must hold."""
    context = Context(source, catalog, {}, continuous=True)
    fields = tuple(c.field for c in found.columns)
    scope = Scope((Relation(name, tuple(Visible(f.name, f.name, f.type) for f in fields)),))
    subqueries = Subqueries(context, no_subquery(context, "CHECK"))
    binder = Expressions(context, scope, Table(name, name, fields), "CHECK", subqueries)
    checks: dict[int, list[exp.Expr]] = {}
    for column, tokens in found.checks:
        checks.setdefault(column, []).append(binder.predicate(parse_expression(source, tokens)))
    return tuple(replace(c, check=scalar.conjoin(checks[i])) if i in checks else c for i, c in enumerate(found.columns))
