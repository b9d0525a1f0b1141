"""µf(A)  =  µf(π(A)): no operator computes or carries a column that nobody above it reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from datacell.algebra import scalar
from datacell.algebra.carry import narrowed
from datacell.algebra.plan import (
    Aggregate,
    Apply,
    Coalesce,
    Distinct,
    Filter,
    Group,
    Join,
    Map,
    Opaque,
    Order,
    Over,
    Plan,
    SetOperation,
    SplitEvery,
    Stream,
    Table,
    Unfold,
    Union,
    Values,
    Window,
)
from datacell.algebra.schema import Named
from datacell.algebra.window import columns_read


def rewrite(plan: Plan) -> Plan:
    return _whole(plan)


def _narrow(plan: Plan, needed: frozenset[str]) -> Plan:
    """The plan with at least the needed columns, and as few others as its operator allows."""
    match plan:
        case Stream() | Table():
            named = zip(plan.columns, plan.schema.names, strict=True)
            return _changed(plan, columns=tuple(f for f, name in named if name in needed) or plan.columns[:1])
        case Values(columns, rows):
            left = [n for n, field in enumerate(columns) if field.name in needed] or [0]
            values = tuple(tuple(row[n] for n in left) for row in rows)
            return _changed(plan, columns=tuple(columns[n] for n in left), rows=values)
        case Map(child, columns):
            kept_columns = tuple(c for c in columns if c.name in needed) or columns[:1]
            return _changed(plan, child=_narrow(child, _read(c.value for c in kept_columns)), columns=kept_columns)
        case Filter(child, predicate):
            return plan.with_children([_narrow(child, needed | scalar.columns(predicate))])
        case Unfold(child, name=name):
            return plan.with_children([_narrow(child, (needed - {name}) | _read(plan.expressions()))])
        case Window(child, window):
            kept = needed | frozenset(columns_read(window))
            narrow = _narrow(child, kept)
            return plan.with_children([narrow if isinstance(child, Group) else _exactly(narrow, kept)])
        case Group(child, keys):
            kept = needed | _read(k.value for k in keys)
            return plan.with_children([_exactly(_narrow(child, kept), kept)])
        case Aggregate(child, aggregates):
            return _aggregate(plan, child, tuple(a for a in aggregates if a.name in needed))
        case Over(child, functions):
            kept_functions = tuple(f for f in functions if f.name in needed)
            below = (needed & frozenset(child.schema.names)) | _read(f.value for f in kept_functions)
            narrow = _narrow(child, below)
            return _changed(plan, child=narrow, functions=kept_functions) if kept_functions else narrow
        case Order(child, keys):
            return plan.with_children([_narrow(child, needed | _read(k.value for k in keys))])
        case Join() | Apply():
            return _join(plan, needed)
        case Union(inputs):
            kept = needed or frozenset(plan.schema.names[:1])
            return plan.with_children([_exactly(_narrow(i, kept), kept) for i in inputs])
        case Coalesce(child) | SplitEvery(child):
            return plan.with_children([_narrow(child, needed)])
        case Distinct() | SetOperation() | Opaque():
            return plan.with_children([_exactly(_whole(c), frozenset(c.schema.names)) for c in plan.children])
    return plan


def _aggregate(plan: Aggregate, child: Plan, kept: tuple[Named, ...]) -> Plan:
    if not plan.keys:  # it still has to give its one row
        kept = kept or plan.aggregates[:1]
    return _changed(plan, child=_narrow(child, _read(a.value for a in kept)), aggregates=kept)


def _join(plan: Join | Apply, needed: frozenset[str]) -> Plan:
    outer = plan.right.outer if isinstance(plan, Apply) else frozenset[str]()
    read = needed | _read(plan.expressions()) | outer
    return plan.with_children([_narrow(side, read & frozenset(side.schema.names)) for side in plan.children])


def _whole(plan: Plan) -> Plan:
    """Every column counts here: rows are compared, or are the answer."""
    return _narrow(plan, frozenset(plan.schema.names))


def _exactly(plan: Plan, needed: frozenset[str]) -> Plan:
    """Inputs that must have one schema get one."""
    names = [n for n in plan.schema.names if n in needed] or plan.schema.names[:1]
    return narrowed(plan, names)


def _changed(plan: Plan, **parts: Plan | tuple[object, ...]) -> Plan:
    return plan if all(getattr(plan, name) == part for name, part in parts.items()) else replace(plan, **parts)


def _read(expressions: Iterable[object]) -> frozenset[str]:
    return frozenset[str]().union(*(scalar.columns(e) for e in expressions))  # type: ignore[arg-type]
