"""α(γk(A ⋈ B)), decomposed, over sides that were aggregated before they meet.

Rows of A that agree in the columns by which A is joined and grouped meet the same rows of B. So each side is aggregated
by these columns first, within its slices, and counts its rows; where they meet, a sum of A counts once for each row of
B that it stands for. Nothing is lost where no rows agree: aggregating a slice is cheap beside joining it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.decompose import Decomposition
from datacell.algebra.plan import Aggregate, Group, Join, JoinKind, Map, Plan
from datacell.algebra.schema import Named
from datacell.algebra.types import BIGINT, DOUBLE
from datacell.incremental.flows import is_pair

_COUNT = "rows′"
_IDEMPOTENT = frozenset({"min", "max", "bool_and", "every", "bool_or", "some", "any", "bit_and", "bit_or"})


def aggregated_sides(flow: Plan, keys: Sequence[Named], decompositions: Sequence[Decomposition]) -> Plan | None:
    """The partial aggregate of a join over aggregated sides; None if some key or aggregate reads both."""
    if isinstance(flow, Map) and all(c.passes_through for c in flow.columns):
        return aggregated_sides(flow.child, keys, decompositions)
    if (
        not isinstance(flow, Join)
        or not is_pair(flow)
        or flow.kind is not JoinKind.INNER
        or not all(map(_adds_up, decompositions))
    ):
        return None
    sides = (flow.left, flow.right)
    partials = [(p, c) for found in decompositions for p, c in zip(found.partials, found.combined, strict=True)]
    owners = [o for p, _ in partials if (o := _owner(p.value, sides)) is not None]
    if len(owners) < len(partials) or any(_owner(k.value, sides) is None for k in keys):
        return None
    needed = _columns([*(k.value for k in keys), *([] if flow.condition is None else [flow.condition])])
    smaller = [
        _aggregated(side, needed, [p for (p, _), o in zip(partials, owners, strict=True) if o == i], f"{_COUNT}{i}")
        for i, side in enumerate(sides)
    ]
    joined = Join(smaller[0], smaller[1], JoinKind.INNER, flow.condition)
    met = tuple(_met(p, c, o) for (p, c), o in zip(partials, owners, strict=True))
    return Aggregate(Group(joined, tuple(keys)) if keys else joined, met)


def _adds_up(decomposition: Decomposition) -> bool:
    """Can every part be multiplied, or is it the same however often its rows count?"""
    functions = [_function(c) for c in decomposition.combined]
    types = [p.type for p in decomposition.partials]
    return decomposition.adds_up and all(
        f in _IDEMPOTENT or (f == "sum" and t in (BIGINT, DOUBLE)) for f, t in zip(functions, types, strict=True)
    )


def _owner(value: exp.Expr, sides: tuple[Plan, Plan]) -> int | None:
    """The side whose columns a value reads; the first if it reads none, None if it reads both."""
    read = scalar.columns(value)
    return next((i for i, side in enumerate(sides) if read <= frozenset(side.schema.names)), None)


def _columns(values: Iterable[exp.Expr]) -> frozenset[str]:
    return frozenset[str]().union(*map(scalar.columns, values))


def _aggregated(side: Plan, needed: frozenset[str], partials: Sequence[Named], count: str) -> Plan:
    keys = side.schema.passing([n for n in side.schema.names if n in needed])
    rows = Named(count, scalar.call("count", exp.Star()), BIGINT)
    return Aggregate(Group(side, keys) if keys else side, (*partials, rows))


def _met(partial: Named, combined: Named, owner: int) -> Named:
    """A partial result of one side, where it meets the other."""
    value: exp.Expr = scalar.column(partial.name)
    function = _function(combined)
    if function == "sum":
        value = exp.Mul(this=value, expression=scalar.column(f"{_COUNT}{1 - owner}"))
    return Named(partial.name, scalar.call(function, value), partial.type)


def _function(combined: Named) -> str:
    return combined.value.name
