"""Merging: what slices gave becomes what a window shows, at a cost that does not depend on how many slices there are.

A window over combinable rows is the end of one block combined with the beginning of the next, and both are running
combinations. So there is one operation, *running*: within each group, rows at steps t₁ ≤ t₂ ≤ …, and members that ask
for the combination of all rows up to their step. Prefixes run forward, suffixes backward. Nothing is ever subtracted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.carry import same_value
from datacell.algebra.parts import Parts
from datacell.algebra.plan import Aggregate, Distinct, Group, Join, JoinKind, Map, Over, Plan
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT
from datacell.incremental.relations import Combination, fields, reading

AT, GROUP, STEP = "at′", "group′", "step′"
"""Columns of what is merged: the boundary that shows a row; the group it runs in and its step there."""

ROWS = "rows"
_FIRST, _SAME, _RUN = "first′", "same′", "run′"


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
    references = [r for p in parts for r in getattr(p, "references", ())]
    if not references:
        return plan
    seen = Over(plan, tuple(replace(r, value=_over(r.value, by)) for r in references))
    changed = {a.name: a for p in parts for a in p.align}
    return Map(seen, tuple(changed.get(c.name, c) for c in plan.schema.passing()))


def combined(rows: Plan, keys: Sequence[str], combination: Combination, within: Sequence[str]) -> Plan:
    """One row for each value of the keys; `within` are those of them in which rows are made comparable."""
    if not combination.parts:
        return Distinct(Map(rows, rows.schema.passing(keys)))
    group = Group(aligned(rows, within, combination.parts), rows.schema.passing(keys))
    return Aggregate(group, tuple(c for p in combination.parts for c in p.combined))


def folding(columns: tuple[Field, ...], combination: Combination, *apart: str) -> Plan:
    """A fragment that combines rows; those that differ in the columns `apart` are kept apart."""
    rows = reading(ROWS, columns, fields(*apart))
    keys = (*combination.keys, *apart)
    if not keys:
        return Aggregate(aligned(rows, (), combination.parts), _combining(combination))
    plan = combined(rows, keys, combination, keys)
    return Map(plan, plan.schema.passing(rows.schema.names))


def running(columns: tuple[Field, ...], combination: Combination, leaf: int, at: Field) -> Plan:
    """For each member the rows whose combination is that of its group up to its step; one per key."""
    rows = reading(steps_table(leaf), columns, fields(GROUP, STEP))
    members = reading(members_table(leaf), (at,), fields(f"{GROUP}m", f"{STEP}m"))
    keys = (GROUP, *combination.keys)
    first = Named(_FIRST, scalar.call("min", scalar.column(STEP)), BIGINT)
    begun = Aggregate(Group(Map(rows, rows.schema.passing((*keys, STEP))), rows.schema.passing(keys)), (first,))
    asked = Join(begun, members, condition=_has_begun())
    if not combination.parts:
        return Map(asked, asked.schema.passing((*(f.name for f in columns), at.name)))
    steps = combined(rows, (GROUP, STEP, *combination.keys), combination, keys)
    renamed = Map(steps, tuple(replace(c, name=_other(c.name, keys)) for c in steps.schema.passing()))
    same = [same_value(scalar.column(k), scalar.column(_other(k, keys))) for k in keys]
    same.append(exp.EQ(this=scalar.column(f"{STEP}m"), expression=scalar.column(_other(STEP, keys))))
    dense = Join(asked, renamed, JoinKind.LEFT, scalar.conjoin(same))
    values = _combining(combination)
    runs = Over(dense, tuple(_running(v, combination.keys) for v in values))
    finished = {v.name: replace(v, value=_outside(v)) for v in values}
    passed = {c.name: c for c in runs.schema.passing()}
    return Map(runs, tuple(finished.get(n) or passed[n] for n in (*(f.name for f in columns), at.name)))


def _combining(combination: Combination) -> tuple[Named, ...]:
    return tuple(c for p in combination.parts for c in p.combined)


def _other(name: str, keys: Sequence[str]) -> str:
    """Keys and steps stand on both sides of the join; parts only on one."""
    return f"{name}{_SAME}" if name in keys or name == STEP else name


def _has_begun() -> exp.Expr:
    same = exp.EQ(this=scalar.column(GROUP), expression=scalar.column(f"{GROUP}m"))
    begun = exp.LTE(this=scalar.column(_FIRST), expression=scalar.column(f"{STEP}m"))
    return scalar.conjoin([same, begun])


def _running(value: Named, keys: Sequence[str]) -> Named:
    call = value.value.find(exp.Anonymous)
    assert call is not None
    window = _over(call, (GROUP, *keys))
    step = exp.Ordered(this=scalar.column(f"{STEP}m"), nulls_first=True)
    window.set("order", exp.Order(expressions=[step]))
    spec = exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW")
    window.set("spec", spec)
    return Named(f"{value.name}{_RUN}", window, value.type)


def _outside(value: Named) -> exp.Expr:
    """What stands around the call of a combining aggregate, over its running value."""

    def change(node: exp.Expr) -> exp.Expr | None:
        return scalar.column(f"{value.name}{_RUN}") if isinstance(node, exp.Anonymous) else None

    return scalar.replace(value.value, change)


def _over(call: exp.Expr, by: Sequence[str]) -> exp.Window:
    return exp.Window(this=call.copy(), partition_by=[scalar.column(b) for b in by], over="OVER")
