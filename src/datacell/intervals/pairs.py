"""⋈ of two relations with validities: pairs that satisfy the condition and overlap, valid in their intersection.

A pair is found when the second of its rows comes: new rows of the left meet all of the right, those of the left that
were there meet what is new of the right. A row is let go of when no later one can overlap with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Join, Map, Plan
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT
from datacell.intervals.validity import FROM, TO, VALIDITY, call, computed, condition, reading, union

LEFT_NEW, LEFT_OLD, RIGHT_NEW, RIGHT_ALL = "new left", "old left", "new right", "all right"
_FROM, _TO = f"{FROM}′", f"{TO}′"


def pairs(left: Sequence[Field], right: Sequence[Field], on: exp.Expr | None) -> Plan:
    """A fragment over what is new on either side and what was there."""
    return union([_meeting(LEFT_NEW, left, RIGHT_ALL, right, on), _meeting(LEFT_OLD, left, RIGHT_NEW, right, on)])


def _meeting(first: str, left: Sequence[Field], second: str, right: Sequence[Field], on: exp.Expr | None) -> Plan:
    overlap = condition("f < u AND g < t", f=FROM, t=TO, g=_FROM, u=_TO)
    parts = [] if on is None else list(scalar.conjuncts(on))
    joined = Join(
        reading(first, (*left, *VALIDITY)),
        _renamed(reading(second, (*right, *VALIDITY)), right),
        condition=scalar.conjoin([*parts, *scalar.conjuncts(overlap)]),
    )
    own = joined.schema.passing([f.name for f in (*left, *right)])
    return Map(joined, (*own, call(FROM, "greatest", FROM, _FROM), call(TO, "least", TO, _TO)))


def _renamed(plan: Plan, columns: Sequence[Field]) -> Plan:
    own = plan.schema.passing([f.name for f in columns])
    return Map(plan, (*own, computed(_FROM, "f", f=FROM), Named(_TO, scalar.column(TO), BIGINT)))
