"""Combining partial rows: the same whether they come of slices, of blocks or of both sides of a window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from datacell.algebra.frames import among
from datacell.algebra.partial import Decomposition
from datacell.algebra.plan import Aggregate, Distinct, Group, Map, Over, Plan
from datacell.algebra.schema import Named


def combining(decompositions: Sequence[Decomposition]) -> tuple[Named, ...]:
    """The columns of partial rows, as calls that combine them."""
    return tuple(c for p in decompositions for c in p.combined)


def aligned(plan: Plan, by: Sequence[str], decompositions: Sequence[Decomposition]) -> Plan:
    """Partial rows made comparable within each group, so that their columns may be combined one by one."""
    if all(p.adds_up for p in decompositions):
        return plan
    references = tuple(replace(r, value=among(r.value, by)) for p in decompositions for r in p.references)
    seen = Over(plan, references) if references else plan
    changed = {a.name: a for p in decompositions for a in p.align}
    return Map(seen, tuple(changed.get(c.name, c) for c in plan.schema.passing()))


def folded(rows: Plan, by: Sequence[str], decompositions: Sequence[Decomposition]) -> Plan:
    """Partial rows that agree on `by` combined into one; rows without partial aggregates are only made distinct."""
    if not decompositions:
        return Distinct(rows)
    comparable = aligned(rows, by, decompositions)
    grouped = Group(comparable, comparable.schema.passing(by)) if by else comparable
    plan = Aggregate(grouped, combining(decompositions))
    return Map(plan, plan.schema.passing(rows.schema.names))
