"""Merging: what slices gave becomes what a window shows, at a cost that does not depend on how many slices there are.

A window over combinable rows is the end of one block combined with the beginning of the next, and both are running
combinations. So there is one operation, *running*: within each group, rows at steps t₁ ≤ t₂ ≤ …, and members that ask
for the combination of all rows up to their step. Prefixes run forward, suffixes backward. Nothing is ever subtracted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar, types
from datacell.algebra.parts import Parts
from datacell.algebra.plan import Aggregate, Distinct, Group, Join, Map, Over, Plan, Union
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT
from datacell.incremental.relations import Combination, fields, reading

AT, GROUP, STEP = "at′", "group′", "step′"
"""Columns of what is merged: the boundary that shows a row; the group it runs in and its step there."""

ROWS = "rows"
_FIRST, _RUN = "first′", "run′"


def shown_table(leaf: int) -> str:
    """The input with what is shown of a leaf."""
    return f"shown {leaf}"


def steps_table(leaf: int) -> str:
    """The input with the rows of a leaf that run."""
    return f"steps {leaf}"


def members_table(leaf: int) -> str:
    """The input with the members that ask for running combinations of a leaf."""
    return f"members {leaf}"


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
    rows = reading(ROWS, columns, fields(*apart))
    keys = (*combination.keys, *apart)
    if not combination.parts:
        return Distinct(rows)
    comparable = aligned(rows, keys, combination.parts)
    grouped = Group(comparable, comparable.schema.passing(keys)) if keys else comparable
    plan = Aggregate(grouped, _combining(combination))
    return Map(plan, plan.schema.passing(rows.schema.names))


def running(columns: tuple[Field, ...], combination: Combination, leaf: int, at: Field) -> Plan:
    """For each member the rows whose combination is that of its group up to its step; one per key.

    Every row is at a member's step, and no two members of a group share one. A member stands beside the rows of every
    key that has begun, and adds nothing to them: so each key has one row per step, which sees what has run so far.
    """
    rows = reading(steps_table(leaf), columns, fields(GROUP, STEP))
    members = reading(members_table(leaf), (at,), fields(f"{GROUP}m", f"{STEP}m"))
    keys = (GROUP, *combination.keys)
    first = Named(_FIRST, scalar.call("min", scalar.column(STEP)), BIGINT)
    begun = Aggregate(Group(Map(rows, rows.schema.passing((*keys, STEP))), rows.schema.passing(keys)), (first,))
    asked = Join(begun, members, condition=_has_begun())
    given = (*(f.name for f in columns), at.name)
    if not combination.parts:
        return Map(asked, asked.schema.passing(given))
    values = _combining(combination)
    asking = _asking(asked, columns, {v.name for v in values}, at)
    among = Union((Map(rows, (*rows.schema.passing(), _none(at))), asking))
    comparable = aligned(among, (*keys, STEP), combination.parts)
    met = Named(at.name, scalar.call("max", scalar.column(at.name)), at.type)
    steps = Aggregate(Group(comparable, comparable.schema.passing((*keys, STEP))), (*values, met))
    runs = Over(aligned(steps, keys, combination.parts), tuple(_running(v, keys) for v in values))
    finished = {v.name: replace(v, value=scalar.column(f"{v.name}{_RUN}")) for v in values}
    passed = {c.name: c for c in runs.schema.passing()}
    return Map(runs, tuple(finished.get(n) or passed[n] for n in given))


def _asking(asked: Plan, columns: tuple[Field, ...], parts: set[str], at: Field) -> Plan:
    """Members as rows that have nothing to add."""
    passed = {c.name: c for c in asked.schema.passing()}
    values = [_none(f) if f.name in parts else passed[f.name] for f in columns]
    place = (passed[GROUP], Named(STEP, scalar.column(f"{STEP}m"), BIGINT), passed[at.name])
    return Map(asked, (*values, *place))


def _none(field: Field) -> Named:
    return Named(field.name, exp.TryCast(this=exp.Null(), to=types.to_sqlglot(field.type)), field.type)


def _combining(combination: Combination) -> tuple[Named, ...]:
    return tuple(c for p in combination.parts for c in p.combined)


def _has_begun() -> exp.Expr:
    same = exp.EQ(this=scalar.column(GROUP), expression=scalar.column(f"{GROUP}m"))
    begun = exp.LTE(this=scalar.column(_FIRST), expression=scalar.column(f"{STEP}m"))
    return scalar.conjoin([same, begun])


def _running(value: Named, keys: Sequence[str]) -> Named:
    window = _over(value.value, keys)
    window.set("order", exp.Order(expressions=[exp.Ordered(this=scalar.column(STEP), nulls_first=True)]))
    spec = exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW")
    window.set("spec", spec)
    return Named(f"{value.name}{_RUN}", window, value.type)


def _over(call: exp.Expr, by: Sequence[str]) -> exp.Window:
    return exp.Window(this=call.copy(), partition_by=[scalar.column(b) for b in by], over="OVER")
