"""INSERT INTO: a continuous query that feeds a stream or a table, rows for a stream, or Spark's own statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from datacell.algebra import scalar, tree, types
from datacell.algebra.definitions import REASON
from datacell.algebra.plan import Map
from datacell.algebra.query import Query
from datacell.algebra.schema import Field, Named
from datacell.errors import counted, did_you_mean
from datacell.sql.bind.coercing import cast, coerced
from datacell.sql.bind.context import Typed
from datacell.sql.bind.query_text import bind_text, starts_query
from datacell.sql.catalog import Catalog
from datacell.sql.statements.spark_statements import reads, spark_statement
from datacell.sql.statements.statement import InsertInto, Statement
from datacell.sql.text.cursor import Cursor

_LARGEST = {types.TINYINT: 2**7 - 1, types.SMALLINT: 2**15 - 1, types.INT: 2**31 - 1, types.BIGINT: 2**63 - 1}


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
    if catalog.stream(name) is None and not reads(cursor, lambda read: catalog.stream(read) is not None):
        return spark_statement(Cursor(cursor.source, cursor.tokens, start), catalog)
    return _ours(cursor, catalog, target, name, start)


def _ours(cursor: Cursor, catalog: Catalog, target: Token, name: str, start: int) -> InsertInto:
    """Into a stream, or from a stream into a table. A query that reads no stream is answered once."""
    stream = catalog.stream(name)
    columns = stream.fields if stream is not None else catalog.table(name)
    if columns is None:
        hint = did_you_mean(name, catalog.names())
        raise cursor.source.error(f"there is no stream or table {name}", target, hint)
    columns = tuple(Field(f.name, types.uncollated(f.type)) for f in columns)
    listed = _listed(cursor, name, columns)
    continuous = reads(cursor, lambda read: catalog.stream(read) is not None or catalog.is_derived(read))
    found = bind_text(cursor, catalog, continuous)
    if not continuous:
        found = replace(found, text=_written(Cursor(cursor.source, cursor.tokens, start)))
    given = [f for f in columns if f.name in listed] if listed else list(columns)
    given.sort(key=lambda f: listed.index(f.name) if listed else 0)
    _check_fits(cursor, target, given, found)
    if stream is not None:
        _check_no_circle(cursor, catalog, target, found)
    return InsertInto(name, _fitted(found, given, columns, stream is not None))


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


def _fitted(found: Query, given: Sequence[Field], columns: Sequence[Field], into_stream: bool) -> Query:
    """The rows of a query under the names and types of the target; columns not given are NULL.

    A row for a stream of which a cast loses a value says so: the stream rejects it.
    """
    if found.plan.schema.fields == tuple(columns):
        return found
    pairs = list(zip(found.plan.schema.fields, given, strict=True))
    values = {new.name: coerced(Typed(scalar.column(old.name), old.type), new.type) for old, new in pairs}
    losses = []
    for old, new in pairs if into_stream else ():
        if _may_lose(old.type, new.type):
            values[new.name] = _within(old, new.type, values[new.name])
            losses.append(_loss(old, new, values[new.name]))
    mapped = [Named(f.name, values.get(f.name) or cast(exp.Null(), f.type), f.type) for f in columns]
    mapped += [Named(REASON, exp.Case(ifs=losses), types.STRING)] if losses else []
    return Query(Map(found.plan, tuple(mapped)), found.text, found.emission)


def _may_lose(old: types.Type, new: types.Type) -> bool:
    """Has one type values that have no counterpart in another? Rounding a fraction is no loss."""
    rounds = types.is_number(old) and new in (types.FLOAT, types.DOUBLE)
    return types.common(old, new) != new and not rounds and not (types.is_time(old) and types.is_time(new))


def _within(old: Field, new: types.Type, fitted: exp.Expr) -> exp.Expr:
    """NULL for a number beyond the range of an integer type; by itself a cast begins again at the other end."""
    if new not in _LARGEST or not types.is_number(old.type):
        return fitted
    value = scalar.column(old.name)
    least = exp.Neg(this=exp.Literal.number(_LARGEST[new] + 2))
    inside = exp.and_(
        exp.GT(this=value, expression=least), exp.LT(this=value, expression=exp.Literal.number(_LARGEST[new] + 1))
    )
    return exp.Case(ifs=[exp.If(this=inside, true=fitted)])


def _loss(old: Field, new: Field, fitted: exp.Expr) -> exp.If:
    there = exp.Not(this=exp.Paren(this=exp.Is(this=scalar.column(old.name), expression=exp.Null())))
    lost = exp.Is(this=fitted.copy(), expression=exp.Null())
    return exp.If(this=exp.and_(there, lost), true=exp.Literal.string(f"{new.name} is no {new.type}"))


def _written(cursor: Cursor) -> str:
    """A statement as written but for blanks and comments, by which it is recognised again."""
    return " ".join(cursor.source.text[t.start : t.end + 1] for t in cursor.tokens[cursor.position :])
