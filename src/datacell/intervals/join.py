"""⋈ of two relations with validities: pairs that satisfy the condition and overlap, valid in their intersection."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.delta_join import delta_join, overlap
from datacell.algebra.plan import Plan
from datacell.algebra.schema import Field
from datacell.intervals.validity import FROM, TO


def new_pairs(left: Sequence[Field], right: Sequence[Field], on: exp.Expr | None) -> Plan:
    """The pairs whose second row has just come."""
    conditions = [*(() if on is None else scalar.conjuncts(on)), *scalar.conjuncts(overlap((FROM, TO)))]
    return delta_join(left, right, scalar.conjoin(conditions), (FROM, TO))
