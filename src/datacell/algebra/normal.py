"""Normal form: what remains of a query when it does not matter what things are called, and how its filters are ordered.

Two queries with the same normal form have the same answers over the same streams, under the same names of columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from datacell.algebra import scalar, tree
from datacell.algebra.plan import Filter, Plan
from datacell.algebra.query import Emission, Query
from datacell.algebra.rename import canonical
from datacell.errors import PlanError


@dataclass(frozen=True)
class Normal:
    """What decides the answers of a query."""

    plan: Plan
    emission: Emission
    names: tuple[str, ...]
    """Of the plan's columns, in it and as people get them."""


def normal(query: Query, plan: Plan | None = None, read: Callable[[str], str] = str) -> Normal:
    """The normal form of a query, or of another plan for it. Conditions are put in the order in which they are read."""
    names, whole = (*query.plan.schema.names, *query.names), query.plan if plan is None else plan
    try:
        renamed = canonical(whole)
    except PlanError:  # an operator that cannot be renamed: then the query is equal only to one with the same names
        renamed = whole
    return Normal(tree.transform_up(renamed, lambda node: _ordered(node, read)), query.emission, names)


def may_share(query: Query) -> bool:
    """Does nothing but its streams decide what it answers, so that one that asks the same may be answered with it?"""
    return tree.has_stream(query.plan) and not tree.table_names(query.plan)


def _ordered(node: Plan, read: Callable[[str], str]) -> Plan:
    """The conditions of a filter in one order, each once."""
    if not isinstance(node, Filter):
        return node
    parts = {scalar.show(part): part for part in scalar.conjuncts(node.predicate)}
    conditions: list[exp.Expr] = [parts[text] for text in sorted(parts, key=lambda text: (read(text), text))]
    return replace(node, predicate=scalar.conjoin(conditions))
