"""The text of a query: ISTREAM and its kin and the windows cut out, the rest parsed and bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from datacell.algebra.query import Emission, Query
from datacell.algebra.types import Type
from datacell.errors import Place, SqlError, StreamRuleError, UnsupportedError
from datacell.sql.bind.checks import check_emission
from datacell.sql.bind.context import Context
from datacell.sql.bind.leaving import leaving
from datacell.sql.bind.queries import bind_query
from datacell.sql.bind.scope import Names
from datacell.sql.bind.shapes import SHAPES, read_shapes, shaped
from datacell.sql.bind.user_functions import mark_functions
from datacell.sql.bind.written import columns_given, written
from datacell.sql.catalog import Catalog
from datacell.sql.text.as_of import with_versions
from datacell.sql.text.cursor import Cursor, is_word
from datacell.sql.text.cutting import cut
from datacell.sql.text.parsing import parse_query

LARGEST = 20
"""Windows of a query that Spark is asked about only for names of columns: to understand it takes a second or more."""
DEFECT = "a defect keeps this from being understood here"
"""Why a query is opaque of which a mistake of ours, not of the user, is known. No query of the tests leads to it."""
_EMISSIONS = {e.name: e for e in Emission}
QUERY_STARTS = {"SELECT", "WITH", "VALUES", "(", "FROM", "TABLE", *_EMISSIONS, *SHAPES}


def bind_text(cursor: Cursor, catalog: Catalog, continuous: bool | None) -> Query:
    """The query from the cursor to the end. If nobody says so, it is continuous if it has a window."""
    start, place = text_of(cursor), _place_of(cursor)
    shapes, cursor = read_shapes(cursor)
    word, tokens = _without_emission(cursor)
    if not tokens or _word(tokens[0]) not in QUERY_STARTS:
        Cursor(cursor.source, tokens or cursor.tokens, 0 if tokens else len(cursor.tokens)).fail(
            "a query expected", "write SELECT …"
        )
    windowed = with_versions(cursor.source, cut(cursor.source, tokens), catalog.streams)
    context = Context(
        cursor.source,
        catalog,
        windowed.windows,
        continuous=bool(windowed.windows) if continuous is None else continuous,
    )
    check_emission(context, word)
    emission = Emission.RSTREAM if word is None else _EMISSIONS[word.text.upper()]

    kept = set(map(id, tokens))
    left_out = [token for token in cursor.tokens[cursor.position :] if id(token) not in kept]

    def understood() -> Query:
        tree = _unwrapped(parse_query(cursor.source, windowed.tokens))
        name_identifiers(tree)
        mark_functions(context, tree)
        asks = len(windowed.windows) <= LARGEST or _has_unnamed(tree)
        given = columns_given(replace(context, names=Names()), tokens, left_out, windowed) if asks else None
        named = replace(context, called=tuple(name for name, _ in given or ()))
        found = bind_query(named, tree, start, emission)
        _check_types(found, given, place)
        return shaped(named, replace(found, plan=leaving(found.plan)), shapes)

    def as_written(why: SqlError) -> Query:
        if shapes:
            raise why
        fresh = replace(context, names=Names())
        plan, given = written(fresh, tokens, left_out, windowed, why)
        return Query(leaving(plan), start, emission, given=given if given != plan.schema.names else ())

    found = _understood_by_somebody(understood, as_written, place)
    return replace(found, place=place, otherwise=lambda why: replace(as_written(why), place=place))


def _understood_by_somebody(
    understood: Callable[[], Query], as_written: Callable[[SqlError], Query], place: Place | None
) -> Query:
    """The query as it is understood here; else as Spark answers what is written, if Spark understands it."""
    try:
        return understood()
    except (StreamRuleError, RecursionError):
        raise
    except SqlError as error:
        return as_written(error)
    except Exception as error:  # whatever a text leads to here, it may mean something to Spark
        why = UnsupportedError(f"{DEFECT} ({type(error).__name__}: {error})", place=place)
        try:
            return as_written(why)
        except UnsupportedError:
            raise error from None


def _check_types(found: Query, given: tuple[tuple[str, Type], ...] | None, place: Place | None) -> None:
    """What has another type here than Spark gives it was misunderstood."""
    if given is not None and len(given) != len(found.plan.schema.names):
        raise UnsupportedError(f"it would have {len(found.plan.schema.names)} columns, not {len(given)}", place=place)
    for ours, (name, theirs) in zip(found.plan.schema, given or (), strict=given is not None):
        if str(ours.type).lower() != str(theirs).lower():
            raise UnsupportedError(f"column {name} would be {ours.type}, Spark's is {theirs}", place=place)


def _has_unnamed(tree: exp.Expr) -> bool:
    """Has the answer a column that the text does not name?"""
    first = tree
    while isinstance(first, exp.SetOperation | exp.Subquery):
        first = first.this
    named = (exp.Alias, exp.Column, exp.Star)
    return isinstance(first, exp.Select) and not all(isinstance(e, named) for e in first.expressions)


def name_identifiers(tree: exp.Expr) -> None:
    """``IDENTIFIER('a')`` is the name itself."""
    for call in list(tree.find_all(exp.Anonymous)):
        text = call.expressions[0] if len(call.expressions) == 1 else None
        if call.name.upper() == "IDENTIFIER" and isinstance(text, exp.Literal) and text.name.isidentifier():
            column = exp.Column(this=exp.to_identifier(text.name))
            column.meta.update(call.meta)
            column.this.meta.update(call.meta)
            call.replace(column)


def starts_query(token: Token | None) -> bool:
    return token is not None and _word(token) in QUERY_STARTS


def text_of(cursor: Cursor) -> str:
    """The text from the cursor to the end."""
    tokens = cursor.tokens
    return "" if cursor.done else cursor.source.text[tokens[cursor.position].start : tokens[-1].end + 1]


def _place_of(cursor: Cursor) -> Place | None:
    tokens = cursor.tokens
    return None if cursor.done else cursor.source.place(tokens[cursor.position].start, tokens[-1].end + 1)


def _word(token: Token) -> str:
    return "" if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER) else token.text.upper()


def _unwrapped(tree: exp.Expr) -> exp.Expr:
    """Parentheses around a whole query mean nothing, unless ORDER BY or LIMIT follows them."""
    plain = isinstance(tree, exp.Subquery) and not tree.alias and not any(map(tree.args.get, ("order", "limit")))
    return tree.unnest() if plain else tree


def _without_emission(cursor: Cursor) -> tuple[Token | None, Sequence[Token]]:
    """ISTREAM may stand before the query, around it, or after SELECT, with or without parentheses."""
    tokens = cursor.tokens[cursor.position :]
    word = tokens[0] if tokens and _is_emission(tokens[0]) else None
    rest = tokens if word is None else tokens[1:]
    for index in _emissions_after_select(rest):
        if word is not None:
            raise cursor.source.error(f"{word.text} is said already", rest[index], f"remove this {rest[index].text}")
        if not _in_first_select(rest, index):
            hint = f"write it at the start: {rest[index].text.upper()} SELECT …"
            raise cursor.source.error(f"{rest[index].text} belongs to the whole query", rest[index], hint)
        return rest[index], [*rest[:index], *_without_parentheses(cursor, rest, index + 1)]
    return word, rest


def _emissions_after_select(tokens: Sequence[Token]) -> list[int]:
    """A column may be called istream: then a comma, FROM, AS or nothing follows."""
    return [
        index
        for index in range(1, len(tokens) - 1)
        if tokens[index - 1].token_type == TokenType.SELECT
        and _is_emission(tokens[index])
        and tokens[index + 1].token_type not in (TokenType.COMMA, TokenType.FROM, TokenType.ALIAS, TokenType.DOT)
    ]


def _is_emission(token: Token) -> bool:
    return any(is_word(token, name) for name in _EMISSIONS)


def _in_first_select(tokens: Sequence[Token], index: int) -> bool:
    """Is this the first SELECT that stands outside of all parentheses?"""
    depth = 0
    for token in tokens[: index - 1]:
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        if depth == 0 and token.token_type == TokenType.SELECT:
            return False
    return depth == 0


def _without_parentheses(cursor: Cursor, tokens: Sequence[Token], start: int) -> Sequence[Token]:
    """``ISTREAM(a, b) FROM``: the parentheses belong to ISTREAM if nothing but FROM follows them."""
    if start >= len(tokens) or tokens[start].token_type != TokenType.L_PAREN:
        return tokens[start:]
    close = Cursor(cursor.source, tokens, start).closing()
    ends = close + 1 == len(tokens) or tokens[close + 1].token_type == TokenType.FROM
    return [*tokens[start + 1 : close], *tokens[close + 1 :]] if ends else tokens[start:]
