"""Templates: what remains of a query when its constants may be any others of their types.

Lifted are constants beside a column, in a comparison or in arithmetic, of filters (so of HAVING, too), of computed
columns and of what is aggregated. Each becomes a parameter: an outer column of the plan. Where one constant instead of
another would change a type, or what an engine understands, it stays where it is.

Two queries with equal keys have the same answers as soon as they have the same constants.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import TypeAlias

from sqlglot import exp

from datacell.algebra import constants, scalar, tree, types
from datacell.algebra.constants import Constant
from datacell.algebra.normal import Normal, may_share, normal
from datacell.algebra.plan import Aggregate, Filter, Group, Map, Order, Plan
from datacell.algebra.query import Query, Timing
from datacell.algebra.schema import Field, Schema
from datacell.algebra.types import Type

Constants: TypeAlias = tuple[str, ...]
"""Values of parameters, as text."""

ALONE_BEFORE = {Timing.BOUNDARIES: 1, Timing.ARRIVALS: 1, Timing.ROW_BY_ROW: 16}
"""So many queries of a template are answered by themselves, by when that is. What one alone selects row by row
executors write, and a family's answers come to the driver: that pays only for many."""

_COMPARED = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_COMPUTED = (exp.Add, exp.Sub, exp.Mul)
_PARAMETER = re.compile(r"constant′(\d+)")
_INT = range(-(2**31), 2**31)


@dataclass(frozen=True)
class Template:
    """A plan with parameters, in the order of their numbers. `key` is what equal queries have in common."""

    plan: Plan
    parameters: tuple[Field, ...]
    key: Normal
    result_names: tuple[str, ...]
    """Of the delivered columns."""
    alone_before: int
    """So many of its queries are answered by themselves."""


def parameter(number: int) -> str:
    """The name of a parameter."""
    return f"constant′{number}"


def template(query: Query) -> tuple[Template, Constants] | None:
    """The template of a query with its constants; None if it has none that may be others, or is not to be shared."""
    if query.timing not in ALONE_BEFORE or query.opaque is not None or not may_share(query):
        return None
    if _is_ordered(query.plan):
        return None
    lifting = _Lifting()
    plan = tree.transform_up(query.plan, lifting.lifted)
    if not lifting.found:
        return None
    key = normal(query, plan, _masked)
    order = dict.fromkeys(_numbers(key.plan))
    renamed = {parameter(old): scalar.outer(parameter(new)) for new, old in enumerate(order)}
    found = [lifting.found[old] for old in order]
    parameters = tuple(Field(parameter(n), type) for n, (type, _) in enumerate(found))
    key = replace(key, plan=_renamed(key.plan, renamed))
    made = Template(_renamed(plan, renamed), parameters, key, query.result_names, ALONE_BEFORE[query.timing])
    return made, tuple(text for _, text in found)


def value(text: str, of: Type) -> object:
    """What a constant is worth."""
    if of == types.DOUBLE:
        return float(text)
    if of in types.INTEGERS:
        return int(text)
    if of == types.DATE:
        return date.fromisoformat(text)
    if of == types.TIMESTAMP:
        return datetime.fromisoformat(text)
    return text


class _Lifting:
    """Numbers parameters as they are found, with their types and values."""

    def __init__(self) -> None:
        self.found: list[tuple[Type, str]] = []

    def lifted(self, node: Plan) -> Plan:
        if not isinstance(node, Filter | Map | Aggregate | Group):
            return node
        schema = node.child.schema
        if not any(_has_constant(e) for e in node.expressions()):
            return node
        return node.map_expressions(lambda e: scalar.replace(e, lambda part: self._part(part, schema)))

    def _part(self, node: exp.Expr, schema: Schema) -> exp.Expr | None:
        if isinstance(node, exp.Between):
            bounds = [self._beside(node.args[side], node.this, schema, _COMPARED) for side in ("low", "high")]
            if None in bounds:
                return None
            return exp.Between(this=node.this.copy(), low=bounds[0], high=bounds[1])
        if not isinstance(node, (*_COMPARED, *_COMPUTED)):
            return None
        kind = _COMPARED if isinstance(node, _COMPARED) else _COMPUTED
        right = self._beside(node.expression, node.this, schema, kind)
        if right is not None:
            return type(node)(this=node.this.copy(), expression=right)
        left = self._beside(node.this, node.expression, schema, kind)
        return None if left is None else type(node)(this=left, expression=node.expression.copy())

    def _beside(self, constant: exp.Expr, other: exp.Expr, schema: Schema, kind: object) -> exp.Expr | None:
        """A parameter instead of a constant that stands beside a column."""
        if not isinstance(other, exp.Column) or scalar.is_outer(other) or other.name not in schema:
            return None
        beside = schema.type(other.name)
        found = constants.constant(constant, beside)
        typed = None if found is None else _typed(found, beside, is_compared=kind is _COMPARED)
        if typed is None:
            return None
        self.found.append(typed)
        return scalar.outer(parameter(len(self.found) - 1))


def _typed(found: Constant, beside: Type, *, is_compared: bool) -> tuple[Type, str] | None:
    """The type of a parameter beside a column of some type, and the value as text."""
    match found:
        case Decimal() if found != found.to_integral_value():
            return None
        case Decimal() if is_compared:
            return types.BIGINT, str(int(found))
        case Decimal():
            return (types.INT, str(int(found))) if int(found) in _INT else None
        case float():
            return types.DOUBLE, repr(found)
        case bool():
            return None
        case str() | date() if is_compared:
            return beside, found if isinstance(found, str) else found.isoformat()
    return None


def _is_ordered(plan: Plan) -> bool:
    """Are rows to be delivered in an order?"""
    while isinstance(plan, Map):
        plan = plan.child
    return isinstance(plan, Order)


def _has_constant(node: exp.Expr) -> bool:
    return node.find(exp.Literal) is not None


def _masked(text: str) -> str:
    return _PARAMETER.sub("constant′", text)


def _numbers(plan: Plan) -> Iterator[int]:
    """Of the parameters of a plan, from the top."""
    for node in tree.descendants(plan):
        for expression in node.expressions():
            for name in (c.name for c in expression.find_all(exp.Column, bfs=False) if scalar.is_outer(c)):
                found = _PARAMETER.fullmatch(name)
                if found:
                    yield int(found[1])


def _renamed(plan: Plan, names: dict[str, exp.Column]) -> Plan:
    def change(node: Plan) -> Plan:
        if not any(scalar.outer_columns(e) & names.keys() for e in node.expressions()):
            return node
        return node.map_expressions(lambda e: scalar.substitute_outer(e, dict(names)))

    return tree.transform_up(plan, change)
