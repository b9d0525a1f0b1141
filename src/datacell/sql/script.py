"""A script: statements one after the other, each bound in the catalog that those before it have made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot.tokenizer_core import Token

from datacell.algebra.query import Query
from datacell.errors import SqlError
from datacell.sql.bind.query_text import bind_text, starts_query
from datacell.sql.catalog import Catalog
from datacell.sql.statements.commands import command, explain
from datacell.sql.statements.inserts import insert
from datacell.sql.statements.safe import Safety
from datacell.sql.statements.spark_statements import spark_statement
from datacell.sql.statements.statement import Placed, Select, SparkStatement, Statement, after
from datacell.sql.text.cursor import Cursor
from datacell.sql.text.source import Source, split, tokenize


def read(text: str, catalog: Catalog | None = None, file: str = "<sql>") -> Iterator[Placed]:
    """The statements of a script in order. Whoever carries them out may give each its own catalog with `bind`."""
    source = Source(text, file)
    known = catalog or Catalog()
    for tokens in split(source, tokenize(source)):
        placed = bind(source, tokens, known)
        known = after(known, placed.statement)
        yield placed


def defined(text: str) -> Catalog:
    """What is known after a script."""
    known = Catalog()
    for placed in read(text):
        known = after(known, placed.statement)
    return known


def statements(text: str, file: str = "<sql>") -> list[tuple[Source, list[Token]]]:
    """The statements of a script, not yet bound."""
    source = Source(text, file)
    return [(source, tokens) for tokens in split(source, tokenize(source))]


def bind(source: Source, tokens: Sequence[Token], catalog: Catalog, safety: Safety | None = None) -> Placed:
    """Bind one statement, if it reaches no further than it may."""
    place = source.place(tokens[0].start, tokens[-1].end + 1)
    try:
        statement = _statement(Cursor(source, tokens), catalog)
        if safety is not None:
            safety.check(Cursor(source, tokens), statement)
        return Placed(replace(statement, place=place) if isinstance(statement, SparkStatement) else statement, place)
    except RecursionError:
        raise _too_deep(source, tokens) from None


def query(text: str, catalog: Catalog, safety: Safety | None = None) -> Query:
    """One continuous query, as `cell.query` takes it."""
    source = Source(text)
    found = split(source, tokenize(source))
    if len(found) != 1:
        raise SqlError("one query expected", place=source.end())
    try:
        bound = bind_text(Cursor(source, found[0]), catalog, continuous=True)
        if safety is not None:
            safety.check(Cursor(source, found[0]), Select(bound))
        return bound
    except RecursionError:
        raise _too_deep(source, found[0]) from None


def _statement(cursor: Cursor, catalog: Catalog) -> Statement:
    ours = command(cursor, catalog)
    if ours is not None:
        return ours
    if cursor.sees("EXPLAIN"):
        return explain(cursor, catalog, lambda inner: _statement(inner, catalog))
    if cursor.sees("INSERT"):
        return insert(cursor, catalog)
    if starts_query(cursor.token):
        return Select(bind_text(cursor, catalog, continuous=None))
    return spark_statement(cursor, catalog)


def _too_deep(source: Source, tokens: Sequence[Token]) -> SqlError:
    return source.error("this statement is nested too deeply", tokens[0], "split it with WITH")
