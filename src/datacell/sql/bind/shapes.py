"""How the validities of an answer are cut: ``COALESCE (query)`` and ``SPLIT EVERY 10 SECONDS (query)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot.tokenizer_core import Token

from datacell.algebra.plan import Coalesce, SplitEvery
from datacell.algebra.query import Query, Timing
from datacell.sql.bind.context import Context
from datacell.sql.text.cursor import Cursor
from datacell.sql.text.quantities import read_interval

SHAPES = ("COALESCE", "SPLIT")


@dataclass(frozen=True)
class Shape:
    """What is asked for, and where; a length of time if it is to split."""

    word: Token
    length: int | None = None


def read_shapes(cursor: Cursor) -> tuple[list[Shape], Cursor]:
    """What stands before the query, outermost first, and the query, whose parentheses are taken off."""
    found: list[Shape] = []
    while any(map(cursor.sees, SHAPES)):
        word = cursor.next("a query")
        length = None
        if word.text.upper() == "SPLIT":
            cursor.expect("EVERY", hint="write SPLIT EVERY 10 SECONDS (SELECT …)")
            length = read_interval(cursor, "EVERY")
        if not cursor.sees("("):
            cursor.fail("a query in parentheses expected", f"write {_usage(word)}")
        close = cursor.closing()
        Cursor(cursor.source, cursor.tokens, close + 1).finish(f"write {_usage(word)}")
        cursor = Cursor(cursor.source, cursor.tokens[:close], cursor.position + 1)
        found.append(Shape(word, length))
    return found, cursor


def shaped(context: Context, query: Query, shapes: Sequence[Shape]) -> Query:
    """The query with its answer cut as asked for."""
    for shape in reversed(shapes):
        if query.timing is not Timing.EVERY_INSTANT:
            problem = f"{shape.word.text.upper()} needs windows without SLIDE: it cuts the validity of rows"
            raise context.source.error(problem, shape.word, "write FROM name [RANGE 5 MINUTES]")
        cut = Coalesce(query.plan) if shape.length is None else SplitEvery(query.plan, shape.length)
        query = replace(query, plan=cut)
    return query


def _usage(word: Token) -> str:
    return "COALESCE (SELECT …)" if word.text.upper() == "COALESCE" else "SPLIT EVERY 10 SECONDS (SELECT …)"
