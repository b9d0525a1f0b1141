"""Queries: SELECT, set operations, VALUES, WITH, and the checks that concern a whole query."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar, tree, types
from datacell.algebra.plan import (
    Apply,
    Difference,
    Distinct,
    Filter,
    Intersection,
    Join,
    JoinKind,
    Map,
    Plan,
    Stream,
    StrictDifference,
    Union,
    Values,
    Window,
)
from datacell.algebra.query import Emission, Query
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import Type
from datacell.algebra.window import counts_rows
from datacell.errors import SqlError, did_you_mean
from datacell.sql.context import Context, Typed
from datacell.sql.expressions import Expressions, coerced
from datacell.sql.relations import Ctes
from datacell.sql.scope import Scope, Visible
from datacell.sql.select import SelectBinder, ordered, sort_key
from datacell.sql.subqueries import BindQuery, Bound, Subqueries


def bind_query(context: Context, node: exp.Expr, text: str, emission: Emission) -> Query:
    """A whole query, checked: names, types, windows, state."""
    _check_windows(context)
    bound = QueryBinder(context).query(node, None, None, {})
    if context.continuous:
        _check_state(context, bound.plan)
    if emission is not Emission.RSTREAM and not any(w.window.slide for w in context.windows.values()):
        raise context.error(
            f"{emission.value.upper()} compares a boundary with the one before", node, "add a window with SLIDE"
        )
    return Query(bound.plan, text, emission)


class QueryBinder:
    """Binds queries within queries; `ctes` are the named ones in sight."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def query(self, node: exp.Expr, parent: Scope | None, alias: str | None, ctes: Ctes) -> Bound:
        ctes = self._with(node, ctes)
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
        if clause.args.get("recursive"):
            raise self.context.error("WITH RECURSIVE is not supported", node)
        known = dict(ctes)
        for cte in clause.expressions:
            known = {**known, cte.alias.lower(): (cte, known)}
        return known

    def _parenthesized(self, node: exp.Subquery, parent: Scope | None, alias: str | None, ctes: Ctes) -> Bound:
        bound = self.query(node.this, parent, alias, ctes)
        return self._ordered(node, bound)

    def _set_operation(self, node: exp.SetOperation, parent: Scope | None, alias: str | None, ctes: Ctes) -> Bound:
        left = self.query(_inner(node.this), parent, alias, ctes)
        right = self.query(_inner(node.expression), parent, self._subquery_alias(), ctes)
        if len(left.columns) != len(right.columns):
            raise self.context.error(
                f"{node.key.upper()} of {len(left.columns)} and {len(right.columns)} columns", node.expression
            )
        target = [self._common(node, a, b) for a, b in zip(left.columns, right.columns, strict=True)]
        names = [c.column for c in left.columns]
        inputs = [_as(bound, names, target) for bound in (left, right)]
        plan = _combined(node, *inputs)
        columns = tuple(replace(c, type=t) for c, t in zip(left.columns, target, strict=True))
        return self._ordered(node, Bound(plan, columns))

    def _common(self, node: exp.Expr, a: Visible, b: Visible) -> Type:
        found = types.common(a.type, b.type)
        if found is None:
            raise self.context.error(
                f"column {a.name} is {a.type} on one side and {b.type} on the other",
                node.expression,
                "cast one of them",
            )
        return found

    def _ordered(self, node: exp.Expr, bound: Bound) -> Bound:
        """ORDER BY after a set operation sees only the result's columns."""
        order = node.args.get("order")
        keys = []
        for item in order.expressions if order is not None else ():
            keys.append(sort_key(item, scalar.column(self._result_column(bound, item.this))))
        return Bound(ordered(self.context, node, bound.plan, keys), bound.columns)

    def _result_column(self, bound: Bound, node: exp.Expr) -> str:
        if isinstance(node, exp.Literal) and node.is_int and 1 <= int(node.name) <= len(bound.columns):
            return bound.columns[int(node.name) - 1].column
        found = [c for c in bound.columns if isinstance(node, exp.Column) and c.name.lower() == node.name.lower()]
        if not found:
            hint = did_you_mean(node.name, [c.name for c in bound.columns])
            raise self.context.error("ORDER BY may name only the result's columns here", node, hint)
        return found[0].column

    def _values(self, node: exp.Values, alias: str | None) -> Bound:
        nothing = Values((Field(self.context.names.fresh("one"), types.INT),), ())
        binder = Expressions(
            self.context, Scope(), nothing, "VALUES", Subqueries(self.context, no_subquery(self.context, "VALUES"))
        )
        rows = [
            [binder.bind(v) for v in (t.expressions if isinstance(t, exp.Tuple) else [t])] for t in node.expressions
        ]
        if len({len(row) for row in rows}) != 1:
            raise self.context.error("VALUES of different lengths", node)
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


# Checks of a whole query


def _check_windows(context: Context) -> None:
    placed = list(context.windows.values())
    other = next((p for p in placed if counts_rows(p.window) != counts_rows(placed[0].window)), None)
    if other is not None:
        raise SqlError(
            "row windows and time windows cannot be mixed in one query",
            place=other.place,
            hint="a row window counts arrivals, a time window measures time: use one kind",
        )


def _check_state(context: Context, plan: Plan) -> None:
    """A stream without a window never forgets: only operators that need no state may read it."""
    keeper = _keeper(plan)
    if keeper is not None:
        stream, operator = keeper
        raise context.error(
            f"{stream.name} needs a window: {operator} over an endless stream would need unbounded state",
            context.stream_nodes[stream.alias],
            f"write {stream.name} [RANGE 5 MINUTES SLIDE 1 MINUTE]",
        )


def _keeper(plan: Plan) -> tuple[Stream, str] | None:
    """An unwindowed stream and an operator above it that would have to remember its rows."""
    match plan:
        case Window():
            return None
        case Filter() | Map():
            return _keeper(plan.child)
        case Join() | Apply():
            return _join_keeper(plan)
        case Union():
            mixed = bool(tree.windows(plan))
            return next((k for i in plan.inputs if (k := _bare(i, plan) if mixed else _keeper(i))), None)
    return next((k for child in plan.children if (k := _bare(child, plan))), None)


def _join_keeper(plan: Join | Apply) -> tuple[Stream, str] | None:
    kept = {JoinKind.RIGHT: (plan.right, plan.left), JoinKind.FULL: None}.get(plan.kind, (plan.left, plan.right))
    if plan.kind is JoinKind.INNER and not tree.has_stream(plan.left):
        kept = (plan.right, plan.left)
    if kept is None or tree.has_stream(kept[1]):
        return _bare(plan.left, plan) or _bare(plan.right, plan)
    return _keeper(kept[0])


def _bare(plan: Plan, above: Plan) -> tuple[Stream, str] | None:
    if isinstance(plan, Window):
        return None
    if isinstance(plan, Stream):
        return plan, type(above).__name__.lower()
    return next((k for child in plan.children if (k := _bare(child, above))), None)
