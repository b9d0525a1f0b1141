"""A query that is not understood here but by Spark: its text, with a gap for each thing that it reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from datacell.algebra import scalar, types
from datacell.algebra.analysis import Analysis, AnalysisError
from datacell.algebra.definitions import reserved
from datacell.algebra.plan import Map, Opaque, Plan, Stream, Table
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.types import Type
from datacell.algebra.window import Session, is_keyed, is_sampled
from datacell.errors import Place, SqlError, StreamRuleError, UnsupportedError, in_backticks
from datacell.sql import functions
from datacell.sql.bind.asked import asked
from datacell.sql.bind.checks import check_windows
from datacell.sql.bind.context import Context
from datacell.sql.bind.scope import numbered
from datacell.sql.bind.sources import placed_window, windowed
from datacell.sql.bind.user_functions import user_function
from datacell.sql.functions import Function
from datacell.sql.functions.refused import UNREPEATABLE
from datacell.sql.text.cutting import Cut
from datacell.sql.text.from_items import FromItem, from_items
from datacell.sql.text.samples import is_fixed

_ROW_WISE = frozenset(
    {"Project", "Filter", "SubqueryAlias", "Generate", "Expand", "WithCTE", "CTERelationDef", "CTERelationRef", "View"}
    | {"OneRowRelation", "LocalRelation", "LogicalRDD", "LateralJoin", "UnresolvedHint", "ResolvedHint"}
)
"""Spark's operators that do something to each row by itself."""
_CLOCKS = ("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp")


@dataclass(frozen=True)
class _Written:
    """A text in parts: of what is as the user wrote it, each knows where it was."""

    parts: tuple[tuple[str, int | None], ...]

    def place(self, context: Context, start: int, stop: int) -> Place | None:
        """Where a stretch of the text stands in the user's; None if it begins in what was put there."""
        at = 0
        for text, origin in self.parts:
            if at <= start < at + len(text):
                return None if origin is None else context.source.place(origin + start - at, origin + stop - at)
            at += len(text)
        return None


def written(
    context: Context, tokens: Sequence[Token], left_out: Sequence[Token], cut: Cut, why: SqlError
) -> tuple[Opaque, tuple[str, ...]]:
    """The query as Spark is to answer it, and the names that Spark gives to its columns; `why` is raised if it cannot.

    A mistake stays the mistake that was found here: only of what is not understood here Spark tells what is wrong.
    """
    _check_repeatable(context, cut.tokens)
    check_windows(context)
    items = [item for item in from_items(cut) if _is_known(context, item)]
    unread = next((p for at, p in cut.windows.items() if at not in {i.position for i in items}), None)
    if unread is not None:
        raise why
    inputs = tuple(_input(context, item) for item in items)
    _check_windows(context, why)
    pieces = _pieces(context, tokens, left_out, items)
    analysis = _analysis(context, pieces, inputs, why)
    _check_calls(context, analysis, why)
    _check_state(context, items, analysis)
    names = tuple(name for name, _ in analysis.columns)
    for name in names if context.continuous else ():
        if refused := reserved(name):
            raise StreamRuleError(refused, place=why.place, hint="give it another name: … AS name")
    columns = tuple(Field(n, t) for n, (_, t) in zip(numbered(names), analysis.columns, strict=True))
    texts = tuple("".join(text for text, _ in parts) for parts in pieces)
    return Opaque(inputs, texts, columns, _reason(why)), names


def columns_given(
    context: Context, tokens: Sequence[Token], left_out: Sequence[Token], cut: Cut
) -> tuple[tuple[str, Type], ...] | None:
    """The columns that Spark gives, if it can be asked and understands the text."""
    words = asked(context.catalog, cut)
    if words is None:
        return _columns_given(context, tokens, left_out, cut)
    return context.catalog.said.of(words, lambda: _columns_given(context, tokens, left_out, cut))


def _columns_given(
    context: Context, tokens: Sequence[Token], left_out: Sequence[Token], cut: Cut
) -> tuple[tuple[str, Type], ...] | None:
    nothing = UnsupportedError("its columns have no names")
    items = [item for item in from_items(cut) if _is_known(context, item)]
    try:
        inputs = tuple(_input(context, item) for item in items)
        return _analysis(context, _pieces(context, tokens, left_out, items), inputs, nothing).columns
    except SqlError:
        return None


def _check_windows(context: Context, why: SqlError) -> None:
    """Windows whose rows nobody can hand over as a table at an instant."""
    placed = list(context.windows.values())
    for one in placed:
        sampled = any(is_sampled(p.window) for p in placed)
        if isinstance(one.window, Session) or (is_keyed(one.window) and not sampled):
            hint = "ask it of a window with SLIDE" if is_sampled(one.window) else "give it a SLIDE of a second"
            problem = f"[{one.window}] needs a query that is understood here: {why.message}"
            raise StreamRuleError(problem, place=why.place, hint=hint) from None


def _reason(why: SqlError) -> str:
    place = why.place
    return why.message if place is None else f"{why.message} (line {place.line}, column {place.column})"


def _is_known(context: Context, item: FromItem) -> bool:
    return context.catalog.stream(item.name) is not None or context.catalog.table(item.name) is not None


def _input(context: Context, item: FromItem) -> Plan:
    """What an item reads, under the names that the text uses."""
    stream = context.catalog.stream(item.name)
    alias = context.names.fresh(item.name.rpartition(".")[2])
    if stream is None or not context.continuous:
        if context.continuous and context.catalog.is_derived(item.name):
            hint = f"INSERT INTO a stream what {item.name} selects"
            raise context.source.rule(f"{item.name} is an answer that changes, not a stream", item.token, hint)
        columns = stream.compared if stream is not None else context.catalog.table(item.name) or ()
        plain = tuple(Field(f.name, types.uncollated(f.type)) for f in columns)
        return _bare(Table(item.name, alias, plain), columns)
    rows = Stream(stream.name, alias, stream.fields)
    window = placed_window(context, stream, context.windows.get(item.position))
    return _bare(windowed(context, rows, window, context.windows.get(item.position)), stream.compared)


def _bare(plan: Plan, columns: Sequence[Field]) -> Plan:
    pairs = zip(columns, plan.schema.names, strict=False)  # a window may have columns of its own after these
    return Map(plan, tuple(Named(f.name, _collated(scalar.column(shown), f.type), f.type) for f, shown in pairs))


def _collated(value: exp.Expr, kind: Type) -> exp.Expr:
    """Rows are kept without collations."""
    return exp.Cast(this=value, to=types.to_sqlglot(kind)) if types.is_collated(kind) else value


Pieces = list[list[tuple[str, int | None]]]


def _pieces(context: Context, tokens: Sequence[Token], left_out: Sequence[Token], items: Sequence[FromItem]) -> Pieces:
    """The text between its gaps, without the words that Spark does not know, like ISTREAM."""
    text = context.source.text
    spans = [(item.start, item.stop, item) for item in items]
    ours = [(token.start, token.end + 1, None) for token in left_out]
    pieces: Pieces = [[]]
    at = tokens[0].start
    for start, stop, item in sorted([*spans, *ours], key=lambda span: span[0]):
        pieces[-1].append((text[at:start], at))
        if item is not None:
            named = "" if item.has_alias and not item.is_query else f" AS {in_backticks(item.token.text)}"
            sample = f" {item.sample}" if item.sample else ""
            before, after = (
                ("(SELECT * FROM (", f"){sample}{named}) ") if item.is_query else ("(", f"){sample}{named} ")
            )
            pieces[-1].append((before, None))
            pieces.append([(after, None)])
        at = stop
    pieces[-1].append((text[at : tokens[-1].end + 1], at))
    return pieces


def _analysis(context: Context, pieces: Pieces, inputs: Sequence[Plan], why: SqlError) -> Analysis:
    parts = list(pieces[0])
    for made, piece in zip(inputs, pieces[1:], strict=True):
        parts += [(_no_rows(made.schema), None), *piece]
    text = _Written(tuple(parts))
    try:
        found = context.catalog.analyze("".join(part for part, _ in parts))
    except AnalysisError as refused:
        if not isinstance(why, UnsupportedError):
            raise why from None
        start, stop = refused.start, refused.stop
        place = None if start is None else text.place(context, start, start + 1 if stop is None else stop)
        raise SqlError(refused.message, place=place or why.place) from None
    if found is None:
        raise why
    return found


def _no_rows(columns: Schema) -> str:
    values = (f"CAST(NULL AS {types.spelled(f.type)}) AS {in_backticks(f.name)}" for f in columns)
    return f"SELECT {', '.join(values)} WHERE false"


def _check_repeatable(context: Context, tokens: Sequence[Token]) -> None:
    """A continuous query depends on its rows alone, whoever evaluates it."""
    if not context.continuous:
        return
    for index, token in enumerate(tokens):
        word, after = token.text.lower(), tokens[index + 1].text if index + 1 < len(tokens) else ""
        if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER):
            continue
        function = _called(context, token, tokens[index - 1 : index]) if after == "(" else None
        before = tokens[index - 1].text if index else ""
        is_clock = word in _CLOCKS and before != "." and after != "."
        now = word == "unix_timestamp" and after == "(" and tokens[index + 2].text == ")"
        if is_clock or now or (function is not None and function.refused and function.is_unrepeatable):
            why = function.refused if function is not None else "it reads the clock; use the event time of the stream"
            raise context.source.rule(f"{word} cannot be used in a continuous query", token, why)
        if word == "tablesample" and not is_fixed(tokens[index + 1 :]):
            hint = "filter by a column instead"
            raise context.source.rule("TABLESAMPLE gives a different answer each time", token, hint)


def _called(context: Context, token: Token, before: Sequence[Token]) -> Function | None:
    """The function that is called by a word before a parenthesis, if it is one."""
    found = functions.lookup(token.text)
    is_name = token.token_type == TokenType.VAR and not any(t.token_type == TokenType.DOT for t in before)
    return user_function(context.catalog, token.text, 1) if found is None and is_name else found


def _check_calls(context: Context, analysis: Analysis, why: SqlError) -> None:
    """The same, of what stands behind views and functions of SQL."""
    found = sorted(analysis.calls() & UNREPEATABLE) if context.continuous else []
    if found:
        hint = "a window's answer must depend on its rows alone"
        raise StreamRuleError(f"{found[0]} cannot be used in a continuous query", place=why.place, hint=hint)


def _check_state(context: Context, items: Sequence[FromItem], analysis: Analysis) -> None:
    """A stream without a window never forgets: only what does something to each row by itself may read it."""
    streams = [item for item in items if context.continuous and context.catalog.stream(item.name) is not None]
    bare = [item for item in streams if item.position not in context.windows]
    if not bare:
        return
    operators = analysis.operators()
    if len(streams) > 1 or not operators <= _ROW_WISE or {"LateralJoin", "CTERelationRef"} <= operators:
        name = context.catalog.streams[bare[0].name].name
        hint = f"write {name} [RANGE 5 MINUTES SLIDE 1 MINUTE]"
        problem = f"{name} needs a window: this query over an endless stream would have to remember all of it"
        raise context.source.rule(problem, bare[0].token, hint)
