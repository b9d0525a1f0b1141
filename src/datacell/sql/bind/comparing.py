"""Values of unlike types compared as Spark does, said aloud, so that every engine does the same.

A comparison is of two types, and ``x BETWEEN a AND b`` is two comparisons; ``x IN (a, b)`` is of one type for all, in
which each value has its place: beside text all are text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from sqlglot import exp

from datacell.algebra.types import Type, is_number
from datacell.sql.bind.coercing import cast, comparison_type, list_type, needs_cast
from datacell.sql.bind.context import Typed

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ)


def compared(node: exp.Expr, operands: Sequence[Typed]) -> exp.Expr:
    """The same node, with the casts that a comparison has; what compares nothing as it is."""
    if not isinstance(node, (*_COMPARISONS, exp.Between, exp.In)):
        return node
    given = [operand.type for operand in operands]
    if isinstance(node, exp.Between) and _is_of_two_types(given):
        return _two_comparisons(*operands)
    target = _compared_in(node, given)
    by_value = {id(o.value): o for o in operands}
    for child in list(node.iter_expressions()):
        own = by_value.get(id(child))
        if own is not None and needs_cast(own.type, target):
            child.replace(cast(child.copy(), target))
    return node


def _compared_in(node: exp.Expr, given: Sequence[Type]) -> Type:
    if isinstance(node, exp.In) and (found := list_type(given)) is not None:
        return found
    return reduce(lambda target, other: comparison_type(target, other) or target, given)


def _is_of_two_types(given: Sequence[Type]) -> bool:
    """Are the ends compared in two types? Numbers are compared as they are."""
    value, *ends = given
    return len({comparison_type(value, end) for end in ends}) > 1 and not all(map(is_number, given))


def _two_comparisons(value: Typed, low: Typed, high: Typed) -> exp.Expr:
    """BETWEEN, whose ends may be of different types."""
    made = []
    for kind, end in ((exp.GTE, low), (exp.LTE, high)):
        sides = [Typed(side.value.copy(), side.type) for side in (value, end)]
        made.append(compared(kind(this=sides[0].value, expression=sides[1].value), sides))
    return exp.Paren(this=exp.And(this=made[0], expression=made[1]))
