"""GROUP BY: keys, grouping sets, aggregates, and expressions over a grouped relation.

GROUPING SETS need no operator of their own: every row is copied once per set, with the keys outside the set turned to
NULL, and the set's number is one more key::

    GROUPING SETS ((a, b), (a))   =   group by a, b', set of  rows × (0, 1),  b' = CASE WHEN set = 0 THEN b END
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Aggregate, Filter, Group, Join, Map, Order, Plan, Values
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT, TINYINT
from datacell.errors import SqlError
from datacell.sql.bind.analytic import SelectExpressions, nulls_outside, orders_only, within_group
from datacell.sql.bind.coercing import cast, operand
from datacell.sql.bind.context import Typed
from datacell.sql.bind.expressions import MODIFIERS, Expressions, is_quantified, not_grouped
from datacell.sql.bind.function_calls import call_over_rows, lookup
from datacell.sql.bind.user_functions import meant
from datacell.sql.functions import FunctionKind

Sets = list[frozenset[int]]

MOST_SETS = 4096
"""Every row is copied once per set, so a CUBE of more than twelve columns is a mistake."""


def is_aggregate(node: exp.Expr) -> bool:
    if isinstance(node, exp.Anonymous):
        function = meant(node)
        return function is not None and function.kind is FunctionKind.AGGREGATE
    return isinstance(node, MODIFIERS)


def aggregates(node: exp.Expr) -> Iterable[exp.Expr]:
    """The outermost aggregate calls of an expression: not those of subqueries, nor those that OVER makes analytic."""
    if isinstance(node, exp.Query | exp.Subquery | exp.Exists):
        return
    if is_quantified(node):  # ANY is also the name of an aggregate
        for part in (node.this, *node.expression.expressions):
            yield from aggregates(part)
    elif isinstance(node, exp.Window):
        inner = node.this
        while isinstance(inner, MODIFIERS):
            inner = inner.this
        for child in (*inner.iter_expressions(), *(c for c in node.iter_expressions() if c is not node.this)):
            yield from aggregates(child)
    elif is_aggregate(node):
        yield node
    else:
        for child in node.iter_expressions():
            yield from aggregates(child)


_READ_IN_ORDER = frozenset(
    ["array_agg", "any_value", "collect_list", "first", "first_value", "last", "last_value", "listagg", "string_agg"]
)
"""In Spark they see rows as they come, also in the order of a subquery, which nobody else keeps."""


class GroupedExpressions(SelectExpressions):
    """Binds expressions over groups: what is no key and no aggregate must be made of keys and aggregates."""

    def __init__(self, inner: Expressions, keys: Sequence[Named], sets: Sets, windows: dict[str, exp.Window]) -> None:
        super().__init__(inner.context, inner.scope, inner.plan, "SELECT", inner.subqueries, windows)
        self.inner, self.keys, self.sets = inner, list(keys), sets
        self.matches = {k.value: k for k in keys}
        self.found: dict[exp.Expr, Named] = {}
        self.registered: dict[int, Named] = {}
        self.set_number = self.context.names.fresh("grouping_id")
        inner.clause = "an aggregate"

    def collect(self, nodes: Iterable[exp.Expr]) -> None:
        """Register every aggregate that will be met, then build the plan that computes them."""
        for node in nodes:
            for found in aggregates(node):
                if not self._is_grouping(found):
                    self._register(found)
        self.plan = self._grouped_plan()

    def bind(self, node: exp.Expr) -> Typed:
        if isinstance(node, exp.Column) and self.sets and _is_grouping_id(self, node):
            positions = list(range(len(self.original_keys)))
            return Typed(self._by_set([_bits(s, positions) for s in self.sets]), BIGINT)
        if isinstance(node, exp.Query | exp.Subquery | exp.Exists | exp.Window) or is_aggregate(node):
            return super().bind(node)
        before = self._before_grouping(node)
        if before is not None:
            key = self.matches.get(before.value.unnest())
            if key is not None:
                return Typed(scalar.column(key.name), key.type)
            if not scalar.columns(before.value):
                return before
        if isinstance(node, exp.Column):
            alias = self.aliases.get(node.name.lower()) if len(node.parts) == 1 else None
            if alias is None or self.scope.find(node.name):
                raise not_grouped(self.context, node)
            return Typed(operand(alias.value.copy()), alias.type)
        return super().bind(node)

    def aggregate(self, node: exp.Expr) -> Typed:
        if self._is_grouping(node):
            return self._grouping(node)
        found = self._register(node)
        return Typed(scalar.column(found.name), found.type)

    def _before_grouping(self, node: exp.Expr) -> Typed | None:
        """The expression over the rows before grouping, where it has such a meaning."""
        if isinstance(node, exp.Column) and len(node.parts) == 1 and not self.scope.find(node.name):
            alias = self.aliases.get(node.name.lower())
            if alias is not None:
                return None if scalar.columns(alias.value) else Typed(alias.value.copy(), alias.type)
        if self.scope.parent is not None and self._names_alias(node):
            return None  # it is nearer than a column of the query around this one
        if next(iter(aggregates(node)), None) is not None or node.find(exp.Query, exp.Window) is not None:
            return None
        try:
            return self.inner.bind(node)
        except SqlError:
            if any(c.name.lower() in self.aliases for c in node.find_all(exp.Column)):
                return None
            raise

    def _names_alias(self, node: exp.Expr) -> bool:
        columns = (c for c in node.find_all(exp.Column) if len(c.parts) == 1)
        return any(c.name.lower() in self.aliases and not self.scope.find(c.name) for c in columns)

    # Aggregates

    def _register(self, node: exp.Expr) -> Named:
        """Bound once only: binding a subquery within the aggregate extends the plan below it."""
        if id(node) not in self.registered:
            bound = self._bound_aggregate(node)
            found = self.found.get(bound.value)
            if found is None:
                name = self.context.names.fresh(_wish(bound.value))
                found = self.found[bound.value] = Named(name, bound.value, bound.type)
            self.registered[id(node)] = found
        return self.registered[id(node)]

    def _bound_aggregate(self, node: exp.Expr) -> Typed:
        match node:
            case exp.Filter():
                inner = self._bound_aggregate(node.this)
                self.inner.clause = "FILTER"
                condition = self.inner.predicate(node.expression.this)
                self.inner.clause = "an aggregate"
                return Typed(exp.Filter(this=inner.value, expression=exp.Where(this=condition)), inner.type)
            case exp.IgnoreNulls() | exp.RespectNulls():
                inner = self._bound_aggregate(node.this)
                return Typed(type(node)(this=inner.value), inner.type)
            case exp.WithinGroup():
                return self._within_group(node)
        lifted = nulls_outside(node)
        if lifted is not node:
            return self._bound_aggregate(lifted)
        function = lookup(self.context, node) if isinstance(node, exp.Anonymous) else None
        if not isinstance(node, exp.Anonymous) or function is None or function.kind is not FunctionKind.AGGREGATE:
            raise self.context.error("this is no aggregate", node, "FILTER and IGNORE NULLS belong to an aggregate")
        if function.name in _READ_IN_ORDER and _is_ordered(self.inner.plan):
            raise self.context.unsupported(f"{function.name} reads its rows in the order of a subquery", node)
        return call_over_rows(self.inner, node, function)

    def _within_group(self, node: exp.WithinGroup) -> Typed:
        ordered = node.expression.expressions
        keys = [self.inner.bind(o.this) for o in ordered]
        more = [] if orders_only(node.this) else [k.type for k in keys]
        call = call_over_rows(self.inner, node.this, lookup(self.context, node.this), more)
        return within_group(call, keys, ordered, self.inner.computed)

    # Grouping sets

    def _is_grouping(self, node: exp.Expr) -> bool:
        return isinstance(node, exp.Anonymous) and node.name.lower() in ("grouping", "grouping_id")

    def _grouping(self, node: exp.Expr) -> Typed:
        if not self.sets:
            raise self.context.error(f"{node.name} needs GROUPING SETS, ROLLUP or CUBE", node)
        if node.name.lower() == "grouping_id":
            positions = [self._key_position(a) for a in node.expressions] or list(range(len(self.keys)))
            return Typed(self._by_set([_bits(s, positions) for s in self.sets]), BIGINT)
        if len(node.expressions) != 1:
            problem = f"grouping takes 1 argument, not {len(node.expressions)}"
            raise self.context.error(problem, node, "write grouping(column)")
        position = self._key_position(node.expressions[0])
        return Typed(cast(self._by_set([int(position not in s) for s in self.sets]), TINYINT), TINYINT)

    def _key_position(self, node: exp.Expr) -> int:
        value = self.inner.bind(node).value
        for position, key in enumerate(self.original_keys):
            if key.value == value:
                return position
        raise self.context.error("this is not one of the grouped columns", node, "it must be a GROUP BY expression")

    def _by_set(self, numbers: list[int]) -> exp.Expr:
        ifs = [
            exp.If(
                this=exp.EQ(this=scalar.column(self.set_number), expression=exp.Literal.number(index)),
                true=cast(exp.Literal.number(number), BIGINT),
            )
            for index, number in enumerate(numbers)
        ]
        return exp.Case(ifs=ifs)

    def _grouped_plan(self) -> Plan:
        self.original_keys = list(self.keys)
        source = self.inner.plan
        keys = tuple(self.keys)
        if not keys and not self.found:
            rows = scalar.call("count", exp.Star())
            self.found[rows] = Named(self.context.names.fresh("count"), rows, BIGINT)
        if self.sets:
            source, keys = self._expanded(source)
        grouped = Group(source, keys) if keys else source
        return Aggregate(grouped, tuple(self.found.values()))

    def _expanded(self, source: Plan) -> tuple[Plan, tuple[Named, ...]]:
        numbers = tuple((cast(exp.Literal.number(index), BIGINT),) for index in range(len(self.sets)))
        copies = Join(source, Values((Field(self.set_number, BIGINT),), numbers))
        nulled = []
        for position, key in enumerate(self.keys):
            within = [exp.Literal.number(i) for i, s in enumerate(self.sets) if position in s]
            condition = exp.In(this=scalar.column(self.set_number), expressions=within) if within else exp.false()
            value = exp.Case(ifs=[exp.If(this=condition, true=key.value.copy())])
            nulled.append(Named(self.context.names.fresh(f"{key.name}_in_set"), value, key.type))
        self.matches = {key.value: new for key, new in zip(self.keys, nulled, strict=True)}
        expanded = Map(copies, (*copies.schema.passing(), *nulled))
        names = (*(n.name for n in nulled), self.set_number)
        return expanded, expanded.schema.passing(names)


def _is_grouping_id(binder: GroupedExpressions, node: exp.Column) -> bool:
    """``grouping__id``, as Hive calls it."""
    is_bare = len(node.parts) == 1 and node.meta.get("visible") is None
    return is_bare and node.name.lower() == "grouping__id" and not binder.scope.find(node.name)


def grouping_sets(own: Sequence[int], parts: Sequence[Sequence[Sequence[int]]]) -> Sets:
    """All combinations: each grouping element contributes one of its sets, plain keys are in every set."""
    if not parts:
        return []
    return [frozenset(own).union(*choice) for choice in product(*parts)]


def rollup(keys: Sequence[Sequence[int]]) -> list[list[int]]:
    return [[i for key in keys[:length] for i in key] for length in range(len(keys), -1, -1)]


def cube(keys: Sequence[Sequence[int]]) -> list[list[int]]:
    chosen = product((True, False), repeat=len(keys))
    return [[i for key, taken in zip(keys, choice, strict=True) if taken for i in key] for choice in chosen]


def _bits(members: frozenset[int], positions: Sequence[int]) -> int:
    """Spark's number of a set: a one for every key that is rolled up, the first key first."""
    return sum(1 << (len(positions) - 1 - i) for i, p in enumerate(positions) if p not in members)


def _wish(value: exp.Expr) -> str:
    call = value if isinstance(value, exp.Anonymous) else value.find(exp.Anonymous)
    assert call is not None
    columns = scalar.columns(call)
    column = next(iter(columns)).rpartition(".")[2] if len(columns) == 1 else ""
    return f"{call.name}_{column}" if column else call.name


def _is_ordered(plan: Plan) -> bool:
    """Do the rows come in an order that somebody asked for?"""
    while isinstance(plan, Map | Filter):
        plan = plan.child
    return isinstance(plan, Order)
