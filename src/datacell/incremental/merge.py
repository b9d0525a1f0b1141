"""Merging: what slices gave becomes what a window shows, at a cost that does not depend on how many slices there are.

A window over combinable rows is the end of one block combined with the beginning of the next, and both are running
combinations: within each group, rows at steps t₁ ≤ t₂ ≤ …, and members that ask for the combination of all rows up to
their step. Prefixes run forward, suffixes backward. Nothing is ever subtracted. A group is named by the step at which
it ends, and no two groups have steps in common.

There are two ways to say it. *Running* sorts: what has run up to a row is shown until the next. *Covering* joins: steps
are put together to spans, spans to larger ones, and every member asks for the few spans that cover what it shows.
Which is faster is for engines to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.parts import Parts
from datacell.algebra.plan import Aggregate, Distinct, Group, Join, Map, Over, Plan, Unfold, Union
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT
from datacell.incremental.relations import Combination, fields, reading

AT, GROUP, STEP = "at′", "group′", "step′"
"""Columns of what is merged: the boundary that shows a row; the group it runs in and its step there."""

ROWS = "rows"
MEMBER = "member′"
"""The step at which a member asks, or a span that it asks for."""

SPAN = "span′"
"""A span that a step is in; every step is also a span of its own."""

_RUN, _NEXT, _SHOWN = "run′", "next′", "shown′"


def shown_table(leaf: int) -> str:
    """The input with what is shown of a leaf."""
    return f"shown {leaf}"


def steps_table(leaf: int) -> str:
    """The input with the rows of a leaf that run."""
    return f"steps {leaf}"


def members_table(leaf: int) -> str:
    """The input with the members that ask for running combinations of a leaf."""
    return f"members {leaf}"


def spans_table(leaf: int) -> str:
    """The input with the larger spans that the steps of a leaf are in."""
    return f"spans {leaf}"


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
    return _folded(reading(ROWS, columns, fields(*apart)), combination, apart)


def running(columns: tuple[Field, ...], combination: Combination, leaf: int, at: Field, *, folds: bool = False) -> Plan:
    """For each member the rows whose combination is that of its group up to its step; one per key.

    What has run up to a row of a key is what every step shows from there on, until the key's next row or the end of
    the group. Of rows at the same step only the last one is shown at any; if there are many, it is better to fold them
    first.
    """
    rows = reading(steps_table(leaf), columns, fields(GROUP, STEP))
    rows = _folded(rows, combination, (GROUP, STEP)) if folds else rows
    members = reading(members_table(leaf), (at,), fields(MEMBER))
    keys = (*combination.keys, GROUP)
    values = _combining(combination)
    next_row = Named(_NEXT, _in_order(scalar.call("lead", scalar.column(STEP)), keys), BIGINT)
    runs = Over(aligned(rows, keys, combination.parts), (*(_running(v, keys) for v in values), next_row))
    until = scalar.call("coalesce", scalar.column(_NEXT), scalar.column(GROUP))
    shown = Unfold(runs, scalar.column(STEP), until, _SHOWN)
    asked = Join(shown, members, condition=exp.EQ(this=scalar.column(_SHOWN), expression=scalar.column(MEMBER)))
    finished = {v.name: replace(v, value=scalar.column(f"{v.name}{_RUN}")) for v in values}
    passed = {c.name: c for c in asked.schema.passing()}
    return Map(asked, tuple(finished.get(n) or passed[n] for n in (*(f.name for f in columns), at.name)))


def covering(columns: tuple[Field, ...], combination: Combination, leaf: int, at: Field) -> Plan:
    """For each member the rows of the spans it asks for, whose combination is that of its group up to its step."""
    rows = reading(steps_table(leaf), columns, fields(STEP))
    members = reading(members_table(leaf), (at,), fields(MEMBER))
    larger = reading(spans_table(leaf), (), (*fields(MEMBER), *fields(SPAN)))
    inside = Join(rows, larger, condition=exp.EQ(this=scalar.column(STEP), expression=scalar.column(MEMBER)))
    kept = inside.schema.passing([f.name for f in columns])
    spans = _folded(Map(inside, (*kept, Named(STEP, scalar.column(SPAN), BIGINT))), combination, (STEP,))
    together = Union((rows, spans))
    asked = Join(together, members, condition=exp.EQ(this=scalar.column(STEP), expression=scalar.column(MEMBER)))
    return Map(asked, asked.schema.passing((*(f.name for f in columns), at.name)))


def _folded(rows: Plan, combination: Combination, apart: tuple[str, ...]) -> Plan:
    keys = (*combination.keys, *apart)
    if not combination.parts:
        return Distinct(rows)
    comparable = aligned(rows, keys, combination.parts)
    grouped = Group(comparable, comparable.schema.passing(keys)) if keys else comparable
    plan = Aggregate(grouped, _combining(combination))
    return Map(plan, plan.schema.passing(rows.schema.names))


def _combining(combination: Combination) -> tuple[Named, ...]:
    return tuple(c for p in combination.parts for c in p.combined)


def _running(value: Named, keys: Sequence[str]) -> Named:
    """The combination of all rows of the key so far; in the same order in which `lead` looks for the next."""
    window = _in_order(value.value, keys)
    window.set("spec", exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW"))
    return Named(f"{value.name}{_RUN}", window, value.type)


def _in_order(call: exp.Expr, keys: Sequence[str]) -> exp.Window:
    window = _over(call, keys)
    window.set("order", exp.Order(expressions=[exp.Ordered(this=scalar.column(STEP), nulls_first=True)]))
    return window


def _over(call: exp.Expr, by: Sequence[str]) -> exp.Window:
    return exp.Window(this=call.copy(), partition_by=[scalar.column(b) for b in by], over="OVER")
