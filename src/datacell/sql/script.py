"""A script: statements one after the other, each bound in the catalog that those before it have made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from datacell.algebra import tree, types
from datacell.algebra.query import Emission, Query
from datacell.algebra.schema import Field
from datacell.errors import SqlError, did_you_mean
from datacell.sql.catalog import Catalog, EmitterDefinition
from datacell.sql.context import Context
from datacell.sql.cursor import Cursor, is_word
from datacell.sql.definitions import options, stream_definition
from datacell.sql.parsing import parse_query
from datacell.sql.queries import bind_query
from datacell.sql.source import Source, split, tokenize
from datacell.sql.statements import (
    CreateEmitter,
    CreateQuery,
    CreateStream,
    Drop,
    Explain,
    InsertInto,
    Placed,
    Select,
    Show,
    SparkStatement,
    Stage,
    Statement,
    Switch,
    Thing,
    after,
)
from datacell.sql.windows import cut

_EMISSIONS = {e.name: e for e in Emission}
_QUERY_STARTS = {"SELECT", "WITH", "VALUES", "(", "FROM", *_EMISSIONS}
_SPARK_STARTS = {
    *(
        "ADD",
        "ALTER",
        "ANALYZE",
        "CACHE",
        "CALL",
        "CLEAR",
        "COMMENT",
        "CREATE",
        "DECLARE",
        "DELETE",
        "DESC",
        "DESCRIBE",
    ),
    *("DROP", "EXECUTE", "INSERT", "LIST", "LOAD", "MERGE", "MSCK", "REFRESH", "REPAIR", "REPLACE", "RESET", "SET"),
    *("SHOW", "TRUNCATE", "UNCACHE", "UPDATE", "USE"),
}
_THINGS = {"STREAMS": Thing.STREAM, "QUERIES": Thing.QUERY, "EMITTERS": Thing.EMITTER}


def read(text: str, catalog: Catalog | None = None, file: str = "<sql>") -> Iterator[Placed]:
    """The statements of a script in order. Whoever carries them out may give each its own catalog with `bind`."""
    source = Source(text, file)
    known = catalog or Catalog()
    for tokens in split(tokenize(source)):
        placed = bind(source, tokens, known)
        known = after(known, placed.statement)
        yield placed


def statements(text: str, file: str = "<sql>") -> list[tuple[Source, list[Token]]]:
    """The statements of a script, not yet bound."""
    source = Source(text, file)
    return [(source, tokens) for tokens in split(tokenize(source))]


def bind(source: Source, tokens: Sequence[Token], catalog: Catalog) -> Placed:
    """Bind one statement."""
    place = source.place(tokens[0].start, tokens[-1].end + 1)
    try:
        return Placed(_statement(Cursor(source, tokens), catalog), place)
    except RecursionError:
        raise source.error("this statement is nested too deeply", tokens[0], "split it with WITH") from None


def query(text: str, catalog: Catalog) -> Query:
    """One continuous query, as `cell.query` takes it."""
    source = Source(text)
    found = split(tokenize(source))
    if len(found) != 1:
        raise SqlError("one query expected", place=source.end())
    return _query(Cursor(source, found[0]), catalog, continuous=True)


def _statement(cursor: Cursor, catalog: Catalog) -> Statement:
    first = cursor.token
    assert first is not None
    word = first.text.upper() if first.token_type != TokenType.STRING else ""
    if cursor.takes("CREATE", "STREAM"):
        return _create_stream(cursor, catalog)
    if cursor.takes("CREATE", "CONTINUOUS"):
        cursor.expect("QUERY", hint="write CREATE CONTINUOUS QUERY name AS SELECT …")
        return _create_query(cursor, catalog)
    if cursor.takes("CREATE", "EMITTER"):
        return _create_emitter(cursor, catalog)
    if cursor.sees("DROP", "STREAM") or cursor.sees("DROP", "CONTINUOUS") or cursor.sees("DROP", "EMITTER"):
        return _drop(cursor, catalog)
    if cursor.takes("ENABLE") or cursor.takes("DISABLE"):
        return _switch(cursor, catalog, enabled=word == "ENABLE")
    if word == "SHOW" and len(cursor.tokens) == 2 and cursor.tokens[1].text.upper() in _THINGS:
        return Show(_THINGS[cursor.tokens[1].text.upper()])
    if cursor.takes("EXPLAIN"):
        return _explain(cursor, catalog)
    if word == "INSERT":
        return _insert(cursor, catalog)
    if word in _QUERY_STARTS:
        return Select(_query(cursor, catalog, continuous=None))
    return _spark(cursor, catalog, word)


# Our own statements


def _create_stream(cursor: Cursor, catalog: Catalog) -> CreateStream:
    optional = cursor.takes("IF", "NOT", "EXISTS")
    name = cursor.name("the stream's name")
    _check_new(cursor, catalog, name, optional and catalog.stream(name.text) is not None)
    stream = stream_definition(cursor, catalog, name.text)
    cursor.finish()
    return CreateStream(stream, optional)


def _create_query(cursor: Cursor, catalog: Catalog) -> CreateQuery:
    name = cursor.name("the query's name")
    _check_new(cursor, catalog, name)
    cursor.expect("AS", hint="write CREATE CONTINUOUS QUERY name AS SELECT …")
    found = _query(cursor, catalog, continuous=True)
    if not tree.has_stream(found.plan):
        raise cursor.source.error(
            f"the query {name.text} reads no stream", name, "a query over tables needs no name: SELECT …"
        )
    return CreateQuery(name.text, found)


def _create_emitter(cursor: Cursor, catalog: Catalog) -> CreateEmitter:
    name = cursor.name("the emitter's name")
    if catalog.emitter(name.text) is not None:
        raise cursor.source.error(f"there is already an emitter {name.text}", name, "choose another name")
    cursor.expect("FROM", hint="write CREATE EMITTER name FROM query WITH (format = 'csv', path = '…')")
    origin = cursor.name("a continuous query")
    if catalog.query(origin.text) is None and catalog.stream(origin.text) is None:
        hint = did_you_mean(origin.text, [*catalog.queries, *(s.name for s in catalog.streams.values())])
        raise cursor.source.error(f"there is no continuous query {origin.text}", origin, hint)
    settings = options(cursor) if cursor.takes("WITH") else ()
    if settings and "format" not in dict(settings):
        raise cursor.source.error("an emitter needs a format", name, "add format = 'csv'")
    cursor.finish()
    return CreateEmitter(EmitterDefinition(name.text, origin.text, settings))


def _drop(cursor: Cursor, catalog: Catalog) -> Drop:
    cursor.expect("DROP")
    if cursor.takes("STREAM"):
        thing = Thing.STREAM
    elif cursor.takes("EMITTER"):
        thing = Thing.EMITTER
    else:
        cursor.expect("CONTINUOUS", "QUERY", hint="write DROP CONTINUOUS QUERY name")
        thing = Thing.QUERY
    optional = cursor.takes("IF", "EXISTS")
    name = cursor.name("a name")
    cursor.finish()
    known = {Thing.STREAM: catalog.streams, Thing.QUERY: catalog.queries, Thing.EMITTER: catalog.emitters}[thing]
    if name.text.lower() not in known and not optional:
        raise cursor.source.error(f"there is no {thing.value} {name.text}", name, did_you_mean(name.text, known))
    return Drop(thing, name.text, optional)


def _switch(cursor: Cursor, catalog: Catalog, enabled: bool) -> Switch:
    cursor.expect("STREAM", hint="only a stream can be enabled or disabled")
    name = cursor.name("a stream")
    cursor.finish()
    if catalog.stream(name.text) is None:
        raise cursor.source.error(f"there is no stream {name.text}", name, did_you_mean(name.text, catalog.streams))
    return Switch(name.text, enabled)


def _explain(cursor: Cursor, catalog: Catalog) -> Statement:
    stage = next((s for s in Stage if cursor.takes(s.name)), Stage.OPTIMIZED)
    if cursor.done:
        cursor.fail("a query expected", "write EXPLAIN SELECT …")
    inner = _statement(Cursor(cursor.source, cursor.tokens[cursor.position :]), catalog)
    if isinstance(inner, CreateQuery | InsertInto | Select):
        return Explain(stage, inner.query)
    if isinstance(inner, SparkStatement):
        return SparkStatement(_text(cursor, 0))
    raise SqlError("EXPLAIN needs a query", place=cursor.here(), hint="write EXPLAIN SELECT …")


def _insert(cursor: Cursor, catalog: Catalog) -> Statement:
    if not (cursor.takes("INSERT", "INTO") or cursor.takes("INSERT", "INTO", "TABLE")):
        return _spark(cursor, catalog, "INSERT")
    cursor.takes("TABLE")
    name = cursor.name("a stream or a table")
    stream = catalog.stream(name.text)
    rest = cursor.tokens[cursor.position :]
    if not rest or rest[0].text.upper() not in _QUERY_STARTS or rest[0].text == "(":
        return _spark(cursor, catalog, "INSERT")
    found = _query(cursor, catalog, continuous=stream is not None or _reads_stream(catalog, rest))
    if stream is None and not tree.has_stream(found.plan):
        return _spark(cursor, catalog, "INSERT")
    columns = stream.fields if stream is not None else catalog.table(name.text)
    if columns is None:
        hint = did_you_mean(name.text, catalog.names())
        raise cursor.source.error(f"there is no stream or table {name.text}", name, hint)
    _check_fits(cursor, name, columns, found)
    return InsertInto(name.text, found)


def _check_fits(cursor: Cursor, target: Token, columns: tuple[Field, ...], found: Query) -> None:
    """Columns go by position; types must have a common one."""
    given = found.plan.schema.fields
    if len(given) != len(columns):
        hint = f"{target.text} has {', '.join(f.name for f in columns)}"
        raise cursor.source.error(f"{len(given)} columns for the {len(columns)} of {target.text}", target, hint)
    for new, old in zip(given, columns, strict=True):
        if types.common(new.type, old.type) is None:
            raise cursor.source.error(
                f"column {new.name} is {new.type}, {target.text}.{old.name} is {old.type}", target
            )


def _check_new(cursor: Cursor, catalog: Catalog, name: Token, allowed: bool = False) -> None:
    taken = catalog.kind(name.text)
    if taken is not None and not allowed:
        raise cursor.source.error(
            f"there is already a {taken} {name.text}", name, "choose another name, or DROP it first"
        )


# Queries


def _query(cursor: Cursor, catalog: Catalog, continuous: bool | None) -> Query:
    """The query at the cursor. Alone in a script it is continuous if it has a window."""
    if cursor.done:
        cursor.fail("a query expected", "write SELECT …")
    tokens = cursor.tokens[cursor.position :]
    text = _text(cursor, cursor.position)
    emission, tokens = _emission(cursor, tokens)
    windowed = cut(cursor.source, tokens)
    tree_ = parse_query(cursor.source, windowed.tokens)
    if isinstance(tree_, exp.Subquery) and not tree_.alias:
        tree_ = tree_.unnest() if not any(tree_.args.get(k) for k in ("order", "limit")) else tree_
    is_continuous = bool(windowed.windows) if continuous is None else continuous
    context = Context(cursor.source, catalog, windowed.windows, is_continuous)
    return bind_query(context, tree_, text, emission)


def _emission(cursor: Cursor, tokens: Sequence[Token]) -> tuple[Emission, Sequence[Token]]:
    """ISTREAM may stand before the query, around it, or after SELECT, with or without parentheses."""
    first = tokens[0].text.upper()
    if first in _EMISSIONS:
        return _EMISSIONS[first], tokens[1:]
    for index, token in enumerate(tokens[1:], 1):
        follows_select = tokens[index - 1].token_type == TokenType.SELECT
        if not follows_select or not any(is_word(token, e) for e in _EMISSIONS) or _is_column(tokens, index):
            continue
        if any(t.token_type == TokenType.L_PAREN for t in tokens[: index - 1]) and _depth(tokens, index) > 0:
            raise cursor.source.error(f"{token.text} belongs to the outermost SELECT", token)
        return _EMISSIONS[token.text.upper()], [*tokens[:index], *_without_parentheses(cursor, tokens, index + 1)]
    return Emission.RSTREAM, tokens


def _is_column(tokens: Sequence[Token], index: int) -> bool:
    """A column may be called istream: then a comma, FROM, AS or nothing follows."""
    after_it = tokens[index + 1] if index + 1 < len(tokens) else None
    return after_it is None or after_it.token_type in (TokenType.COMMA, TokenType.FROM, TokenType.ALIAS, TokenType.DOT)


def _depth(tokens: Sequence[Token], index: int) -> int:
    kinds = [t.token_type for t in tokens[:index]]
    return kinds.count(TokenType.L_PAREN) - kinds.count(TokenType.R_PAREN)


def _without_parentheses(cursor: Cursor, tokens: Sequence[Token], start: int) -> Sequence[Token]:
    """``ISTREAM(a, b) FROM``: the parentheses belong to ISTREAM if nothing but FROM follows them."""
    if start >= len(tokens) or tokens[start].token_type != TokenType.L_PAREN:
        return tokens[start:]
    close = Cursor(cursor.source, tokens, start).closing()
    ends = close + 1 == len(tokens) or tokens[close + 1].token_type == TokenType.FROM
    return [*tokens[start + 1 : close], *tokens[close + 1 :]] if ends else tokens[start:]


def _reads_stream(catalog: Catalog, tokens: Sequence[Token]) -> bool:
    return any(catalog.stream(t.text) is not None for t in tokens if t.token_type != TokenType.STRING)


# Spark's own


def _spark(cursor: Cursor, catalog: Catalog, word: str) -> SparkStatement:
    first = cursor.tokens[0]
    if word not in _SPARK_STARTS:
        known = [*_SPARK_STARTS, "SELECT", "WITH", "EXPLAIN", "ENABLE", "DISABLE"]
        raise cursor.source.error(f"{first.text} begins no statement", first, did_you_mean(first.text, known))
    windowed = cut(cursor.source, cursor.tokens).windows
    if windowed and word == "CREATE":
        raise SqlError(
            "a table or view cannot hold a window",
            place=next(iter(windowed.values())).place,
            hint="write CREATE CONTINUOUS QUERY name AS …",
        )
    text = _text(cursor, 0)
    if word in ("CREATE", "DROP"):
        return _table_statement(cursor, catalog, text)
    return SparkStatement(text)


def _table_statement(cursor: Cursor, catalog: Catalog, text: str) -> SparkStatement:
    """Learn what table a CREATE makes, as far as its text tells; Spark has the last word."""
    try:
        parsed = parse_query(cursor.source, cursor.tokens)
    except SqlError:
        return SparkStatement(text)
    if isinstance(parsed, exp.Drop) and parsed.args.get("kind") in ("TABLE", "VIEW"):
        return SparkStatement(text, drops=parsed.this.sql(dialect="spark").replace("`", ""))
    if not isinstance(parsed, exp.Create) or parsed.args.get("kind") not in ("TABLE", "VIEW"):
        return SparkStatement(text)
    target = parsed.this
    named = target.this if isinstance(target, exp.Schema) else target
    columns = _declared(target) or _selected(cursor, catalog, parsed)
    name = ".".join(part.name for part in named.parts)
    return SparkStatement(text, (name, columns) if columns else None)


def _declared(target: exp.Expr) -> tuple[Field, ...]:
    if not isinstance(target, exp.Schema) or not all(isinstance(c, exp.ColumnDef) for c in target.expressions):
        return ()
    try:
        return tuple(Field(c.name, types.of_sqlglot(c.args["kind"])) for c in target.expressions)
    except (KeyError, ValueError):
        return ()


def _selected(cursor: Cursor, catalog: Catalog, parsed: exp.Create) -> tuple[Field, ...]:
    selected = parsed.args.get("expression")
    if selected is None:
        return ()
    context = Context(cursor.source, catalog, {}, continuous=False)
    return bind_query(context, selected, "", Emission.RSTREAM).plan.schema.fields


def _text(cursor: Cursor, position: int) -> str:
    tokens = cursor.tokens
    return cursor.source.text[tokens[position].start : tokens[-1].end + 1]
