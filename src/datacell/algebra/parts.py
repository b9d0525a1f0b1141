"""Aggregates by parts: what to compute of each part of the rows, how to combine it, how to finish.

For disjoint parts P₁ … Pₙ of the rows:  agg(P₁ ∪ … ∪ Pₙ)  =  finish(combine(partial(P₁), …, partial(Pₙ))).
Combining is associative and never subtracts. An aggregate that is not here has no parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from datacell.algebra import scalar, types
from datacell.algebra.schema import Named
from datacell.algebra.types import BIGINT, DOUBLE, Type

_COMBINED_BY_ITSELF = frozenset(
    {"min", "max", "bool_and", "every", "bool_or", "some", "any", "bit_and", "bit_or", "bit_xor"}
)


@dataclass(frozen=True)
class Parts:
    """An aggregate taken apart: `partials` over the rows, `combined` over the partials, `finish` over these."""

    partials: tuple[Named, ...]
    combined: tuple[Named, ...]
    finish: Named


def parts(aggregate: Named) -> Parts | None:
    """The parts of an aggregate column, or None if it has none."""
    call, condition = _call(aggregate.value)
    if call is None or any(isinstance(e, exp.Distinct) for e in call.expressions):
        return None
    name, type_ = aggregate.name, aggregate.type
    match call.name:
        case "count":
            return _of(aggregate, [_partial(name, call, condition, BIGINT)], ["sum"], coalesced=True)
        case "sum":
            return _of(aggregate, [_partial(name, call, condition, type_)], ["sum"])
        case function if function in _COMBINED_BY_ITSELF:
            return _of(aggregate, [_partial(name, call, condition, type_)], [function])
        case "avg" | "mean" if type_ == DOUBLE:
            return _average(aggregate, call, condition)
    return None


def all_parts(aggregates: Sequence[Named]) -> list[Parts] | None:
    """The parts of several aggregates, or None if one of them has none."""
    found = [p for a in aggregates if (p := parts(a)) is not None]
    return found if len(found) == len(aggregates) else None


def _average(aggregate: Named, call: exp.Anonymous, condition: exp.Expr | None) -> Parts:
    argument = exp.TryCast(this=call.expressions[0].copy(), to=types.to_sqlglot(DOUBLE))
    total = _partial(f"{aggregate.name}.sum", scalar.call("sum", argument), condition, DOUBLE)
    count = _partial(f"{aggregate.name}.count", scalar.call("count", call.expressions[0]), condition, BIGINT)
    some = exp.GT(this=scalar.column(count.name), expression=exp.Literal.number(0))
    mean = exp.Div(this=scalar.column(total.name), expression=scalar.column(count.name), typed=False, safe=True)
    finish = Named(aggregate.name, exp.Case(ifs=[exp.If(this=some, true=mean)]), DOUBLE)
    combined = tuple(_combined(p, "sum") for p in (total, count))
    return Parts((total, count), combined, finish)


def _of(aggregate: Named, partials: Sequence[Named], functions: Sequence[str], coalesced: bool = False) -> Parts:
    combined = tuple(_combined(p, f) for p, f in zip(partials, functions, strict=True))
    value: exp.Expr = scalar.column(combined[0].name)
    if coalesced:
        value = scalar.call("coalesce", value, exp.Literal.number(0))
    return Parts(tuple(partials), combined, Named(aggregate.name, value, aggregate.type))


def _combined(partial: Named, function: str) -> Named:
    value: exp.Expr = scalar.call(function, scalar.column(partial.name))
    if function == "sum" and partial.type.name == "decimal":
        value = exp.TryCast(this=value, to=types.to_sqlglot(partial.type))
    return Named(partial.name, value, partial.type)


def _partial(name: str, call: exp.Anonymous, condition: exp.Expr | None, type_: Type) -> Named:
    value: exp.Expr = call.copy()
    if condition is not None:
        value = exp.Filter(this=value, expression=exp.Where(this=condition.copy()))
    return Named(name, value, type_)


def _call(value: exp.Expr) -> tuple[exp.Anonymous | None, exp.Expr | None]:
    match value:
        case exp.Anonymous():
            return value, None
        case exp.Filter(this=exp.Anonymous() as call):
            return call, value.expression.this
    return None, None
