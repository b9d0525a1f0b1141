"""An order that nobody sees does nothing: it goes, except where the answer's reader or a LIMIT looks at it.

A map keeps its rows in order. A LIMIT without an order of its own takes the first rows of the order below it:
limit(µf(order A))  =  µf(order-and-limit A).
"""

from __future__ import annotations

from dataclasses import replace

from datacell.algebra.plan import Map, Order, Plan


def rewrite(plan: Plan) -> Plan:
    return _seen(plan)


def _seen(plan: Plan) -> Plan:
    """The plan where the order of its rows matters."""
    match plan:
        case Order(child, ()):
            return _limited(plan, _seen(child))
        case Map(child):
            return plan.with_children([_seen(child)])
    return plan.with_children([_unseen(child) for child in plan.children])


def _unseen(plan: Plan) -> Plan:
    while isinstance(plan, Order) and plan.limit is None and not plan.offset:
        plan = plan.child
    return plan.with_children([_unseen(plan.child)]) if isinstance(plan, Map) else _seen(plan)


def _limited(limit: Order, child: Plan) -> Plan:
    below = child
    while isinstance(below, Map):
        below = below.child
    if not isinstance(below, Order):
        return limit.with_children([child])
    return _over(child, below, _both(below, limit))


def _over(plan: Plan, old: Order, new: Order) -> Plan:
    return new if plan is old else plan.with_children([_over(plan.children[0], old, new)])


def _both(first: Order, then: Order) -> Order:
    left = None if first.limit is None else max(first.limit - then.offset, 0)
    limits = [limit for limit in (left, then.limit) if limit is not None]
    return replace(first, limit=min(limits, default=None), offset=first.offset + then.offset)
