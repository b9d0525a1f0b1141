"""Binding scalar expressions: every name becomes a column of the plan, every expression gets its type.

A subquery inside an expression becomes an `Apply` on the plan under construction, and a column in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Map, Plan
from datacell.algebra.schema import Named
from datacell.algebra.types import BIGINT, BOOLEAN, NULL, Type
from datacell.errors import SqlError, did_you_mean
from datacell.sql import functions
from datacell.sql.bind import typing
from datacell.sql.bind.coercing import cast, comparison_type, needs_cast
from datacell.sql.bind.columns import OPERATORS, Columns
from datacell.sql.bind.context import Context, Typed
from datacell.sql.bind.scope import Scope
from datacell.sql.functions import Function, FunctionKind, LambdaArgument, SignatureError

if TYPE_CHECKING:
    from datacell.sql.bind.subqueries import Subqueries

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ)
_NOT_VALUES = (exp.DataType, exp.Var, exp.IntervalSpan)
_MODIFIERS = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)
_KEEP_VALUES = frozenset({"approx_count_distinct", "min_by", "max_by"})
"""Aggregates that are computed by keeping values of their arguments, as those of DISTINCT are."""
_UNSUPPORTED: dict[type[exp.Expr], str] = {
    exp.Any: "ANY",
    exp.All: "ALL",
    exp.Parameter: "a parameter",
    exp.Placeholder: "a placeholder",
    exp.SessionParameter: "a parameter",
}

_Value = exp.Expr | Callable[[], exp.Expr]


class Expressions(Columns):
    """Binds expressions of one clause over a scope. `plan` grows as subqueries and values to keep are met."""

    def __init__(self, context: Context, scope: Scope, plan: Plan, clause: str, subqueries: Subqueries) -> None:
        super().__init__(context, scope, clause)
        self.plan, self.subqueries = plan, subqueries
        self.lambda_parameters: dict[str, Type] = {}
        self.computed: dict[exp.Expr, str] = {}
        """Columns that the plan has for values of expressions."""

    def bind(self, node: exp.Expr) -> Typed:
        match node:
            case exp.Star() | exp.Column(this=exp.Star()):
                raise self.context.error("* is not a value", node, "name the columns, or write count(*)")
            case exp.DataType():
                raise self._no_value(node)
            case exp.Column():
                return self.column(node)
            case exp.Identifier():
                return Typed(exp.Identifier(this=node.name, quoted=True), self.lambda_parameters[node.name.lower()])
            case exp.Subquery() | exp.Select() | exp.SetOperation():
                return self.subqueries.scalar(self, node)
            case exp.Exists():
                return self.subqueries.exists(self, node)
            case exp.In() if node.args.get("query") is not None:
                return self.subqueries.contained(self, node)
            case exp.Window():
                return self.over(node)
            case exp.Anonymous():
                return self.call(node)
            case exp.Alias():
                return self.bind(node.this)
            case exp.Dot(this=exp.Identifier(name=first)) if first.lower() not in self.lambda_parameters:
                raise self.context.error(f"there is no function {node.sql(dialect='spark')[:60]}", node)
            case _ if isinstance(node, _MODIFIERS):
                return self.aggregate(node)
            case _ if type(node) in _UNSUPPORTED:
                raise self.context.error(f"{_UNSUPPORTED[type(node)]} is not supported here", node)
        return self._operator(node)

    def predicate(self, node: exp.Expr) -> exp.Expr:
        """A condition: it must be boolean."""
        bound = self.bind(node)
        if bound.type not in (BOOLEAN, NULL):
            raise self.context.error(
                f"{self.clause} needs a condition, this is {bound.type}", node, "compare it with something"
            )
        return bound.value

    # Calls

    def call(self, node: exp.Anonymous) -> Typed:
        function = self.lookup(node)
        match function.kind:
            case FunctionKind.AGGREGATE:
                return self.aggregate(node)
            case FunctionKind.RANKING:
                raise self.context.error(
                    f"{function.name} needs OVER", node, f"write {function.name}() OVER (ORDER BY …)"
                )
            case FunctionKind.GENERATOR:
                raise self.context.error(
                    f"{function.name} makes several rows and cannot stand here", node, "use it in LATERAL VIEW"
                )
        return self.plain_call(node, function)

    def plain_call(self, node: exp.Anonymous, function: Function) -> Typed:
        arguments = [self._argument(argument) for argument in node.expressions]
        result = self._signature(function, node, node.expressions, [a.type for a in arguments])
        bound = [lambda_() if callable(lambda_) else lambda_ for lambda_ in (a.value for a in arguments)]
        if function.name == "struct":
            return _named_struct(bound, result)
        return Typed(exp.Anonymous(this=function.name, expressions=bound), result)

    def aggregate(self, node: exp.Expr) -> Typed:
        """Outside of a grouped SELECT there is nothing to aggregate over."""
        hints = {"WHERE": "use HAVING", "an aggregate": "compute the inner one in a subquery"}
        raise self.context.error(
            f"the aggregate {_called(node)} cannot stand in {self.clause}", node, hints.get(self.clause)
        )

    def over(self, node: exp.Window) -> Typed:
        raise self.context.error(
            f"OVER cannot stand in {self.clause}", node, "compute it in a subquery and filter around it"
        )

    def lookup(self, node: exp.Anonymous) -> Function:
        function = functions.lookup(node.name)
        if function is None:
            hint = did_you_mean(node.name, functions.names())
            raise self.context.error(f"there is no function {node.name}", node, hint)
        if function.refused is not None and self.context.continuous:
            raise self.context.error(f"{function.name} cannot be used in a continuous query", node, function.refused)
        return function

    def call_over_rows(self, node: exp.Anonymous, function: Function, more: Sequence[Type] = ()) -> Typed:
        """A call that reads many rows: ``count(*)`` and DISTINCT are allowed. `more` are types of WITHIN GROUP."""
        distinct = bool(node.expressions) and isinstance(node.expressions[0], exp.Distinct)
        given = node.expressions[0].expressions if distinct else node.expressions
        if function.name == "count" and [type(g) for g in given] == [exp.Star]:
            return Typed(exp.Anonymous(this="count", expressions=[exp.Star()]), BIGINT)
        arguments = [self._argument(argument) for argument in given]
        result = self._signature(function, node, given, [*(a.type for a in arguments), *more])
        keeps_values = distinct or function.name in _KEEP_VALUES
        values = [self._computed_below(a) if keeps_values else a.value for a in arguments]
        inside = [exp.Distinct(expressions=values)] if distinct else values
        return Typed(exp.Anonymous(this=function.name, expressions=inside), result)

    def _computed_below(self, argument: _Argument) -> _Value:
        """A column of the plan with the argument's value, so that the plan knows its type."""
        value, type_ = argument.value, argument.type
        if not isinstance(value, exp.Expr) or not isinstance(type_, Type) or not _is_computed(value):
            return value
        if value not in self.computed:
            name = self.computed[value] = self.context.names.fresh("value")
            self.plan = Map(self.plan, (*self.plan.schema.passing(), Named(name, value, type_)))
        return scalar.column(self.computed[value])

    def _signature(
        self,
        function: Function,
        node: exp.Anonymous,
        given: Sequence[exp.Expr],
        argument_types: Sequence[Type | LambdaArgument],
    ) -> Type:
        try:
            return functions.result_type(function, argument_types, given)
        except SignatureError as error:
            wrong = given[error.argument] if error.argument is not None and error.argument < len(given) else node
            raise self.context.error(error.message, wrong) from None

    def _argument(self, node: exp.Expr) -> _Argument:
        if isinstance(node, exp.Lambda):
            return self._lambda(node)
        if isinstance(node, exp.Kwarg):
            raise self.context.error("named arguments are not supported", node, "give the arguments in order")
        bound = self.bind(node)
        return _Argument(bound.type, bound.value)

    def _lambda(self, node: exp.Lambda) -> _Argument:
        names = [parameter.name for parameter in node.expressions]
        bound: list[exp.Expr] = []

        def body(parameter_types: tuple[Type, ...]) -> Type:
            outside = self.lambda_parameters
            self.lambda_parameters = outside | {n.lower(): t for n, t in zip(names, parameter_types, strict=False)}
            try:
                result = self.bind(node.this)
            finally:
                self.lambda_parameters = outside
            bound[:] = [result.value]
            return result.type

        parameters = [exp.Identifier(this=name, quoted=True) for name in names]
        return _Argument(LambdaArgument(len(names), body), lambda: exp.Lambda(this=bound[0], expressions=parameters))

    # Operators

    def _operator(self, node: exp.Expr) -> Typed:
        children = [child for child in node.iter_expressions() if self._is_value(child)]
        if isinstance(node, OPERATORS) and (odd := node.find(exp.DataType)) is not None and odd.parent is node:
            raise self._no_value(odd)
        operands = {id(child): self.bind(child) for child in children}
        try:
            result = typing.operator_type(node, [bound.type for bound in operands.values()])
        except SignatureError as error:
            known = error.argument is not None and error.argument < len(children)
            wrong = children[error.argument] if known and error.argument is not None else node
            raise self.context.error(error.message, wrong) from None
        if isinstance(node, exp.Tuple) and not isinstance(node.parent, exp.Predicate):
            return _named_struct([bound.value for bound in operands.values()], result)
        new = type(node)(**{key: _rebuilt(value, operands) for key, value in node.args.items()})
        return Typed(self._compared_as_one(new, list(operands.values())), result)

    def _no_value(self, node: exp.DataType) -> SqlError:
        return self.context.error(f"{node.sql(dialect='spark')} is a type, not a value", node, "write CAST(… AS type)")

    def _is_value(self, node: exp.Expr) -> bool:
        """An identifier is a value only where it is a lambda's parameter; elsewhere it names a field."""
        if isinstance(node, exp.Identifier):
            names_field = isinstance(node.parent, exp.Dot) and node.arg_key == "expression"
            return node.name.lower() in self.lambda_parameters and not names_field
        return not isinstance(node, _NOT_VALUES)

    def _compared_as_one(self, node: exp.Expr, operands: Sequence[Typed]) -> exp.Expr:
        """Spark compares unlike types as one of them; said aloud, so that every engine does the same."""
        if not isinstance(node, (*_COMPARISONS, exp.Between, exp.In)):
            return node
        target = operands[0].type
        for operand in operands[1:]:
            target = comparison_type(target, operand.type) or target
        by_value = {id(o.value): o for o in operands}
        for child in list(node.iter_expressions()):
            own = by_value.get(id(child))
            if own is not None and needs_cast(own.type, target):
                child.replace(cast(child.copy(), target))
        return node


class _Argument:
    """A bound argument: its type and its tree, which for a lambda is known only after typing."""

    def __init__(self, type: Type | LambdaArgument, value: _Value) -> None:
        self.type, self.value = type, value


def not_grouped(context: Context, node: exp.Column) -> SqlError:
    return context.error(
        f"column {node.sql(dialect='spark')} is neither grouped nor aggregated",
        node,
        f"add it to GROUP BY, or write any_value({node.sql(dialect='spark')})",
    )


def _is_computed(value: exp.Expr) -> bool:
    """Is it computed from the row alone?"""
    if isinstance(value, exp.Column) or scalar.outer_columns(value) or scalar.reads_boundary(value):
        return False
    return bool(scalar.columns(value))


def _named_struct(values: Sequence[exp.Expr], type_: Type) -> Typed:
    """``struct(p.a, 1)`` takes its fields' names from the text; in the plan they are said."""
    pairs = zip(type_.names, values, strict=True)
    return Typed(scalar.call("named_struct", *(e for n, v in pairs for e in (exp.Literal.string(n), v))), type_)


def _called(node: exp.Expr) -> str:
    found = node if isinstance(node, exp.Anonymous) else node.find(exp.Anonymous)
    return found.name.lower() if found is not None else node.sql(dialect="spark")


def _rebuilt(value: object, operands: dict[int, Typed]) -> object:
    if isinstance(value, list):
        return [_rebuilt(item, operands) for item in value]
    if isinstance(value, exp.Expr):
        return operands[id(value)].value if id(value) in operands else value.copy()
    return value
