"""⋈ of two relations with validities: pairs that satisfy the condition and overlap, valid in their intersection."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.delta_join import Later, delta_join, overlap
from datacell.algebra.plan import Plan
from datacell.algebra.schema import Field
from datacell.intervals.validity import FROM, TO

OTHER_END = "other end′"
"""Of a pair, when the row ends that ends later: it may be open, and turn out to end first."""


def new_pairs(left: Sequence[Field], right: Sequence[Field], on: exp.Expr | None, may_be_open: bool = False) -> Plan:
    """The pairs whose second row has just come."""
    conditions = [*(() if on is None else scalar.conjuncts(on)), *scalar.conjuncts(overlap((FROM, TO)))]
    later = (Later(OTHER_END, TO),) if may_be_open else ()
    return delta_join(left, right, scalar.conjoin(conditions), (FROM, TO), later)
