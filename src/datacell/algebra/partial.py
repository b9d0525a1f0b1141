"""An aggregate call over rows, and the form in which it is decomposed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sqlglot import exp, parse_one

from datacell.algebra import scalar, types
from datacell.algebra.schema import Named
from datacell.algebra.types import Type


@dataclass(frozen=True)
class Decomposition:
    """An aggregate decomposed.

    `partials` are aggregates over rows, `combined` are calls over columns of the same names, which they keep with their
    types, and `finish` gives the value: of no rows too, when all combined columns are NULL. Where partials do not add
    up as they are, each is first aligned: `align` gives new values of some columns, from the partial's own columns and
    from `references`, aggregates over all partials that will be combined and any number of others of the same group.
    """

    partials: tuple[Named, ...]
    combined: tuple[Named, ...]
    finish: Named
    references: tuple[Named, ...] = ()
    align: tuple[Named, ...] = ()

    @property
    def adds_up(self) -> bool:
        """Can partials be combined as they are?"""
        return not self.align


@dataclass(frozen=True)
class Call:
    """An aggregate column that is one call, over the rows that satisfy a condition."""

    name: str
    type: Type
    function: str
    arguments: tuple[exp.Expr, ...]
    condition: exp.Expr | None

    def label(self, part: str) -> str:
        """The name of a column that is a part of this one."""
        return f"{self.name}.{part}"

    def itself(self) -> exp.Expr:
        return self.over_rows(self.function, *self.arguments)

    def over_rows(self, function: str, *arguments: exp.Expr) -> exp.Expr:
        """An aggregate over the same rows."""
        made = scalar.call(function, *arguments)
        if self.condition is None:
            return made
        return exp.Filter(this=made, expression=exp.Where(this=self.condition.copy()))

    def finished(self, value: exp.Expr) -> Named:
        return Named(self.name, value, self.type)


def call_of(aggregate: Named) -> Call | None:
    """The call that an aggregate column is, or None if it is more than a call and its FILTER."""
    call, condition = call_and_condition(aggregate.value)
    if call is None:
        return None
    return Call(aggregate.name, aggregate.type, call.name, tuple(call.expressions), condition)


def call_and_condition(value: exp.Expr) -> tuple[exp.Anonymous | None, exp.Expr | None]:
    """A call and the condition of its FILTER, as far as there are such."""
    match value:
        case exp.Anonymous():
            return value, None
        case exp.Filter(this=exp.Anonymous() as call):
            return call, value.expression.this
    return None, None


def combined(function: str, partial: Named, *others: Named) -> Named:
    """A partial column combined by a function, which may read other columns too."""
    arguments = (scalar.column(column.name) for column in (partial, *others))
    return Named(partial.name, scalar.call(function, *arguments), partial.type)


def cast(value: exp.Expr, to: Type) -> exp.Expr:
    return exp.TryCast(this=value.copy(), to=types.to_sqlglot(to))


def formula(text: str, **values: exp.Expr) -> exp.Expr:
    """Arithmetic and conditions as text, with values for the names in it; calls are made by `scalar.call`."""
    return scalar.substitute(_parsed(text), values)


@cache
def _parsed(text: str) -> exp.Expr:
    return parse_one(text, dialect="spark")


def paired(value: exp.Expr, other: exp.Expr) -> exp.Expr:
    """The value, or NULL where the other is NULL."""
    return formula("CASE WHEN NOT other IS NULL THEN value END", value=value, other=other)
