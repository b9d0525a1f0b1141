"""δ(A)  =  A  where no row of A can be there twice: its groups are told apart by their keys, and all keys are kept.

δ(A) ⋈ δ(B), δ(A) − B, δ(A) ∩ B and δ(A) ∪max δ(B) are such. An outer join of both sides is not: a row of NULLs may
come of either.
"""

from __future__ import annotations

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import (
    Aggregate,
    Difference,
    Distinct,
    Filter,
    Intersection,
    Join,
    JoinKind,
    Map,
    MaxUnion,
    Order,
    Over,
    Plan,
    SetOperation,
    StrictDifference,
)

Key = frozenset[str]


def rewrite(node: Plan) -> Plan:
    match node:
        case Distinct(child) if _key(child) is not None:
            return child
    return node


def _key(plan: Plan) -> Key | None:
    """Columns that no two rows of the result share, or None if there need not be any."""
    match plan:
        case Aggregate():
            return frozenset(k.name for k in plan.keys)
        case Distinct():
            return frozenset(plan.schema.names)
        case Filter(child) | Order(child) | Over(child):
            return _key(child)
        case Join(left, kind=JoinKind.SEMI | JoinKind.ANTI):
            return _key(left)
        case Join(left, right, JoinKind.INNER | JoinKind.LEFT | JoinKind.RIGHT):
            return _together(_key(left), _key(right))
        case SetOperation() if _is_distinct(plan):
            return frozenset(plan.schema.names)
        case Map(child):
            return _renamed(_key(child), plan)
    return None


def _is_distinct(plan: SetOperation) -> bool:
    match plan:
        case StrictDifference():
            return True
        case Difference(left):
            return _key(left) is not None
        case Intersection(left, right):
            return _key(left) is not None or _key(right) is not None
        case MaxUnion(left, right):
            return _key(left) is not None and _key(right) is not None
    return False


def _together(left: Key | None, right: Key | None) -> Key | None:
    """A pair of rows is told apart by the keys of both."""
    return None if left is None or right is None else left | right


def _renamed(key: Key | None, plan: Map) -> Key | None:
    kept = {
        c.value.name: c.name for c in plan.columns if isinstance(c.value, exp.Column) and not scalar.is_outer(c.value)
    }
    return None if key is None or not key <= kept.keys() else frozenset(kept[name] for name in key)
