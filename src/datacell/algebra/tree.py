"""Walking and rebuilding plans. The driver recurses, a visitor sees one node."""

from __future__ import annotations

from collections.abc import Callable

from datacell.algebra.plan import Plan, Stream, Window, descendants


def transform_up(plan: Plan, change: Callable[[Plan], Plan]) -> Plan:
    """Rebuild from the leaves; the same object comes back if `change` changes nothing."""
    return change(plan.with_children([transform_up(child, change) for child in plan.children]))


def streams(plan: Plan) -> list[Stream]:
    return [node for node in descendants(plan) if isinstance(node, Stream)]


def windows(plan: Plan) -> list[Window]:
    return [node for node in descendants(plan) if isinstance(node, Window)]


def has_stream(plan: Plan) -> bool:
    return bool(streams(plan))
