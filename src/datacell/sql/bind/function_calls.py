"""Calls of functions: which function is meant, its arguments, and the type of its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Map
from datacell.algebra.schema import Named
from datacell.algebra.types import BIGINT, Type
from datacell.errors import did_you_mean
from datacell.sql import functions
from datacell.sql.bind.context import Context, Typed
from datacell.sql.bind.user_functions import meant
from datacell.sql.functions import Function, LambdaArgument, SignatureError
from datacell.sql.functions.refused import OF_WINDOWS

if TYPE_CHECKING:
    from datacell.sql.bind.expressions import Expressions

_KEEP_VALUES = frozenset({"approx_count_distinct", "min_by", "max_by"})
"""Aggregates that are computed by keeping values of their arguments, as those of DISTINCT are."""

_Value = exp.Expr | Callable[[], exp.Expr]


def lookup(context: Context, node: exp.Anonymous) -> Function:
    """The function that a call means, if it can be used here."""
    function = meant(node)
    if function is None:
        hint = OF_WINDOWS.get(node.name.lower()) or did_you_mean(node.name, functions.names())
        raise context.error(f"there is no function {node.name}", node, hint)
    if function.refused is not None and context.continuous:
        make = context.rule if function.is_unrepeatable else context.unsupported
        raise make(f"{function.name} cannot be used in a continuous query", node, function.refused)
    return function


def plain_call(binder: Expressions, node: exp.Anonymous, function: Function) -> Typed:
    """A call that reads one row."""
    arguments = [_argument(binder, argument) for argument in node.expressions]
    result = call_type(binder.context, function, node, node.expressions, [a.type for a in arguments])
    bound = [lambda_() if callable(lambda_) else lambda_ for lambda_ in (a.value for a in arguments)]
    if function.name == "struct":
        return named_struct(bound, result)
    return Typed(exp.Anonymous(this=function.name, expressions=bound), result)


def call_over_rows(binder: Expressions, node: exp.Anonymous, function: Function, more: Sequence[Type] = ()) -> Typed:
    """A call that reads many rows: ``count(*)`` and DISTINCT are allowed. `more` are types of WITHIN GROUP."""
    distinct = bool(node.expressions) and isinstance(node.expressions[0], exp.Distinct)
    given = node.expressions[0].expressions if distinct else node.expressions
    if function.name == "count" and not distinct and [type(g) for g in given] == [exp.Star]:
        return Typed(exp.Anonymous(this="count", expressions=[exp.Star()]), BIGINT)
    arguments = [_argument(binder, argument) for argument in given]
    result = call_type(binder.context, function, node, given, [*(a.type for a in arguments), *more])
    keeps_values = distinct or function.name in _KEEP_VALUES
    values = [_computed_below(binder, a) if keeps_values else a.value for a in arguments]
    inside = [exp.Distinct(expressions=values)] if distinct else values
    return Typed(exp.Anonymous(this=function.name, expressions=inside), result)


def named_struct(values: Sequence[exp.Expr], type_: Type) -> Typed:
    """``struct(p.a, 1)`` takes its fields' names from the text; in the plan they are said."""
    pairs = zip(type_.names, values, strict=True)
    return Typed(scalar.call("named_struct", *(e for n, v in pairs for e in (exp.Literal.string(n), v))), type_)


class _Argument:
    """A bound argument: its type and its tree, which for a lambda is known only after typing."""

    def __init__(self, type: Type | LambdaArgument, value: _Value) -> None:
        self.type, self.value = type, value


def _argument(binder: Expressions, node: exp.Expr) -> _Argument:
    if isinstance(node, exp.Lambda):
        return _lambda(binder, node)
    if isinstance(node, exp.Kwarg):
        raise binder.context.unsupported("named arguments are not supported", node, "give the arguments in order")
    bound = binder.bind(node)
    return _Argument(bound.type, bound.value)


def _lambda(binder: Expressions, node: exp.Lambda) -> _Argument:
    names = [parameter.name for parameter in node.expressions]
    bound: list[exp.Expr] = []

    def body(parameter_types: tuple[Type, ...]) -> Type:
        outside = binder.lambda_parameters
        binder.lambda_parameters = outside | {n.lower(): t for n, t in zip(names, parameter_types, strict=False)}
        try:
            result = binder.bind(node.this)
        finally:
            binder.lambda_parameters = outside
        bound[:] = [result.value]
        return result.type

    parameters = [exp.Identifier(this=name, quoted=True) for name in names]
    return _Argument(LambdaArgument(len(names), body), lambda: exp.Lambda(this=bound[0], expressions=parameters))


def call_type(
    context: Context,
    function: Function,
    node: exp.Anonymous,
    given: Sequence[exp.Expr],
    argument_types: Sequence[Type | LambdaArgument],
) -> Type:
    """The type of a call with arguments of these types."""
    try:
        return functions.result_type(function, argument_types, given)
    except SignatureError as error:
        wrong = given[error.argument] if error.argument is not None and error.argument < len(given) else node
        raise context.error(error.message, wrong) from None


def _computed_below(binder: Expressions, argument: _Argument) -> _Value:
    """A column of the plan with the argument's value, so that the plan knows its type."""
    value, type_ = argument.value, argument.type
    if not isinstance(value, exp.Expr) or not isinstance(type_, Type) or not _is_computed(value):
        return value
    if value not in binder.computed:
        name = binder.computed[value] = binder.context.names.fresh("value")
        binder.plan = Map(binder.plan, (*binder.plan.schema.passing(), Named(name, value, type_)))
    return scalar.column(binder.computed[value])


def _is_computed(value: exp.Expr) -> bool:
    """Is it computed from the row alone?"""
    if isinstance(value, exp.Column) or scalar.outer_columns(value) or scalar.reads_boundary(value):
        return False
    return bool(scalar.columns(value))
