"""Types made to fit: what Spark casts by itself is said aloud, so that every engine does the same."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from datacell.algebra import types
from datacell.algebra.types import DOUBLE, NULL, STRING, Type
from datacell.sql.bind.context import Typed


def comparison_type(a: Type, b: Type) -> Type | None:
    """The type in which Spark compares: a string is read as the other side's type, beside a decimal as a double."""
    if STRING in (a, b) and NULL not in (a, b):
        other = b if a == STRING else a
        return DOUBLE if other.name == "decimal" else other
    return types.common(a, types.renamed(b, a))


def list_type(given: Sequence[Type]) -> Type | None:
    """The type in which Spark looks for a value in a list: one that holds all of them, which may be text."""
    return types.common_of(sorted(given, key=lambda t: t != STRING))


def needs_cast(actual: Type, target: Type) -> bool:
    both_numbers = types.is_number(actual) and types.is_number(target)
    return actual not in (target, NULL) and not both_numbers and not types.is_interval(target)


def cast(value: exp.Expr, target: Type) -> exp.Expr:
    return exp.TryCast(this=value, to=types.to_sqlglot(target))


def coerced(bound: Typed, target: Type) -> exp.Expr:
    """The expression as a value of exactly this type."""
    return bound.value if bound.type == target else cast(bound.value, target)


def operand(value: exp.Expr) -> exp.Expr:
    """The expression as it may stand under any operator: what takes a name's place brings its own parentheses."""
    open_ended = isinstance(value, exp.Binary | exp.Unary | exp.Predicate)
    return exp.Paren(this=value) if open_ended and not isinstance(value, exp.Paren | exp.Dot | exp.Exists) else value
