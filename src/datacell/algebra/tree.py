"""Walking and rebuilding plans. The driver recurses, a visitor sees one node."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import (
    Aggregate,
    Input,
    Join,
    JoinKind,
    Map,
    Order,
    Over,
    Plan,
    SetOperation,
    Slot,
    Stream,
    Table,
    Window,
)
from datacell.algebra.plan import descendants as descendants

Key = str | Slot
"""What a source of rows is known by: the name of a stream or table, or the slot of an input."""


def key(source: Stream | Table | Input) -> Key:
    return source.slot if isinstance(source, Input) else source.name


def transform_up(plan: Plan, change: Callable[[Plan], Plan]) -> Plan:
    """Rebuild from the leaves; the same object comes back if `change` changes nothing."""
    return change(plan.with_children([transform_up(child, change) for child in plan.children]))


def streams(plan: Plan) -> list[Stream]:
    return [node for node in descendants(plan) if isinstance(node, Stream)]


def table_names(plan: Plan) -> set[str]:
    return {node.name for node in descendants(plan) if isinstance(node, Table)}


def may_be_refreshed(plan: Plan) -> bool:
    """Does it read a table that may be replaced by a newer version?"""
    return any(isinstance(node, Table) and not node.is_fixed for node in descendants(plan))


def inputs(plan: Plan) -> list[Input]:
    return [node for node in descendants(plan) if isinstance(node, Input)]


def slots(plan: Plan) -> set[Slot]:
    """The inputs that must be handed to a plan when it runs."""
    return {node.slot for node in descendants(plan) if isinstance(node, Input)}


def windows(plan: Plan) -> list[Window]:
    return [node for node in descendants(plan) if isinstance(node, Window)]


def stream_of(window: Window) -> str:
    """The name of the one stream that a window stands over."""
    return streams(window)[0].name


def slides(plan: Plan) -> list[int]:
    """The slides of all windows, which give the boundaries of a query."""
    return sorted({w.window.slide for w in windows(plan) if w.window.slide is not None})


def reads_boundary(plan: Plan) -> bool:
    """Does some expression depend on when the snapshot is taken?"""
    return any(scalar.reads_boundary(e) for node in descendants(plan) for e in node.expressions())


def is_static(plan: Plan) -> bool:
    """Does it read tables only?"""
    return not windows(plan)


def is_swept(plan: Plan) -> bool:
    """Is it an operator over windows that cuts its results where its inputs change?"""
    match plan:
        case Join(left, right, kind):
            return kind is not JoinKind.INNER and not is_static(left) and not is_static(right)
        case Aggregate(aggregates=(_, *_)) | SetOperation() | Over():
            return not is_static(plan)
        case Order(limit=limit, offset=offset):
            return (limit is not None or offset > 0) and not is_static(plan)
    return False


def projection(plan: Plan) -> dict[str, str] | None:
    """If a plan only passes columns of one input on: for each of its columns the input's. No engine is needed then."""
    match plan:
        case Input(columns=columns):
            return {name: f.name for name, f in zip(plan.schema.names, columns, strict=True)}
        case Map(child, columns):
            below = projection(child)
            if below is None or not all(isinstance(c.value, exp.Column) for c in columns):
                return None
            return {c.name: below[c.value.name] for c in columns}
    return None


def has_stream(plan: Plan) -> bool:
    return bool(streams(plan))


def at_boundary(plan: Plan, boundary: exp.Expr, name: str = scalar.WINDOW_END) -> Plan:
    """The plan at one boundary: `window_end`, or what is said instead, is that constant."""

    def fill(node: exp.Expr) -> exp.Expr | None:
        return boundary.copy() if isinstance(node, exp.Placeholder) and node.name == name else None

    def change(node: Plan) -> Plan:
        if not any(map(scalar.reads_boundary, node.expressions())):
            return node
        return node.map_expressions(lambda e: scalar.replace(e, fill))

    return transform_up(plan, change)
