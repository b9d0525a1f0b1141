"""Binding scalar expressions: every name becomes a column of the plan, every expression gets its type.

A subquery inside an expression becomes an `Apply` on the plan under construction, and a column in its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Plan
from datacell.algebra.types import BOOLEAN, NULL, STRING, Type
from datacell.errors import SqlError
from datacell.sql.bind import typing
from datacell.sql.bind.columns import OPERATORS, Columns, collate
from datacell.sql.bind.comparing import compared
from datacell.sql.bind.context import Context, Typed
from datacell.sql.bind.function_calls import lookup, named_struct, plain_call
from datacell.sql.bind.scope import Scope, Visible
from datacell.sql.functions import FunctionKind, SignatureError

if TYPE_CHECKING:
    from datacell.sql.bind.subqueries import Subqueries

_WITHOUT_PARENTHESES = frozenset(
    ["current_date", "current_time", "current_timestamp", "current_user", "session_user", "user"]
)
_NOT_VALUES = (exp.DataType, exp.Var, exp.IntervalSpan)
MODIFIERS = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)
"""What may stand around the call of an aggregate."""
_UNSUPPORTED: dict[type[exp.Expr], str] = {
    exp.Any: "ANY",
    exp.All: "ALL",
    exp.Parameter: "a parameter",
    exp.Placeholder: "a placeholder",
    exp.SessionParameter: "a parameter",
}


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
            case exp.Column() if self._is_function(node):
                return self.call(_called_without_parentheses(node))
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
            case exp.Collate():
                return self._collate(node)
            case exp.Like() | exp.ILike() if is_quantified(node):
                return self.bind(_each_pattern(node))
            case exp.Window():
                return self.over(node)
            case exp.Anonymous():
                return self.call(node)
            case exp.Alias():
                return self.bind(node.this)
            case exp.Dot(this=exp.Identifier(name=first)) if first.lower() not in self.lambda_parameters:
                raise self.context.error(f"there is no function {node.sql(dialect='spark')[:60]}", node)
            case _ if isinstance(node, MODIFIERS):
                return self.aggregate(node)
            case _ if type(node) in _UNSUPPORTED:
                raise self.context.unsupported(f"{_UNSUPPORTED[type(node)]} is not supported here", node)
        return self._operator(node)

    def predicate(self, node: exp.Expr) -> exp.Expr:
        """A condition: it must be boolean."""
        bound = self.bind(node)
        if bound.type not in (BOOLEAN, NULL):
            raise self.context.error(
                f"{self.clause} needs a condition, this is {bound.type}", node, "compare it with something"
            )
        return bound.value

    def _collate(self, node: exp.Collate) -> Typed:
        """What is kept of slices would be compared by its bytes."""
        bound = self.bind(node.this) if self.compares else None
        if bound is None or bound.type != STRING:
            raise self.context.unsupported("COLLATE is not supported here", node)
        self.collated = node
        return Typed(collate(bound.value, node.expression.name), STRING)

    def call(self, node: exp.Anonymous) -> Typed:
        node = self._without_stars(node)
        function = lookup(self.context, node)
        match function.kind:
            case FunctionKind.AGGREGATE:
                return self.aggregate(node)
            case FunctionKind.RANKING:
                raise self.context.error(
                    f"{function.name} needs OVER", node, f"write {function.name}() OVER (ORDER BY …)"
                )
            case FunctionKind.GENERATOR:
                raise self.context.unsupported(
                    f"{function.name} makes several rows and cannot stand here", node, "use it in LATERAL VIEW"
                )
        return plain_call(self, node, function)

    def _is_function(self, node: exp.Column) -> bool:
        """Only a column of this very FROM is nearer than a function that is called without parentheses."""
        bare = len(node.parts) == 1 and not node.this.args.get("quoted") and "visible" not in node.meta
        return bare and node.name.lower() in _WITHOUT_PARENTHESES and not self.scope.find(node.name)

    def _without_stars(self, node: exp.Anonymous) -> exp.Anonymous:
        """``struct(*)`` and ``count(DISTINCT t.*)``: a star among arguments stands for columns."""
        distinct = node.expressions[0] if node.expressions and isinstance(node.expressions[0], exp.Distinct) else None
        arguments = node.expressions if distinct is None else distinct.expressions
        counts_rows = node.name.lower() == "count" and distinct is None
        if counts_rows or not any(_is_star(argument) for argument in arguments):
            return node
        given: list[exp.Expr] = []
        for argument in arguments:
            if not _is_star(argument):
                given.append(argument.copy())
                continue
            relation = self.scope.relation(argument.table) if isinstance(argument, exp.Column) else None
            if isinstance(argument, exp.Column) and relation is None:
                given += self._fields_of(argument)
                continue
            star = argument.this if isinstance(argument, exp.Column) else argument
            if any(map(star.args.get, ("replace", "rename"))) or any(e.text("table") for e in _left_out(star)):
                raise self.context.unsupported("this star is not understood here", argument)
            left_out = {e.name.lower() for e in _left_out(star)}
            columns = self.scope.star() if relation is None else iter(relation.columns)
            given += [_named_column(column, argument) for column in columns if column.name.lower() not in left_out]
        new = node.copy()
        new.set("expressions", given if distinct is None else [exp.Distinct(expressions=given)])
        return new

    def _fields_of(self, star: exp.Column) -> list[exp.Expr]:
        """``st.*`` of a struct."""
        found = self.scope.find(star.table) if not star.args.get("db") else ()
        if len(found) != 1 or found[0].type.name != "struct":
            raise self.context.unsupported("this star is not understood here", star)
        fields = []
        for name in found[0].type.names:
            node = exp.Dot(this=_named_column(found[0], star).this, expression=exp.Identifier(this=name, quoted=True))
            node.meta.update(star.meta)
            fields.append(exp.alias_(node, name, quoted=True, copy=False))
        return fields

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
            return named_struct([bound.value for bound in operands.values()], result)
        new = type(node)(**{key: _rebuilt(value, operands) for key, value in node.args.items()})
        return Typed(compared(new, list(operands.values())), result)

    def _no_value(self, node: exp.DataType) -> SqlError:
        return self.context.error(f"{node.sql(dialect='spark')} is a type, not a value", node, "write CAST(… AS type)")

    def _is_value(self, node: exp.Expr) -> bool:
        """An identifier is a value only where it is a lambda's parameter; elsewhere it names a field."""
        if isinstance(node, exp.Identifier):
            names_field = isinstance(node.parent, exp.Dot) and node.arg_key == "expression"
            return node.name.lower() in self.lambda_parameters and not names_field
        return not isinstance(node, _NOT_VALUES)


def _called_without_parentheses(node: exp.Column) -> exp.Anonymous:
    made = scalar.call(node.name.lower())
    made.meta.update(node.meta)
    return made


def is_quantified(node: exp.Expr) -> bool:
    """``c LIKE ANY ('a%', '%b')``."""
    patterns = node.expression if isinstance(node, exp.Like | exp.ILike) else None
    return isinstance(patterns, exp.Anonymous) and patterns.name.upper() in ("ALL", "ANY", "SOME")


def _each_pattern(node: exp.Like | exp.ILike) -> exp.Expr:
    """``c LIKE ALL ('a%', '%b')``: every pattern by itself."""
    patterns = [type(node)(this=node.this.copy(), expression=p.copy()) for p in node.expression.expressions]
    each = [exp.Not(this=exp.Paren(this=p)) if node.args.get("negate") else p for p in patterns]
    joined = exp.and_(*each) if node.expression.name.upper() == "ALL" else exp.or_(*each)
    for found in joined.walk():
        if "start" not in found.meta:
            found.meta.update({k: v for k, v in node.meta.items() if k in ("line", "col", "start", "end")})
    return exp.Paren(this=joined)


def _left_out(star: exp.Expr) -> list[exp.Expr]:
    return star.args.get("except_") or []


def _is_star(node: exp.Expr) -> bool:
    return isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))


def _named_column(column: Visible, star: exp.Expr) -> exp.Expr:
    node = scalar.column(column.column)
    node.meta.update(star.meta, visible=column)
    return exp.alias_(node, column.name, quoted=True, copy=False)


def not_grouped(context: Context, node: exp.Column) -> SqlError:
    return context.error(
        f"column {node.sql(dialect='spark')} is neither grouped nor aggregated",
        node,
        f"add it to GROUP BY, or write any_value({node.sql(dialect='spark')})",
    )


def _called(node: exp.Expr) -> str:
    return scalar.function_name(node).lower() or node.sql(dialect="spark")


def _rebuilt(value: object, operands: dict[int, Typed]) -> object:
    if isinstance(value, list):
        return [_rebuilt(item, operands) for item in value]
    if isinstance(value, exp.Expr):
        return operands[id(value)].value if id(value) in operands else value.copy()
    return value
