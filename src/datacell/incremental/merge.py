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

from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.combining import aligned, combining, folded
from datacell.algebra.plan import Join, Map, Over, Plan, Unfold, Union
from datacell.algebra.running import following, so_far
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


def folding(columns: tuple[Field, ...], combination: Combination, *apart: str) -> Plan:
    """A fragment that combines rows; those that differ in the columns `apart` are kept apart."""
    return folded(reading(ROWS, columns, fields(*apart)), (*combination.keys, *apart), combination.parts)


def running(columns: tuple[Field, ...], combination: Combination, leaf: int, at: Field, *, folds: bool = False) -> Plan:
    """For each member the rows whose combination is that of its group up to its step; one per key.

    What has run up to a row of a key is what every step shows from there on, until the key's next row or the end of
    the group. Of rows at the same step only the last one is shown at any; if there are many, it is better to fold them
    first.
    """
    rows = reading(steps_table(leaf), columns, fields(GROUP, STEP))
    rows = folded(rows, (*combination.keys, GROUP, STEP), combination.parts) if folds else rows
    members = reading(members_table(leaf), (at,), fields(MEMBER))
    keys = (*combination.keys, GROUP)
    values = combining(combination.parts)
    runs_to = tuple(Named(f"{v.name}{_RUN}", so_far(v.value, keys, (STEP,)), v.type) for v in values)
    next_row = Named(_NEXT, following(STEP, keys, (STEP,)), BIGINT)
    runs = Over(aligned(rows, keys, combination.parts), (*runs_to, next_row))
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
    named = Map(inside, (*kept, Named(STEP, scalar.column(SPAN), BIGINT)))
    spans = folded(named, (*combination.keys, STEP), combination.parts)
    together = Union((rows, spans))
    asked = Join(together, members, condition=exp.EQ(this=scalar.column(STEP), expression=scalar.column(MEMBER)))
    return Map(asked, asked.schema.passing((*(f.name for f in columns), at.name)))
