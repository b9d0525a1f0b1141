"""µf(A)  =  µf(π(A)): no operator computes or carries a column that nobody above it reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from datacell.algebra import scalar
from datacell.algebra.plan import (
    Aggregate,
    Apply,
    Distinct,
    Filter,
    Group,
    Join,
    Map,
    Order,
    Over,
    Plan,
    SetOperation,
    Stream,
    Table,
    Union,
    Values,
    Window,
)
from datacell.algebra.window import Rows


def rewrite(plan: Plan) -> Plan:
    return _narrow(plan, frozenset(plan.schema.names))


def _narrow(plan: Plan, needed: frozenset[str]) -> Plan:
    """The plan with at least the needed columns, and as few others as its operator allows."""
    match plan:
        case Stream() | Table():
            fields = (
                tuple(f for f, n in zip(plan.columns, plan.schema.names, strict=True) if n in needed)
                or plan.columns[:1]
            )
            return plan if fields == plan.columns else replace(plan, columns=fields)
        case Values():
            return _exactly(plan, needed)
        case Map(child, columns):
            kept_columns = tuple(c for c in columns if c.name in needed) or columns[:1]
            return Map(_narrow(child, _read(c.value for c in kept_columns)), kept_columns)
        case Filter(child, predicate):
            return replace(plan, child=_narrow(child, needed | scalar.columns(predicate)))
        case Window(child, window):
            kept = needed | frozenset(window.partition if isinstance(window, Rows) else ())
            narrow = _narrow(child, kept)
            return replace(plan, child=narrow if isinstance(child, Group) else _exactly(narrow, kept))
        case Group(child, keys):
            kept = needed | _read(k.value for k in keys)
            return replace(plan, child=_exactly(_narrow(child, kept), kept))
        case Aggregate(child, aggregates):
            kept_aggregates = tuple(a for a in aggregates if a.name in needed)
            if not plan.keys:  # it still has to give its one row
                kept_aggregates = kept_aggregates or aggregates[:1]
            return Aggregate(_narrow(child, _read(a.value for a in kept_aggregates)), kept_aggregates)
        case Over(child, functions):
            kept_functions = tuple(f for f in functions if f.name in needed)
            below = (needed & frozenset(child.schema.names)) | _read(f.value for f in kept_functions)
            return Over(_narrow(child, below), kept_functions) if kept_functions else _narrow(child, below)
        case Order(child, keys):
            return replace(plan, child=_narrow(child, needed | _read(k.value for k in keys)))
        case Join() | Apply():
            return _join(plan, needed)
        case Union(inputs):
            kept = needed or frozenset(plan.schema.names[:1])
            return Union(tuple(_exactly(_narrow(i, kept), kept) for i in inputs))
        case Distinct() | SetOperation():
            return plan.with_children([_exactly(_whole(c), frozenset(c.schema.names)) for c in plan.children])
    return plan


def _join(plan: Join | Apply, needed: frozenset[str]) -> Plan:
    outer = plan.right.outer if isinstance(plan, Apply) else frozenset[str]()
    read = needed | _read(plan.expressions()) | outer
    left, right = (read & frozenset(side.schema.names) for side in (plan.left, plan.right))
    return replace(plan, left=_narrow(plan.left, left), right=_narrow(plan.right, right))


def _whole(plan: Plan) -> Plan:
    """Every column counts here: rows are compared."""
    return _narrow(plan, frozenset(plan.schema.names))


def _exactly(plan: Plan, needed: frozenset[str]) -> Plan:
    """Inputs that must have one schema get one."""
    names = [n for n in plan.schema.names if n in needed] or plan.schema.names[:1]
    return plan if len(names) == len(plan.schema) else Map(plan, plan.schema.passing(names))


def _read(expressions: Iterable[object]) -> frozenset[str]:
    return frozenset[str]().union(*(scalar.columns(e) for e in expressions))  # type: ignore[arg-type]
