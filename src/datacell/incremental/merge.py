"""Merging: what slices gave becomes what a window shows, at a cost that does not depend on how many slices there are.

A window over combinable rows is the end of one block combined with the beginning of the next, and both are running
combinations (`incremental.running`). Here is what these are made of: partial rows that are made comparable, and folded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.parts import Parts
from datacell.algebra.plan import Aggregate, Distinct, Group, Input, Map, Over, Plan
from datacell.algebra.schema import Field, Named
from datacell.incremental.inputs import ROWS
from datacell.incremental.relations import Combination, fields

AT = "at′"
"""The boundary that shows a row."""


def aligned(plan: Plan, by: Sequence[str], parts: Sequence[Parts]) -> Plan:
    """Partial rows made comparable within each group, so that their columns may be combined one by one."""
    if all(p.adds_up for p in parts):
        return plan
    references = tuple(replace(r, value=_over(r.value, by)) for p in parts for r in p.references)
    seen = Over(plan, references) if references else plan
    changed = {a.name: a for p in parts for a in p.align}
    return Map(seen, tuple(changed.get(c.name, c) for c in plan.schema.passing()))


def folding(columns: tuple[Field, ...], combination: Combination, *apart: str) -> Plan:
    """A fragment that combines rows; those that differ in the columns `apart` are kept apart."""
    return folded(Input(ROWS, (*columns, *fields(*apart))), combination, apart)


def folded(rows: Plan, combination: Combination, apart: tuple[str, ...]) -> Plan:
    """Rows combined by their keys; those that differ in the columns `apart` are kept apart."""
    keys = (*combination.keys, *apart)
    if not combination.parts:
        return Distinct(rows)
    comparable = aligned(rows, keys, combination.parts)
    grouped = Group(comparable, comparable.schema.passing(keys)) if keys else comparable
    plan = Aggregate(grouped, combining(combination))
    return Map(plan, plan.schema.passing(rows.schema.names))


def combining(combination: Combination) -> tuple[Named, ...]:
    """The calls that combine the columns of partial rows."""
    return tuple(c for p in combination.parts for c in p.combined)


def in_order(call: exp.Expr, keys: Sequence[str], position: str) -> exp.Window:
    """A function over the rows of each key, in the order of a column."""
    window = _over(call, keys)
    window.set("order", exp.Order(expressions=[exp.Ordered(this=scalar.column(position), nulls_first=True)]))
    return window


def _over(call: exp.Expr, by: Sequence[str]) -> exp.Window:
    return exp.Window(this=call.copy(), partition_by=[scalar.column(b) for b in by], over="OVER")
