"""Decomposing aggregates: what to compute of each part of the rows, how to combine it, how to finish.

For disjoint parts P₁ … Pₙ of the rows:  agg(P₁ ∪ … ∪ Pₙ)  =  finish(combine(align(partial(P₁), …, partial(Pₙ)))).
Combining is columnwise and associative, never subtracts, and what it gives can be combined again with others. An
aggregate that is not here cannot be decomposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from datacell.algebra import moments, scalar, types
from datacell.algebra.partial import Call, call_of, cast, combined, formula, paired
from datacell.algebra.partial import Decomposition as Decomposition
from datacell.algebra.partial import call_and_condition as call_and_condition
from datacell.algebra.schema import Named, Schema
from datacell.algebra.types import BIGINT, BOOLEAN, DOUBLE, MAX_PRECISION, Type, decimal

_IDEMPOTENT = frozenset({"min", "max", "bool_and", "every", "bool_or", "some", "any", "bit_and", "bit_or"})
_COUNTS = frozenset({"count", "count_if", "regr_count"})
_BEST = {"min_by": "min", "max_by": "max"}
_AVERAGED_DIGITS = 14
"""Spark rounds an average of decimals once. Here it is rounded twice, first to 24 digits less those of the values: the
second rounding can only differ if a group has 10 ** (24 - 14) rows."""


def decompose(aggregate: Named, rows: Schema | None = None) -> Decomposition | None:
    """How an aggregate column is decomposed, or None if it cannot be.

    The columns of the rows are needed by min_by and max_by only, which keep the value that they order by.
    """
    call = call_of(aggregate)
    if call is not None and call.function in _IDEMPOTENT:
        call = _without_distinct(call)
    if call is None or any(isinstance(a, exp.Distinct) for a in call.arguments):
        return None
    match call.function:
        case function if function in _IDEMPOTENT or function == "bit_xor":
            return _single(call, function)
        case function if function in _COUNTS:
            counted = scalar.call("coalesce", scalar.column(call.name), exp.Literal.number(0))
            return replace(_single(call, "sum"), finish=call.finished(counted))
        case "sum" | "try_sum":
            return _sum(call)
        case "avg" | "mean" | "try_avg":
            return _average(call, call.arguments[0])
        case "regr_avgx" | "regr_avgy":
            y, x = call.arguments
            value, other = (x, y) if call.function == "regr_avgx" else (y, x)
            return _average(call, paired(value, cast(other, DOUBLE)))
        case "min_by" | "max_by":
            return _best(call, rows)
    return moments.decompose(call)


def decompose_all(aggregates: Sequence[Named]) -> list[Decomposition] | None:
    """Several aggregates decomposed, or None if one of them cannot be, or not so that its partials add up."""
    found = [p for a in aggregates if (p := decompose(a)) is not None and p.adds_up]
    return found if len(found) == len(aggregates) else None


def _single(call: Call, function: str) -> Decomposition:
    partial = Named(call.name, call.itself(), call.type)
    return Decomposition((partial,), (combined(function, partial),), call.finished(scalar.column(call.name)))


def _sum(call: Call) -> Decomposition:
    if call.type.name == "decimal":
        return _sum_that_may_be_lost(call) if call.type.precision == MAX_PRECISION else _sum_of_decimals(call)
    if call.function == "try_sum" and call.type != DOUBLE:
        return _sum_that_may_be_lost(call)
    return _single(call, call.function)


def _sum_of_decimals(call: Call) -> Decomposition:
    total = _total(call.name, call.itself(), call.type.scale)
    return Decomposition((total,), (combined("sum", total),), call.finished(cast(scalar.column(total.name), call.type)))


def _total(name: str, value: exp.Expr, scale: int) -> Named:
    """Of decimals with all digits there are: then a sum of sums has no more, and needs no cast."""
    longest = decimal(MAX_PRECISION, scale)
    return Named(name, cast(value, longest), longest)


def _sum_that_may_be_lost(call: Call) -> Decomposition:
    """A sum beyond its type is NULL; others are then added to it, and it must be NULL still."""
    total = Named(call.label("sum"), call.itself(), call.type)
    count = Named(call.label("n"), call.over_rows("count", *call.arguments), BIGINT)
    lost = Named(call.label("lost"), exp.false(), BOOLEAN)
    s, n, before = (scalar.column(c.name) for c in (total, count, lost))
    now = formula("before OR (n > 0 AND s IS NULL)", before=before, n=n, s=s)
    return Decomposition(
        (total, count, lost),
        (combined(call.function, total), combined("sum", count), combined("bool_or", lost)),
        call.finished(formula("CASE WHEN NOT before THEN s END", before=before, s=s)),
        align=(Named(lost.name, now, BOOLEAN),),
    )


def _average(call: Call, value: exp.Expr) -> Decomposition | None:
    if call.type == DOUBLE:
        value = cast(value, DOUBLE)
        total = Named(call.label("sum"), call.over_rows("sum", value), DOUBLE)
        return _mean(call, total, value, scalar.column(total.name))
    digits, scale = call.type.precision - 4, call.type.scale - 4
    if call.type.name == "decimal" and digits <= _AVERAGED_DIGITS:
        total = _total(call.label("sum"), call.over_rows("sum", value), scale)
        found = _mean(call, total, value, cast(scalar.column(total.name), decimal(digits + 10, scale)))
        return replace(found, finish=call.finished(cast(found.finish.value, call.type)))
    return None


def _mean(call: Call, total: Named, value: exp.Expr, whole: exp.Expr) -> Decomposition:
    count = Named(call.label("count"), call.over_rows("count", value), BIGINT)
    mean = formula("CASE WHEN n > 0 THEN whole / n END", whole=whole, n=scalar.column(count.name))
    return Decomposition((total, count), (combined("sum", total), combined("sum", count)), call.finished(mean))


def _best(call: Call, rows: Schema | None) -> Decomposition | None:
    if len(call.arguments) != 2:
        return None
    order_type = _type(call.arguments[1], rows)
    if order_type is None:
        return None
    value = Named(call.label("value"), call.itself(), call.type)
    order = Named(call.label("order"), call.over_rows(_BEST[call.function], call.arguments[1]), order_type)
    better = (combined(call.function, value, order), combined(_BEST[call.function], order))
    return Decomposition((value, order), better, call.finished(scalar.column(value.name)))


def _type(value: exp.Expr, rows: Schema | None) -> Type | None:
    """The type of a value, where it is plain to see."""
    match value.unnest():
        case exp.Column(name=name) if rows is not None and name in rows:
            return rows.type(name)
        case exp.Cast() as found:
            return types.of_sqlglot(found.args["to"])
    return None


def _without_distinct(call: Call) -> Call:
    """It makes no difference where a value counts once anyway."""
    match call.arguments:
        case (exp.Distinct() as distinct,):
            return replace(call, arguments=tuple(distinct.expressions))
    return call
