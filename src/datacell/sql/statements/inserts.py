"""INSERT INTO: a continuous query that feeds a stream or a table, rows for a stream, or Spark's own statement."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from datacell.algebra import scalar, tree, types
from datacell.algebra.plan import Map
from datacell.algebra.query import Query
from datacell.algebra.schema import Field, Named
from datacell.errors import counted, did_you_mean
from datacell.sql.bind.coercing import cast, coerced
from datacell.sql.bind.context import Typed
from datacell.sql.bind.query_text import bind_text, starts_query
from datacell.sql.catalog import Catalog
from datacell.sql.statements.spark_statements import reads_stream, spark_statement
from datacell.sql.statements.statement import InsertInto, Statement
from datacell.sql.text.cursor import Cursor


def insert(cursor: Cursor, catalog: Catalog) -> Statement:
    """INSERT, with the cursor at its first word."""
    start = cursor.position
    cursor.expect("INSERT")
    overwrites = cursor.token
    if not cursor.takes("INTO"):
        if cursor.takes("OVERWRITE"):
            cursor.takes("TABLE")
            target = cursor.token
            if target is not None and overwrites is not None and catalog.stream(target.text) is not None:
                raise cursor.source.error("a stream cannot be overwritten", overwrites, "write INSERT INTO")
        return spark_statement(Cursor(cursor.source, cursor.tokens, start), catalog)
    cursor.takes("TABLE")
    target, name = _target(cursor)
    if catalog.query(name) is not None:
        hint = f"INSERT INTO a stream, and let {name} read it"
        raise cursor.source.error(f"{name} is a continuous query, it takes no rows", target, hint)
    if catalog.stream(name) is None and not reads_stream(cursor, catalog):
        return spark_statement(Cursor(cursor.source, cursor.tokens, start), catalog)
    return _continuous(cursor, catalog, target, name)


def _continuous(cursor: Cursor, catalog: Catalog, target: Token, name: str) -> InsertInto:
    stream = catalog.stream(name)
    columns = stream.fields if stream is not None else catalog.table(name)
    if columns is None:
        hint = did_you_mean(name, catalog.names())
        raise cursor.source.error(f"there is no stream or table {name}", target, hint)
    listed = _listed(cursor, name, columns)
    found = bind_text(cursor, catalog, continuous=True)
    given = [f for f in columns if f.name in listed] if listed else list(columns)
    given.sort(key=lambda f: listed.index(f.name) if listed else 0)
    _check_fits(cursor, target, given, found)
    if stream is not None:
        _check_no_circle(cursor, catalog, target, found)
    return InsertInto(name, _fitted(found, given, columns))


def _target(cursor: Cursor) -> tuple[Token, str]:
    """The last part of a dotted name, and the name."""
    token = cursor.name("a stream or a table")
    parts = [token.text]
    while cursor.takes("."):
        token = cursor.name("a stream or a table")
        parts.append(token.text)
    return token, ".".join(parts)


def _listed(cursor: Cursor, name: str, columns: Sequence[Field]) -> list[str]:
    """``INSERT INTO name (a, b)``: the columns that the query gives; empty if all of them, in order."""
    if not cursor.sees("(") or starts_query(Cursor(cursor.source, cursor.tokens, cursor.position + 1).token):
        return []
    cursor.position += 1
    known = {f.name.lower(): f.name for f in columns}
    found: list[str] = []
    while True:
        token = cursor.name("a column")
        if token.text.lower() not in known:
            hint = did_you_mean(token.text, known.values())
            raise cursor.source.error(f"{name} has no column {token.text}", token, hint)
        if known[token.text.lower()] in found:
            raise cursor.source.error(f"column {token.text} is given twice", token)
        found.append(known[token.text.lower()])
        if not cursor.takes(","):
            break
    cursor.expect(")")
    return found


def _check_fits(cursor: Cursor, target: Token, columns: Sequence[Field], found: Query) -> None:
    """Columns go by position; types must have a common one."""
    given = found.plan.schema.fields
    if len(given) != len(columns):
        hint = f"it takes {', '.join(f.name for f in columns)}"
        problem = f"{counted(len(given), 'column')} for the {len(columns)} of {target.text}"
        raise cursor.source.error(problem, target, hint)
    for new, old in zip(given, columns, strict=True):
        if types.common(new.type, old.type) is None:
            problem = f"column {new.name} is {new.type}, but {target.text}.{old.name} is {old.type}"
            raise cursor.source.error(problem, target, f"CAST(… AS {old.type})")


def _check_no_circle(cursor: Cursor, catalog: Catalog, target: Token, found: Query) -> None:
    """Rows that come back to where they came from would never end."""
    for stream in tree.streams(found.plan):
        if target.text.lower() in catalog.fed_by(stream.name):
            way = "" if stream.name.lower() == target.text.lower() else f" by way of {stream.name}"
            problem = f"{target.text} would feed itself{way}: its rows would never end"
            raise cursor.source.error(problem, target, "INSERT INTO another stream")


def _fitted(found: Query, given: Sequence[Field], columns: Sequence[Field]) -> Query:
    """The rows of a query under the names and types of the target; columns not given are NULL."""
    if found.plan.schema.fields == tuple(columns):
        return found
    values = {
        new.name: coerced(Typed(scalar.column(old.name), old.type), new.type)
        for old, new in zip(found.plan.schema.fields, given, strict=True)
    }
    mapped = tuple(Named(f.name, values.get(f.name) or cast(exp.Null(), f.type), f.type) for f in columns)
    return Query(Map(found.plan, mapped), found.text, found.emission)
