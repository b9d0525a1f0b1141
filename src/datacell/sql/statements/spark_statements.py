"""Every other statement is Spark's own and goes to it as written; of CREATE and DROP we learn what they make."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from datacell.algebra import types
from datacell.algebra.schema import Field
from datacell.errors import SqlError, closest
from datacell.sql.bind.context import Context
from datacell.sql.bind.queries import bind_query
from datacell.sql.bind.query_text import text_of
from datacell.sql.catalog import Catalog
from datacell.sql.statements.settings import check_setting
from datacell.sql.statements.statement import SparkStatement
from datacell.sql.statements.table_options import relative_path, table_definition
from datacell.sql.text.cursor import Cursor
from datacell.sql.text.cutting import cut
from datacell.sql.text.parsing import parse_query

_STARTS = {
    *("ADD", "ALTER", "ANALYZE", "CACHE", "CALL", "CLEAR", "COMMENT", "CREATE", "DECLARE", "DELETE", "DESC"),
    *("DESCRIBE", "DROP", "EXECUTE", "INSERT", "LIST", "LOAD", "MERGE", "MSCK", "REFRESH", "REPAIR", "REPLACE"),
    *("RESET", "SET", "SHOW", "TRUNCATE", "UNCACHE", "UPDATE", "USE"),
}
_OURS = ("SELECT", "WITH", "CREATE", "INSERT", "DROP", "RESTART", "ENABLE", "DISABLE", "SHOW", "EXPLAIN")
_MADE = {
    *("TABLE", "VIEW", "DATABASE", "SCHEMA", "NAMESPACE", "FUNCTION", "INDEX", "FLOW", "OR", "TEMPORARY", "TEMP"),
    *("GLOBAL", "EXTERNAL", "MATERIALIZED", "STREAMING", "VARIABLE", "PROCEDURE", "CATALOG", "EXTENSION"),
}
_OUR_THINGS = ("STREAM", "CONTINUOUS", "EMITTER")


def spark_statement(cursor: Cursor, catalog: Catalog) -> SparkStatement:
    """The statement at the cursor, for Spark."""
    first = cursor.token
    assert first is not None
    word = first.text.upper() if first.token_type not in (TokenType.STRING, TokenType.IDENTIFIER) else ""
    if word not in _STARTS:
        meant = closest(first.text, [*_STARTS, *_OURS], likeness=0.7)
        hint = f"did you mean {meant}?" if meant else f"a statement begins with {', '.join(_OURS[:-1])} or {_OURS[-1]}"
        raise cursor.source.error(f"{first.text} begins no statement", first, hint)
    if word in ("CREATE", "DROP"):
        _check_thing(cursor, word)
    if word in ("SET", "RESET"):
        check_setting(cursor)
    windows = cut(cursor.source, cursor.tokens[cursor.position :]).windows
    if windows:
        hint = "write CREATE CONTINUOUS QUERY name AS …" if word == "CREATE" else "write INSERT INTO name SELECT …"
        place = next(iter(windows.values())).place
        raise SqlError(f"a window cannot stand in {word}, which is Spark's own", place=place, hint=hint)
    return _learned(cursor, catalog) if word in ("CREATE", "DROP") else SparkStatement(text_of(cursor))


def reads(cursor: Cursor, is_wanted: Callable[[str], bool]) -> bool:
    """Does the rest of a statement read a table of a name that is wanted?"""
    rest = cursor.tokens[cursor.position :]
    if not any(is_wanted(t.text) for t in rest if t.token_type != TokenType.STRING):
        return False
    try:
        return _table_read(parse_query(cursor.source, cut(cursor.source, rest).tokens), is_wanted) is not None
    except SqlError:
        return True


def _check_thing(cursor: Cursor, word: str) -> None:
    following = Cursor(cursor.source, cursor.tokens, cursor.position + 1)
    thing = following.token
    if thing is None or thing.text.upper() in _MADE:
        return
    meant = closest(thing.text, [*_MADE, *_OUR_THINGS])
    hint = f"did you mean {meant}?" if meant else f"write {word} STREAM, CONTINUOUS QUERY, EMITTER or TABLE"
    following.fail(f"{word} {thing.text} is no statement", hint)


def _learned(cursor: Cursor, catalog: Catalog) -> SparkStatement:
    """Learn what table a CREATE makes or a DROP ends, as far as the text tells; Spark has the last word."""
    text = text_of(cursor)
    try:
        parsed = parse_query(cursor.source, cursor.tokens[cursor.position :])
    except SqlError:
        return _unparsed(cursor, text)
    if not isinstance(parsed, exp.Create | exp.Drop) or parsed.args.get("kind") not in ("TABLE", "VIEW"):
        return SparkStatement(text)
    named = parsed.find(exp.Table)
    if named is None:
        return SparkStatement(text)
    name = ".".join(part.name for part in named.parts)
    taken = "stream" if catalog.stream(name) else "continuous query" if catalog.query(name) else None
    if isinstance(parsed, exp.Drop):
        if taken is not None:
            raise cursor.source.error(f"{name} is a {taken}", named.this, f"write DROP {taken.upper()} {name}")
        return SparkStatement(text, drops=name)
    if taken is not None:
        raise cursor.source.error(f"there is already a {taken} {name}", named.this, "choose another name")
    stream = _table_read(parsed, lambda read: catalog.stream(read) is not None)
    if stream is not None:
        hint = "write CREATE CONTINUOUS QUERY name AS …"
        raise cursor.source.error(f"{stream.name} is a stream, which no table or view can read", stream.this, hint)
    if parsed.args.get("exists") and catalog.is_table(name):
        return SparkStatement(text)
    columns = _declared(parsed.this) or _selected(cursor, catalog, parsed)
    return SparkStatement(text, (name, columns), defines=(name, table_definition(cursor)), path=relative_path(cursor))


def _unparsed(cursor: Cursor, text: str) -> SparkStatement:
    """Of CREATE TABLE in words that only Spark knows, at least the table's name and its options."""
    inner = Cursor(cursor.source, cursor.tokens, cursor.position)
    if not inner.takes("CREATE", "TABLE"):
        return SparkStatement(text)
    inner.takes("IF", "NOT", "EXISTS")
    parts = [inner.name("a table").text]
    while inner.takes("."):
        parts.append(inner.name("a table").text)
    return SparkStatement(text, defines=(".".join(parts), table_definition(cursor)), path=relative_path(cursor))


def _table_read(parsed: exp.Expr, is_wanted: Callable[[str], bool]) -> exp.Table | None:
    ctes = {cte.alias.lower() for cte in parsed.find_all(exp.CTE)}
    tables = (t for t in parsed.find_all(exp.Table) if t.name.lower() not in ctes)
    return next((t for t in tables if is_wanted(".".join(p.name for p in t.parts))), None)


def _declared(target: exp.Expr) -> tuple[Field, ...]:
    if not isinstance(target, exp.Schema) or not all(isinstance(c, exp.ColumnDef) for c in target.expressions):
        return ()
    try:
        return tuple(Field(c.name, types.of_column(c)) for c in target.expressions)
    except (AttributeError, KeyError, ValueError):
        return ()


def _selected(cursor: Cursor, catalog: Catalog, parsed: exp.Create) -> tuple[Field, ...]:
    """What is not ours to understand is Spark's to answer."""
    selected = parsed.args.get("expression")
    if selected is None:
        return ()
    try:
        context = Context(cursor.source, catalog, {}, continuous=False)
        return bind_query(context, selected, "").plan.schema.fields
    except SqlError:
        return ()
