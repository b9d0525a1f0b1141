"""Subqueries in expressions, all reduced to `Apply`.

- a scalar subquery is a left apply that gives at most one row; none is NULL;
- ``EXISTS q`` and ``x IN q``, where they decide alone about a row, are semi and anti applies;
- elsewhere they are values: does *q* have a row, or a match?

``x NOT IN q`` keeps a row if no comparison with *q*'s rows is true or unknown: SQL's rule for NULLs. As a value it is
Spark's: never NULL. ``x IN q`` is true if a comparison is; under a NOT it is true also if one is unknown. A NULL that
is written as such is in no *q*, nor outside of it: that is NULL.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Aggregate, Apply, Filter, JoinKind, Map, Order, Plan, Values
from datacell.algebra.schema import Named
from datacell.algebra.types import BIGINT, BOOLEAN, NULL, Type
from datacell.errors import counted
from datacell.sql.bind.coercing import cast, comparison_type, needs_cast, operand
from datacell.sql.bind.context import Context, Typed
from datacell.sql.bind.expressions import Expressions
from datacell.sql.bind.scope import Scope, Visible


@dataclass(frozen=True)
class Bound:
    """A bound query: its plan and how its columns are called."""

    plan: Plan
    columns: tuple[Visible, ...]


BindQuery = Callable[[exp.Expr, Scope], Bound]


class Subqueries:
    """Binds the subqueries of one statement level; `bind_query` binds a query inside a scope."""

    def __init__(self, context: Context, bind_query: BindQuery) -> None:
        self.context, self.bind_query = context, bind_query

    def scalar(self, around: Expressions, node: exp.Expr) -> Typed:
        bound = self._one_column(around, node)
        name, type_ = bound.columns[0].column, bound.columns[0].type
        plan = bound.plan if _gives_one_row(bound.plan) else self._checked(bound.plan, name, type_)
        result = self.context.names.fresh("subquery")
        self._attach(around, node, Map(plan, (Named(result, scalar.column(plan.schema.names[0]), type_),)))
        return Typed(scalar.column(result), type_)

    def exists(self, around: Expressions, node: exp.Exists) -> Typed:
        plan = self._bind(around, node.this).plan
        count = self._counted(around, node, plan, exp.Star())
        return Typed(exp.Paren(this=exp.GT(this=count, expression=exp.Literal.number(0))), BOOLEAN)

    def contained(self, around: Expressions, node: exp.In) -> Typed:
        plan, equal = self._membership(around, node)
        if equal is None:
            return Typed(cast(exp.Null(), BOOLEAN), BOOLEAN)
        outside = {name: scalar.outer(name) for name in around.plan.schema.names}
        possibly = _possibly(equal) if self._is_negated(node) else equal
        count = self._counted(around, node, Filter(plan, scalar.substitute(possibly, outside)), exp.Star())
        return Typed(exp.Paren(this=exp.GT(this=count, expression=exp.Literal.number(0))), BOOLEAN)

    def condition(self, around: Expressions, node: exp.Expr) -> bool:
        """Take a conjunct that decides about rows by a subquery alone, as a semi or anti apply."""
        negated, bare = False, node.unnest()
        while isinstance(bare, exp.Not):
            negated, bare = not negated, bare.this.unnest()
        kind = JoinKind.ANTI if negated else JoinKind.SEMI
        if isinstance(bare, exp.Exists):
            self._attach(around, bare, self._bind(around, bare.this).plan, kind)
        elif isinstance(bare, exp.In) and bare.args.get("query") is not None:
            plan, equal = self._membership(around, bare)
            if equal is None:
                around.plan = Filter(around.plan, exp.false())
            else:
                self._attach(around, bare, plan, kind, _possibly(equal) if negated else equal)
        else:
            return False
        return True

    def _membership(self, around: Expressions, node: exp.In) -> tuple[Plan, exp.Expr | None]:
        """The subquery's plan, and the condition under which a row of it equals the left side; None if that is NULL."""
        left_nodes = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this.unnest()]
        bare = [around.bind(n) for n in left_nodes]
        left = [Typed(operand(b.value), b.type) for b in bare]
        bound = self._bind(around, node.args["query"])
        if len(bound.columns) != len(left):
            problem = f"IN compares {counted(len(left), 'value')} with {counted(len(bound.columns), 'column')}"
            raise self.context.error(problem, node.args["query"], "select as many columns as there are values")
        if len(left) == 1 and self._is_null(left_nodes[0], left[0]):
            return bound.plan, None
        pairs = [
            self._equal(node, value, Typed(scalar.column(c.column), c.type))
            for value, c in zip(left, bound.columns, strict=True)
        ]
        return bound.plan, scalar.conjoin(pairs)

    def _is_null(self, node: exp.Expr, value: Typed) -> bool:
        """Is NULL all that can come of it? Spark finds that out of every constant."""
        bare = value.value.unnest()
        while isinstance(bare, exp.Cast):
            bare = bare.this.unnest()
        if isinstance(bare, exp.Null) or value.type == NULL:
            return True
        if not isinstance(bare, exp.Literal | exp.Boolean | exp.Neg) and bare.find(exp.Column, exp.Placeholder) is None:
            raise self.context.unsupported("a constant that is computed stands before IN (a subquery)", node)
        return False

    def _is_negated(self, node: exp.Expr) -> bool:
        """Does the value count as its contrary? Conditions are turned around as far as AND, OR and NOT reach."""
        negated, reaches = False, True
        above = node.parent
        while isinstance(above, exp.Connector | exp.Not | exp.Paren | exp.Predicate):
            if isinstance(above, exp.Not) and not reaches:
                raise self.context.unsupported("what is compared with IN (a subquery) is negated", node)
            negated ^= isinstance(above, exp.Not)
            reaches = reaches and isinstance(above, exp.Connector | exp.Not | exp.Paren)
            above = above.parent
        return negated

    def _equal(self, node: exp.Expr, left: Typed, right: Typed) -> exp.Expr:
        target = comparison_type(left.type, right.type)
        if target is None:
            raise self.context.error(
                f"IN compares {left.type} with {right.type}", node.args["query"], "cast one of them"
            )
        sides = [cast(t.value, target) if needs_cast(t.type, target) else t.value for t in (left, right)]
        return exp.EQ(this=sides[0], expression=sides[1])

    def _counted(self, around: Expressions, node: exp.Expr, plan: Plan, what: exp.Expr) -> exp.Column:
        name = self.context.names.fresh("count")
        counted = Aggregate(plan, (Named(name, scalar.call("count", what), BIGINT),))
        self._attach(around, node, counted)
        return scalar.column(name)

    def _one_column(self, around: Expressions, node: exp.Expr) -> Bound:
        bound = self._bind(around, node)
        if len(bound.columns) != 1:
            raise self.context.error(
                f"a subquery used as a value has one column, not {len(bound.columns)}", node, "select one column"
            )
        return bound

    def _bind(self, around: Expressions, node: exp.Expr) -> Bound:
        return self.bind_query(node, around.scope)

    def _checked(self, plan: Plan, name: str, type_: Type) -> Plan:
        """At most one row, or an error when the query runs: what SQL demands of a subquery used as a value."""
        rows, value = self.context.names.fresh("rows"), self.context.names.fresh("value")
        single = Aggregate(
            plan,
            (
                Named(value, scalar.call("any_value", scalar.column(name)), type_),
                Named(rows, scalar.call("count", exp.Star()), BIGINT),
            ),
        )
        message = exp.Literal.string("a subquery used as a value gave more than one row")
        several = exp.GT(this=scalar.column(rows), expression=exp.Literal.number(1))
        choice = exp.Case(
            ifs=[exp.If(this=several, true=cast(scalar.call("raise_error", message), type_))],
            default=scalar.column(value),
        )
        return Map(single, (Named(self.context.names.fresh("single"), choice, type_),))

    def _attach(
        self,
        around: Expressions,
        node: exp.Expr,
        plan: Plan,
        kind: JoinKind = JoinKind.LEFT,
        condition: exp.Expr | None = None,
    ) -> None:
        missing = [name for name in plan.outer if around.scope.owns(name) and name not in around.plan.schema]
        if missing:
            name = missing[0].rpartition(".")[2]
            where = next((c for c in node.find_all(exp.Column) if c.name.lower() == name.lower()), node)
            problem = f"the subquery reads {missing[0]}, which is neither grouped nor aggregated"
            raise self.context.error(problem, where, "add it to GROUP BY")
        around.plan = Apply(around.plan, plan, kind, condition)


def _gives_one_row(plan: Plan) -> bool:
    match plan:
        case Aggregate(keys=()):
            return True
        case Order(limit=int(limit)) if limit <= 1:
            return True
        case Values(rows=rows):
            return len(rows) <= 1
        case Map() | Filter() | Order():
            return _gives_one_row(plan.child)
    return False


def _possibly(condition: exp.Expr) -> exp.Expr:
    """True also where it is not known."""
    return scalar.call("coalesce", condition, exp.true())
