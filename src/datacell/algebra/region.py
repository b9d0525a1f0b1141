"""Regions: the rows for which a predicate may be true, as far as comparisons of columns with constants tell.

The law: a row for which the predicate is true lies in its region. So where two regions have no row in common, no row is
wanted by both predicates. What is not understood says nothing, and a region without bounds has every row.

A region is a union of boxes; a box bounds some columns, each by intervals of constants and by whether it may be NULL.
Constants are compared only where there is no doubt: whole numbers, doubles of up to fifteen digits (NaN is the
greatest, as in Spark), strings, booleans, and dates and instants that are written in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from math import ceil, floor
from typing import Any, TypeAlias

from sqlglot import exp

from datacell.algebra.constants import WHOLE, Constant, constant
from datacell.algebra.schema import Schema
from datacell.algebra.types import Type

MOST_BOXES = 64
"""A predicate of more alternatives is not understood."""


@dataclass(frozen=True, order=True)
class Bound:
    """Where an interval ends: at a constant, which is in it or not."""

    value: Any
    is_in: bool


@dataclass(frozen=True)
class Interval:
    """The values from one bound to another; None is none. Without an upper bound NaN is in it."""

    low: Bound | None = None
    high: Bound | None = None

    @property
    def is_empty(self) -> bool:
        if self.low is None or self.high is None:
            return False
        both = self.low.is_in and self.high.is_in
        return self.low.value > self.high.value or (self.low.value == self.high.value and not both)

    def meet(self, other: Interval) -> Interval:
        return Interval(_tighter(self.low, other.low, 1), _tighter(self.high, other.high, -1))


@dataclass(frozen=True)
class Values:
    """What a column may be."""

    intervals: tuple[Interval, ...]
    null: bool = False

    @property
    def is_empty(self) -> bool:
        return not self.intervals and not self.null

    def meet(self, other: Values) -> Values:
        found = (a.meet(b) for a, b in product(self.intervals, other.intervals))
        return Values(tuple(one for one in found if not one.is_empty), self.null and other.null)


Box: TypeAlias = Mapping[str, Values]
"""What columns may be, all at once; one that is not there may be anything."""

Region: TypeAlias = tuple[Box, ...]

EVERYTHING: Region = ({},)
NOTHING: Region = ()
_NULL, _NOT_NULL = Values((), null=True), Values((Interval(),))


def region(predicate: exp.Expr, schema: Schema) -> Region:
    """Where the predicate may be true, over rows with these columns."""
    types = {f.name: f.type for f in schema}
    return _true(predicate, types)


def meet(one: Region, other: Region) -> Region:
    """What lies in both; if that has too many boxes, what lies in the one."""
    found = [box for a, b in product(one, other) if (box := _meet(a, b)) is not None]
    return tuple(found) if len(found) <= MOST_BOXES else one


def join(regions: Iterable[Region]) -> Region:
    """What lies in any of them."""
    found = tuple(box for one in regions for box in one)
    return found if len(found) <= MOST_BOXES and {} not in found else EVERYTHING


def is_disjoint(one: Region, other: Region) -> bool:
    """Is there no row that could lie in both?"""
    return all(_meet(a, b) is None for a, b in product(one, other))


def _meet(one: Box, other: Box) -> Box | None:
    both = dict(one)
    for name, values in other.items():
        both[name] = values.meet(both[name]) if name in both else values
    return None if any(values.is_empty for values in both.values()) else both


_Types: TypeAlias = Mapping[str, Type]


def _true(node: exp.Expr, types: _Types) -> Region:
    """Where it may be true. By three-valued logic NOT p is true where p is false."""
    match node.unnest():
        case exp.And(this=left, expression=right):
            return meet(_true(left, types), _true(right, types))
        case exp.Or(this=left, expression=right):
            return join((_true(left, types), _true(right, types)))
        case exp.Not(this=inner):
            return _false(inner, types)
        case exp.Boolean(this=value):
            return EVERYTHING if value else NOTHING
        case exp.Null():
            return NOTHING
        case bare:
            return _boxes(bare, types, is_true=True)


def _false(node: exp.Expr, types: _Types) -> Region:
    match node.unnest():
        case exp.And(this=left, expression=right):
            return join((_false(left, types), _false(right, types)))
        case exp.Or(this=left, expression=right):
            return meet(_false(left, types), _false(right, types))
        case exp.Not(this=inner):
            return _true(inner, types)
        case exp.Boolean(this=value):
            return NOTHING if value else EVERYTHING
        case exp.Null():
            return NOTHING
        case bare:
            return _boxes(bare, types, is_true=False)


def _boxes(node: exp.Expr, types: _Types, is_true: bool) -> Region:
    """Of a condition on one column."""
    found = _values(node, types)
    if found is None:
        return EVERYTHING
    name, yes, no = found
    values = yes if is_true else no
    return NOTHING if values.is_empty else ({name: values},)


_Found: TypeAlias = tuple[str, Values, Values] | None
"""A column, and its values where a condition is true and where it is false."""


def _values(node: exp.Expr, types: _Types) -> _Found:
    match node:
        case exp.Column():
            return _compared("=", node, exp.true(), types)
        case exp.Is(this=column, expression=exp.Null()) if isinstance(column, exp.Column):
            return (column.name, _NULL, _NOT_NULL) if column.name in types else None
        case exp.Between(this=column) if isinstance(column, exp.Column):
            return _between(column, node.args["low"], node.args["high"], types)
        case exp.In(this=column, expressions=[_, *_] as found) if isinstance(column, exp.Column):
            return _among(column, found, types)
    for kind, operator, turned in _COMPARISONS:
        if type(node) is kind:
            left, right = node.this.unnest(), node.expression.unnest()
            if isinstance(left, exp.Column):
                return _compared(operator, left, right, types)
            return _compared(turned, right, left, types) if isinstance(right, exp.Column) else None
    return None


_COMPARISONS: tuple[tuple[type[exp.Expr], str, str], ...] = (
    (exp.EQ, "=", "="),
    (exp.NEQ, "<>", "<>"),
    (exp.LT, "<", ">"),
    (exp.LTE, "<=", ">="),
    (exp.GT, ">", "<"),
    (exp.GTE, ">=", "<="),
)
_OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def _compared(operator: str, column: exp.Column, with_: exp.Expr, types: _Types) -> _Found:
    type_ = types.get(column.name)
    value = None if type_ is None else constant(with_, type_)
    if type_ is None or value is None:
        return None
    yes, no = (tuple(_intervals(one, value, type_ in WHOLE)) for one in (operator, _OPPOSITE[operator]))
    return column.name, Values(yes), Values(no)


def _between(column: exp.Column, low: exp.Expr, high: exp.Expr, types: _Types) -> _Found:
    least, most = _compared(">=", column, low, types), _compared("<=", column, high, types)
    if least is None or most is None:
        return None
    name, above, below_it = least
    _, below, above_it = most
    return name, above.meet(below), Values((*below_it.intervals, *above_it.intervals))


def _among(column: exp.Column, listed: list[exp.Expr], types: _Types) -> _Found:
    """A list with NULL in it is never false."""
    found = [_compared("=", column, one, types) for one in listed if not isinstance(one, exp.Null)]
    if None in found or not found:
        return None
    equal = tuple(interval for one in found if one for interval in one[1].intervals)
    different = Values(()) if len(found) < len(listed) else _NOT_NULL
    for one in found:
        different = different.meet(one[2]) if one else different
    return column.name, Values(equal), different


def _intervals(operator: str, value: Constant, is_whole: bool) -> Iterator[Interval]:
    """The values that compare so with a constant."""
    if is_whole and isinstance(value, Decimal):
        yield from _whole(operator, value)
        return
    match operator:
        case "=":
            yield Interval(Bound(value, is_in=True), Bound(value, is_in=True))
        case "<>":
            yield Interval(None, Bound(value, is_in=False))
            yield Interval(Bound(value, is_in=False), None)
        case "<" | "<=":
            yield Interval(None, Bound(value, is_in=operator == "<="))
        case _:
            yield Interval(Bound(value, is_in=operator == ">="), None)


def _whole(operator: str, value: Decimal) -> Iterator[Interval]:
    """Of whole numbers: from one that is in it to one that is in it."""
    below, above = Bound(ceil(value) - 1, is_in=True), Bound(floor(value) + 1, is_in=True)
    down, up = Bound(floor(value), is_in=True), Bound(ceil(value), is_in=True)
    match operator:
        case "=":
            found = [Interval(up, down)]
        case "<>":
            found = [Interval(None, below), Interval(above, None)]
        case "<" | "<=":
            found = [Interval(None, below if operator == "<" else down)]
        case _:
            found = [Interval(above if operator == ">" else up, None)]
    yield from (one for one in found if not one.is_empty)


def _tighter(one: Bound | None, other: Bound | None, sign: int) -> Bound | None:
    """Of two lower bounds (sign 1) the higher one, of two upper bounds (sign -1) the lower one."""
    if one is None or other is None:
        return one or other
    if one.value == other.value:
        return one if not one.is_in else other
    return one if (one.value > other.value) == (sign > 0) else other
