"""An aggregate decomposed: what is done per slice, and how that is put together.

Functions that can be decomposed are (`algebra.decompose`). For a function that asks only which values there are, the
values are further keys of the pieces, and the function is asked of them in the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.combining import aligned
from datacell.algebra.decompose import Decomposition, call_and_condition, decompose
from datacell.algebra.plan import Aggregate, Group, Map, Plan
from datacell.algebra.schema import Named
from datacell.algebra.types import Type

_APPROXIMATE = "approx_count_distinct"
_ANY = frozenset({"any_value", "first", "first_value", "last", "last_value"})
"""These see NULLs, so a value that a FILTER leaves out must not become one."""


def decomposed(plan: Aggregate, child: Plan) -> DecomposedAggregate | None:
    """The aggregate decomposed, or None if one of its functions cannot be."""
    if any(map(scalar.reads_boundary, plan.expressions())):
        return None
    found: list[Decomposition] = []
    values: dict[exp.Expr, Named] = {}
    for aggregate in plan.aggregates:
        taken, about = decompose(aggregate, child.schema), _about(aggregate.value)
        if taken is not None:
            found.append(taken)
        elif about is not None and all(_type(v, child) is not None for v in about.values):
            for value in about.values:
                type_ = _type(value, child)
                assert type_ is not None
                values.setdefault(value, Named(f"{aggregate.name}.value{len(values)}", value, type_))
        else:
            return None
    keys = tuple(k for k in plan.keys if not scalar.reads_boundary(k.value))
    if not (keys or values or found):
        return None
    shown = "distinct values" if values and not found else "partial aggregates"
    return DecomposedAggregate(keys, tuple(values.values()), tuple(found), shown if plan.aggregates else "keys")


@dataclass(frozen=True)
class DecomposedAggregate:
    """Its keys that rows have, the values that DISTINCT is about, and how the other functions are decomposed."""

    keys: tuple[Named, ...]
    values: tuple[Named, ...]
    decompositions: tuple[Decomposition, ...]
    shown: str

    def partial(self, child: Plan) -> Plan:
        partials = tuple(p for found in self.decompositions for p in found.partials)
        keys = (*self.keys, *self.values)
        return Aggregate(Group(child, keys) if keys else child, partials)

    def whole(self, plan: Aggregate, pieces: Plan) -> Plan:
        """The aggregate over the pieces that slices gave."""
        names = [k.name for k in self.keys]
        rows = aligned(pieces, names, self.decompositions)
        keys = tuple(replace(k, value=scalar.column(k.name)) if k.name in names else k for k in plan.keys)
        finished = {p.finish.name: p.finish for p in self.decompositions}
        distinct = [self._over_values(a) for a in plan.aggregates if a.name not in finished]
        combined = tuple(c for p in self.decompositions for c in p.combined)
        whole = Aggregate(Group(rows, keys) if keys else rows, (*combined, *distinct))
        given = {n.name: n for n in whole.schema.passing()}
        return Map(whole, tuple(finished.get(f.name, given.get(f.name)) for f in plan.schema))  # type: ignore[misc]

    def _over_values(self, aggregate: Named) -> Named:
        """The aggregate with what DISTINCT is about read from the pieces."""
        about = _about(aggregate.value)
        assert about is not None
        names = {v.value: v.name for v in self.values}
        return replace(aggregate, value=about.over([scalar.column(names[v]) for v in about.values]))


@dataclass(frozen=True)
class _About:
    """An aggregate whose answer depends only on which values there are, not on how often."""

    call: exp.Anonymous
    values: tuple[exp.Expr, ...]

    def over(self, columns: Sequence[exp.Expr]) -> exp.Expr:
        distinct = exp.Distinct(expressions=list(columns))
        if self.call.name == _APPROXIMATE:
            return scalar.call(_APPROXIMATE, *columns, *self.call.expressions[1:])
        return exp.Anonymous(this=self.call.this, expressions=[distinct])


def _about(value: exp.Expr) -> _About | None:
    call, condition = call_and_condition(value)
    if call is None:
        return None
    first = call.expressions[0] if call.expressions else None
    if isinstance(first, exp.Distinct) and call.name not in _ANY:
        arguments = first.expressions
    elif call.name == _APPROXIMATE and first is not None:
        arguments = [first]
    else:
        return None
    return _About(call, tuple(_where(condition, a) for a in arguments))


def _where(condition: exp.Expr | None, value: exp.Expr) -> exp.Expr:
    return value if condition is None else exp.Case(ifs=[exp.If(this=condition.copy(), true=value.copy())])


def _type(value: exp.Expr, over: Plan) -> Type | None:
    """The type of a value, where it is plain to see."""
    match value:
        case exp.Column():
            return over.schema.type(value.name)
        case exp.Case():
            return _type(value.args["ifs"][0].args["true"], over)
    return None
