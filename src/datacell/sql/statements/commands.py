"""Our own statements but INSERT: CREATE, DROP, RESTART, ENABLE, DISABLE, SHOW and EXPLAIN."""

from __future__ import annotations

from collections.abc import Callable, Collection

from sqlglot.tokenizer_core import Token

from datacell.algebra import tree
from datacell.algebra.definitions import EmitterDefinition
from datacell.errors import SqlError, did_you_mean
from datacell.sql.bind.query_text import bind_text, text_of
from datacell.sql.catalog import Catalog
from datacell.sql.statements.definitions import options, stream_definition
from datacell.sql.statements.statement import (
    Analyze,
    CreateEmitter,
    CreateQuery,
    CreateStream,
    Drop,
    Explain,
    InsertInto,
    Refresh,
    Restart,
    Select,
    Show,
    SparkStatement,
    Stage,
    Statement,
    Switch,
    Thing,
)
from datacell.sql.text.cursor import Cursor

_CREATE_QUERY = "write CREATE CONTINUOUS QUERY name AS SELECT …"
_CREATE_EMITTER = "write CREATE EMITTER name FROM query WITH (format = 'csv', path = '…')"
_THINGS = {"STREAM": Thing.STREAM, "QUERY": Thing.QUERY, "EMITTER": Thing.EMITTER}
_PLURALS = {"STREAMS": Thing.STREAM, "QUERIES": Thing.QUERY, "EMITTERS": Thing.EMITTER}


def command(cursor: Cursor, catalog: Catalog) -> Statement | None:
    """The statement at the cursor, if it is one of these."""
    if cursor.takes("CREATE", "STREAM"):
        return _create_stream(cursor, catalog)
    if cursor.takes("CREATE", "CONTINUOUS"):
        cursor.expect("QUERY", hint=_CREATE_QUERY)
        return _create_query(cursor, catalog)
    if cursor.takes("CREATE", "EMITTER"):
        return _create_emitter(cursor, catalog)
    if cursor.sees("CREATE", "QUERY") or cursor.sees("DROP", "QUERY"):
        cursor.position += 1
        cursor.fail("CONTINUOUS is missing", f"write {cursor.tokens[0].text} CONTINUOUS QUERY name")
    if cursor.sees("CREATE", "OR", "REPLACE") and any(cursor.tokens[3:4]) and cursor.tokens[3].text.upper() in _THINGS:
        cursor.position = 3
        cursor.fail("only Spark's tables and views can be replaced", "DROP it, then CREATE it")
    for word, thing in (("STREAM", Thing.STREAM), ("EMITTER", Thing.EMITTER), ("CONTINUOUS", Thing.QUERY)):
        if cursor.takes("DROP", word):
            return _drop(cursor, catalog, thing)
    if cursor.takes("RESTART"):
        return _restart(cursor, catalog)
    if cursor.takes("REFRESH", "TABLE"):
        return _refresh(cursor)
    for word in ("ENABLE", "DISABLE"):
        if cursor.takes(word):
            return _switch(cursor, catalog, enabled=word == "ENABLE")
    return _show(cursor)


def explain(cursor: Cursor, catalog: Catalog, statement: Callable[[Cursor], Statement]) -> Statement:
    """EXPLAIN; `statement` reads the statement at a cursor."""
    start = cursor.position
    cursor.expect("EXPLAIN")
    if cursor.takes("ANALYZE"):
        return _analyze(cursor, catalog)
    stage = next((s for s in Stage if cursor.takes(s.name)), Stage.OPTIMIZED)
    token = cursor.token
    if token is None:
        cursor.fail("a query expected", "write EXPLAIN SELECT …")
    meant = did_you_mean(token.text, [s.name for s in Stage])
    try:
        inner = statement(Cursor(cursor.source, cursor.tokens[cursor.position :]))
    except SqlError as error:
        if error.place == cursor.source.at(token) and meant is not None and meant.startswith("did you mean"):
            raise SqlError(f"there is no stage {token.text}", place=error.place, hint=meant) from None
        raise
    match inner:
        case CreateQuery(_, query) | InsertInto(_, query) | Select(query):
            return Explain(stage, query)
        case SparkStatement():
            return SparkStatement(text_of(Cursor(cursor.source, cursor.tokens, start)))
    raise SqlError("EXPLAIN needs a query", place=cursor.source.at(token), hint="write EXPLAIN SELECT …")


def _create_stream(cursor: Cursor, catalog: Catalog) -> CreateStream:
    optional = cursor.takes("IF", "NOT", "EXISTS")
    name = cursor.name("the stream's name")
    if not (optional and catalog.stream(name.text) is not None):
        check_new(cursor, catalog, name)
    stream = stream_definition(cursor, catalog, name.text)
    cursor.finish()
    return CreateStream(stream, optional)


def _create_query(cursor: Cursor, catalog: Catalog) -> CreateQuery:
    name = cursor.name("the query's name")
    check_new(cursor, catalog, name)
    cursor.expect("AS", hint=_CREATE_QUERY)
    found = bind_text(cursor, catalog, continuous=True)
    if not tree.has_stream(found.plan):
        raise cursor.source.error(
            f"the query {name.text} reads no stream", name, "a query over tables needs no name: SELECT …"
        )
    return CreateQuery(name.text, found)


def _create_emitter(cursor: Cursor, catalog: Catalog) -> CreateEmitter:
    name = cursor.name("the emitter's name")
    if catalog.emitter(name.text) is not None:
        raise cursor.source.error(f"there is already an emitter {name.text}", name, "choose another name")
    cursor.expect("FROM", hint=_CREATE_EMITTER)
    if cursor.sees("("):
        cursor.fail("an emitter takes a query's name", f"{_CREATE_QUERY}, then CREATE EMITTER … FROM name")
    origin = cursor.name("a continuous query")
    if catalog.query(origin.text) is None and catalog.stream(origin.text) is None:
        if catalog.table(origin.text) is not None:
            raise cursor.source.error(f"{origin.text} is a table", origin, "an emitter takes a continuous query")
        hint = did_you_mean(origin.text, [*catalog.queries, *(s.name for s in catalog.streams.values())])
        raise cursor.source.error(f"there is no continuous query {origin.text}", origin, hint)
    opening = cursor.position
    settings = options(cursor) if cursor.takes("WITH") else ()
    cursor.finish()
    if "format" not in {key.lower() for key, _ in settings}:
        raise cursor.source.error("an emitter needs a format", name, "add WITH (format = 'console')")
    place = cursor.source.place(cursor.tokens[opening + 1].start, cursor.tokens[-1].end + 1)
    return CreateEmitter(EmitterDefinition(name.text, origin.text, settings, place))


def _drop(cursor: Cursor, catalog: Catalog, thing: Thing) -> Drop:
    if thing is Thing.QUERY:
        cursor.expect("QUERY", hint="write DROP CONTINUOUS QUERY name")
    optional = cursor.takes("IF", "EXISTS")
    name = cursor.name("a name")
    cursor.finish()
    known = _known(catalog, thing)
    if name.text not in known and not optional:
        raise cursor.source.error(f"there is no {thing.value} {name.text}", name, did_you_mean(name.text, known))
    reader = None if thing is Thing.EMITTER else _reader(catalog, name.text)
    if reader is not None:
        raise cursor.source.error(f"{reader} reads {name.text}", name, f"DROP {reader} first")
    return Drop(thing, name.text, optional)


def _known(catalog: Catalog, thing: Thing) -> Collection[str]:
    match thing:
        case Thing.STREAM:
            return catalog.streams
        case Thing.QUERY:
            return catalog.queries
    return catalog.emitters


def _reader(catalog: Catalog, name: str) -> str | None:
    """A named thing that reads a stream or the answer of a query."""
    for emitter in catalog.emitters.values():
        if emitter.source.lower() == name.lower():
            return f"EMITTER {emitter.name}"
    for key, query in catalog.queries.items():
        if any(stream.name.lower() == name.lower() for stream in tree.streams(query.plan)):
            return f"CONTINUOUS QUERY {key}"
    return None


def _analyze(cursor: Cursor, catalog: Catalog) -> Analyze:
    return Analyze(_query_name(cursor, catalog, "a continuous query that runs"))


def _restart(cursor: Cursor, catalog: Catalog) -> Restart:
    for word in ("CONTINUOUS", "QUERY"):
        cursor.expect(word, hint="write RESTART CONTINUOUS QUERY name")
    return Restart(_query_name(cursor, catalog, "a continuous query that has stopped"))


def _refresh(cursor: Cursor) -> Refresh:
    parts = [cursor.name("a table").text]
    while cursor.takes("."):
        parts.append(cursor.name("a table").text)
    cursor.finish()
    return Refresh(".".join(parts))


def _query_name(cursor: Cursor, catalog: Catalog, what: str) -> str:
    """The name of a query, which ends the statement."""
    name = cursor.name(what)
    cursor.finish()
    if catalog.query(name.text) is None:
        hint = did_you_mean(name.text, catalog.queries)
        raise cursor.source.error(f"there is no continuous query {name.text}", name, hint)
    return name.text


def _switch(cursor: Cursor, catalog: Catalog, enabled: bool) -> Switch:
    cursor.expect("STREAM", hint="only a stream can be enabled or disabled")
    name = cursor.name("a stream")
    cursor.finish()
    if catalog.stream(name.text) is None:
        raise cursor.source.error(f"there is no stream {name.text}", name, did_you_mean(name.text, catalog.streams))
    return Switch(name.text, enabled)


def _show(cursor: Cursor) -> Show | None:
    for word, thing in _PLURALS.items():
        if cursor.takes("SHOW", word):
            cursor.finish()
            return Show(thing)
    for word in _THINGS:
        if cursor.takes("SHOW", word):
            cursor.position -= 1
            cursor.fail(f"SHOW {word} is no statement", did_you_mean(word, _PLURALS))
    return None


def check_new(cursor: Cursor, catalog: Catalog, name: Token) -> None:
    """Streams, queries and tables share their names."""
    taken = catalog.kind(name.text)
    if taken is not None:
        raise cursor.source.error(
            f"there is already a {taken} {name.text}", name, "choose another name, or DROP it first"
        )
