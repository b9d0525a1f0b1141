"""Checks that concern a whole query: its windows go together, and no operator has to remember an endless stream."""

from __future__ import annotations

from sqlglot.tokenizer_core import Token

from datacell.algebra import tree
from datacell.algebra.plan import (
    Aggregate,
    Apply,
    Difference,
    Distinct,
    Filter,
    Group,
    Intersection,
    Join,
    JoinKind,
    Map,
    Order,
    Over,
    Plan,
    Stream,
    StrictDifference,
    Unfold,
    Union,
    Window,
)
from datacell.algebra.window import Session, counts_rows, is_sampled
from datacell.errors import StreamRuleError
from datacell.sql.bind.context import Context

_OPERATORS: dict[type[Plan], str] = {
    Aggregate: "an aggregate",
    Group: "GROUP BY",
    Apply: "a subquery",
    Difference: "EXCEPT",
    StrictDifference: "EXCEPT",
    Intersection: "INTERSECT",
    Distinct: "DISTINCT",
    Join: "a join",
    Order: "ORDER BY",
    Over: "OVER",
    Union: "a union with a window",
}


def check_windows(context: Context) -> None:
    """Row windows and time windows have no common boundaries, and those of a session are its own."""
    placed = list(context.windows.values())
    session = next((p for p in placed if isinstance(p.window, Session)), None)
    if session is not None and len(placed) > 1:
        raise StreamRuleError(
            "a session window is the only window of its query",
            place=session.place,
            hint="INSERT INTO a stream what is asked of sessions, and join that",
        )
    other = next((p for p in placed if counts_rows(p.window) != counts_rows(placed[0].window)), None)
    if other is not None:
        raise StreamRuleError(
            "row windows and time windows cannot be mixed in one query",
            place=other.place,
            hint="a row window counts arrivals, a time window measures time: use one kind",
        )


def check_windows_are_read(context: Context) -> None:
    """A window that stands where no stream is read would be lost in silence."""
    for position, placed in context.windows.items():
        if position not in context.read_windows:
            raise StreamRuleError("a window belongs after a stream's name in FROM", place=placed.place)


def check_emission(context: Context, word: Token | None) -> None:
    """ISTREAM and DSTREAM compare a boundary with the one before it."""
    if word is None or word.text.upper() == "RSTREAM":
        return
    if any(isinstance(w, Session) for w in context.window_specs):
        raise context.source.rule(f"{word.text.upper()} compares boundaries, and a session has only one", word)
    if not any(map(is_sampled, context.window_specs)):
        raise context.source.rule(
            f"{word.text.upper()} needs a window with SLIDE: it compares a boundary with the one before",
            word,
            "write FROM name [RANGE 5 MINUTES SLIDE 1 MINUTE]",
        )


def check_state(context: Context, plan: Plan) -> None:
    """A stream without a window never forgets: only operators that need no state may read it."""
    keeper = _keeper(plan)
    if keeper is not None:
        stream, operator = keeper
        raise context.rule(
            f"{stream.name} needs a window: {operator} over an endless stream would have to remember all of it",
            context.stream_nodes[stream.alias],
            f"write {stream.name} [RANGE 5 MINUTES SLIDE 1 MINUTE]",
        )


def _keeper(plan: Plan) -> tuple[Stream, str] | None:
    """An unwindowed stream and an operator above it that would have to remember its rows."""
    match plan:
        case Window():
            return None
        case Filter() | Map() | Unfold():
            return _keeper(plan.child)
        case Join() | Apply():
            return _join_keeper(plan)
        case Union():
            mixed = bool(tree.windows(plan))
            return next((k for i in plan.inputs if (k := _bare(i, plan) if mixed else _keeper(i))), None)
    return next((k for child in plan.children if (k := _bare(child, plan))), None)


def _join_keeper(plan: Join | Apply) -> tuple[Stream, str] | None:
    kept = {JoinKind.RIGHT: (plan.right, plan.left), JoinKind.FULL: None}.get(plan.kind, (plan.left, plan.right))
    if plan.kind is JoinKind.INNER and not tree.has_stream(plan.left):
        kept = (plan.right, plan.left)
    if kept is None or tree.has_stream(kept[1]):
        return _bare(plan.left, plan) or _bare(plan.right, plan)
    return _keeper(kept[0])


def _bare(plan: Plan, above: Plan) -> tuple[Stream, str] | None:
    if isinstance(plan, Window):
        return None
    if isinstance(plan, Stream):
        return plan, _said(above)
    return next((k for child in plan.children if (k := _bare(child, above))), None)


def _said(operator: Plan) -> str:
    if isinstance(operator, Order) and not operator.keys:
        return "LIMIT"
    return _OPERATORS.get(type(operator), type(operator).__name__.lower())
