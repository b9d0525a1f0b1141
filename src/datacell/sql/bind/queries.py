"""Queries: SELECT, set operations, VALUES, WITH."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar, types
from datacell.algebra.plan import (
    Difference,
    Distinct,
    Intersection,
    Map,
    Plan,
    StrictDifference,
    Union,
    Values,
)
from datacell.algebra.query import Emission, Query
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import Type
from datacell.errors import counted
from datacell.sql.bind.checks import check_state, check_windows, check_windows_are_read
from datacell.sql.bind.coercing import coerced
from datacell.sql.bind.context import Context, Typed
from datacell.sql.bind.expressions import Expressions
from datacell.sql.bind.refusals import refuse_clauses
from datacell.sql.bind.relations import Ctes
from datacell.sql.bind.scope import Relation, Scope, Visible
from datacell.sql.bind.select import SelectBinder
from datacell.sql.bind.sorting import ordered, position, sort_key, sortable
from datacell.sql.bind.subqueries import BindQuery, Bound, Subqueries


def bind_query(context: Context, node: exp.Expr, text: str, emission: Emission = Emission.RSTREAM) -> Query:
    """A whole query, checked: names, types, windows, state."""
    check_windows(context)
    bound = QueryBinder(context).query(node, None, None, {})
    check_windows_are_read(context)
    if context.continuous:
        check_state(context, bound.plan)
    given = tuple(c.name for c in bound.columns)
    return Query(bound.plan, text, emission, given=given if given != bound.plan.schema.names else ())


class QueryBinder:
    """Binds queries within queries; `ctes` are the named ones in sight."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def query(self, node: exp.Expr, parent: Scope | None, alias: str | None, ctes: Ctes) -> Bound:
        refuse_clauses(self.context, node)
        named = self._with(node, ctes)
        bound = self._body(node, parent, alias, named)
        self._check_unread(node, named)
        return bound

    def _body(self, node: exp.Expr, parent: Scope | None, alias: str | None, ctes: Ctes) -> Bound:
        match node:
            case exp.Select():
                subqueries = Subqueries(
                    self.context, lambda n, s: self.query(_inner(n), s, self._subquery_alias(), ctes)
                )
                return SelectBinder(self.context, node, parent, alias, ctes, self._derived, subqueries).bind()
            case exp.SetOperation():
                return self._set_operation(node, parent, alias, ctes)
            case exp.Values():
                return self._values(node, alias)
            case exp.Subquery():
                return self._parenthesized(node, parent, alias, ctes)
        raise self.context.error("a query expected", node, "write SELECT …")

    def _subquery_alias(self) -> str:
        return self.context.names.fresh("subquery")

    def _derived(self, node: exp.Expr, parent: Scope | None, alias: str, ctes: Ctes) -> Bound:
        return self.query(node, parent, alias, ctes)

    def _with(self, node: exp.Expr, ctes: Ctes) -> Ctes:
        clause = node.args.get("with_")
        if clause is None:
            return ctes
        first = clause.expressions[0]
        if clause.args.get("recursive"):
            raise self.context.unsupported("WITH RECURSIVE is not supported", first.args["alias"])
        known, own = dict(ctes), set[str]()
        for cte in clause.expressions:
            name = cte.alias.lower()
            if name in own:
                raise self.context.error(f"{cte.alias} is defined twice", cte.args["alias"], "rename one of them")
            own.add(name)
            known = {**known, name: (cte, known)}
        return known

    def _check_unread(self, node: exp.Expr, ctes: Ctes) -> None:
        """A named subquery that nothing reads must be right all the same."""
        clause = node.args.get("with_")
        for cte in clause.expressions if clause is not None else ():
            if id(cte) not in self.context.read_ctes:
                _, outside = ctes[cte.alias.lower()]
                self.query(cte.this, None, self._subquery_alias(), outside)

    def _parenthesized(self, node: exp.Subquery, parent: Scope | None, alias: str | None, ctes: Ctes) -> Bound:
        bound = self.query(node.this, parent, alias, ctes)
        return self._ordered(node, bound)

    def _set_operation(self, node: exp.SetOperation, parent: Scope | None, alias: str | None, ctes: Ctes) -> Bound:
        left = self.query(_inner(node.this), parent, alias, ctes)
        right = self.query(_inner(node.expression), parent, self._subquery_alias(), ctes)
        if len(left.columns) != len(right.columns):
            problem = f"{node.key.upper()} of {counted(len(left.columns), 'column')} and {len(right.columns)}"
            raise self.context.error(problem, node.expression, "select as many columns on both sides")
        pairs = zip(left.columns, right.columns, strict=True)
        target = [self._common(_item(node.expression, i), a, b) for i, (a, b) in enumerate(pairs)]
        names = [c.column for c in left.columns]
        inputs = [_as(bound, names, target) for bound in (left, right)]
        plan = _combined(node, *inputs)
        columns = tuple(replace(c, type=t) for c, t in zip(left.columns, target, strict=True))
        return self._ordered(node, Bound(plan, columns))

    def _common(self, node: exp.Expr, a: Visible, b: Visible) -> Type:
        found = types.common(a.type, b.type)
        if found is None:
            problem = f"column {a.name} is {a.type} on one side and {b.type} on the other"
            raise self.context.error(problem, node, "cast one of them")
        return found

    def _ordered(self, node: exp.Expr, bound: Bound) -> Bound:
        """ORDER BY after a set operation sees only the result's columns."""
        order = node.args.get("order")
        refuse = Subqueries(self.context, no_subquery(self.context, "this ORDER BY"))
        scope = Scope((Relation(None, bound.columns),))
        binder = Expressions(self.context, scope, bound.plan, "ORDER BY", refuse)
        keys, hidden = [], list[Named]()
        for item in order.expressions if order is not None else ():
            name = self._position(bound, item.this) or self._sort_column(binder, item.this, hidden)
            keys.append(sort_key(item, scalar.column(name)))
        plan = Map(bound.plan, (*bound.plan.schema.passing(), *hidden)) if hidden else bound.plan
        plan = ordered(self.context, node, plan, keys)
        return Bound(Map(plan, plan.schema.passing(bound.plan.schema.names)) if hidden else plan, bound.columns)

    def _position(self, bound: Bound, node: exp.Expr) -> str | None:
        if not (isinstance(node, exp.Literal) and node.is_int):
            return None
        return bound.columns[position(self.context, node, len(bound.columns))].column

    def _sort_column(self, binder: Expressions, node: exp.Expr, hidden: list[Named]) -> str:
        value = sortable(self.context, node, binder.bind(node))
        if isinstance(value.value, exp.Column):
            return value.value.name
        hidden.append(Named(self.context.names.fresh("sort_key"), value.value, value.type))
        return hidden[-1].name

    def _values(self, node: exp.Values, alias: str | None) -> Bound:
        nothing = Values((Field(self.context.names.fresh("one"), types.INT),), ())
        binder = Expressions(
            self.context, Scope(), nothing, "VALUES", Subqueries(self.context, no_subquery(self.context, "VALUES"))
        )
        rows = [
            [binder.bind(v) for v in (t.expressions if isinstance(t, exp.Tuple) else [t])] for t in node.expressions
        ]
        for row, written in zip(rows, node.expressions, strict=True):
            if len(row) != len(rows[0]):
                problem = f"this row has {counted(len(row), 'value')}, the first one {len(rows[0])}"
                raise self.context.error(problem, written)
        target = [self._column_type(node, [row[i] for row in rows]) for i in range(len(rows[0]))]
        called = [f"col{i + 1}" for i in range(len(target))]
        names = [self.context.names.fresh(f"{alias}.{c}" if alias else c) for c in called]
        fields = tuple(Field(n, t) for n, t in zip(names, target, strict=True))
        values = tuple(tuple(coerced(v, t) for v, t in zip(row, target, strict=True)) for row in rows)
        columns = tuple(Visible(c, f.name, f.type) for c, f in zip(called, fields, strict=True))
        return Bound(Values(fields, values), columns)

    def _column_type(self, node: exp.Expr, values: list[Typed]) -> Type:
        found = types.common_of([v.type for v in values])
        if found is None:
            raise self.context.error("VALUES of types that do not go together", node, "cast them")
        return found


def no_subquery(context: Context, clause: str) -> BindQuery:
    """For clauses that see no tables."""

    def refuse(node: exp.Expr, scope: Scope) -> Bound:
        raise context.error(f"a subquery cannot stand in {clause}", node)

    return refuse


def _inner(node: exp.Expr) -> exp.Expr:
    """A parenthesized query without ORDER BY or LIMIT of its own is the query in it."""
    while isinstance(node, exp.Subquery | exp.Paren) and not any(node.args.get(k) for k in ("order", "limit", "with_")):
        node = node.this
    return node


def _item(query: exp.Expr, index: int) -> exp.Expr:
    """The element of a select list that a column comes from, where the text tells; otherwise the query."""
    bare = _inner(query)
    starred = not isinstance(bare, exp.Select) or any(e.is_star for e in bare.expressions)
    return bare if starred else bare.expressions[index]


def _as(bound: Bound, names: list[str], target: list[Type]) -> Plan:
    """The rows of a query under these names and types."""
    if [c.column for c in bound.columns] == names and [c.type for c in bound.columns] == target:
        return bound.plan
    values = [Typed(scalar.column(c.column), c.type) for c in bound.columns]
    return Map(bound.plan, tuple(Named(n, coerced(v, t), t) for n, v, t in zip(names, values, target, strict=True)))


def _combined(node: exp.SetOperation, left: Plan, right: Plan) -> Plan:
    every = not node.args.get("distinct", True)
    match node:
        case exp.Union():
            inputs = (*(left.inputs if isinstance(left, Union) else (left,)), right)
            return Union(inputs) if every else Distinct(Union(inputs))
        case exp.Intersect():
            return Intersection(left, right) if every else Distinct(Intersection(left, right))
    return Difference(left, right) if every else StrictDifference(left, right)
