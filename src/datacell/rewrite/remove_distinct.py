"""δ(A)  =  A  where no row of A can be there twice: its groups are told apart by their keys, and all keys are kept."""

from __future__ import annotations

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Aggregate, Distinct, Filter, Join, JoinKind, Map, Order, Over, Plan, StrictDifference

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
        case Distinct() | StrictDifference():
            return frozenset(plan.schema.names)
        case Filter(child) | Order(child) | Over(child):
            return _key(child)
        case Join(left, kind=JoinKind.SEMI | JoinKind.ANTI):
            return _key(left)
        case Map(child):
            return _renamed(_key(child), plan)
    return None


def _renamed(key: Key | None, plan: Map) -> Key | None:
    kept = {
        c.value.name: c.name for c in plan.columns if isinstance(c.value, exp.Column) and not scalar.is_outer(c.value)
    }
    return None if key is None or not key <= kept.keys() else frozenset(kept[name] for name in key)
