"""What is evaluated of a query, and what makes the delivered rows of that: only they know when they are valid."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.partial import formula
from datacell.algebra.plan import Coalesce, Input, Map, Plan, SplitEvery
from datacell.algebra.positions import FOREVER
from datacell.intervals.flow import NamedSlot
from datacell.intervals.validity import FROM, TO, VALIDITY


class Answer(NamedSlot):
    """The rows of the answer, with their validity."""

    ROWS = "rows of the answer"


def finished(plan: Plan) -> tuple[Plan, Plan | None]:
    """What is evaluated, and the map that makes the delivered rows of it where that reads when they are valid."""
    match plan:
        case Coalesce(child) | SplitEvery(child):
            below, finish = finished(child)
            return plan.with_children([below]), finish
        case Map(child, columns) if any(scalar.reads_boundary(c.value) for c in columns):
            names = sorted(set[str]().union(*(scalar.columns(c.value) for c in columns))) or child.schema.names[:1]
            below = Map(child, child.schema.passing(names))
            rows = Input(Answer.ROWS, (*below.schema, *VALIDITY))
            filled = tuple(replace(c, value=scalar.replace(c.value, _instant)) for c in columns)
            return below, Map(rows, (*filled, *rows.schema.passing((FROM, TO))))
    return plan, None


def _instant(node: exp.Expr) -> exp.Expr | None:
    if not isinstance(node, exp.Placeholder):
        return None
    if node.name == scalar.VALID_FROM:
        return scalar.call("timestamp_micros", scalar.column(FROM))
    to = scalar.column(TO)
    return formula(f"CASE WHEN t < {FOREVER} THEN at END", t=to, at=scalar.call("timestamp_micros", to))
