"""apply(A, q)  =  A ⋈ q′, where q′ answers q for all the values of A that it reads at once.

q′ carries those values, its *domain*, as further columns d from its sources up: filters read d instead of the outer
row, groups and partitions get d as further keys, and the join with A compares them. Where q asks ``x = outer.c`` the
domain needs no table: x itself plays d. Elsewhere it is the distinct values of A.

An aggregate without groups has a row even for a value that matches nothing. Directly under a left apply that row is
put in afterwards (``count`` is 0, the others are NULL); elsewhere every value of the domain is joined in before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from datacell.algebra import scalar, tree, types
from datacell.algebra.plan import (
    Aggregate,
    Apply,
    Distinct,
    Filter,
    Group,
    Join,
    JoinKind,
    Map,
    Order,
    Over,
    Plan,
    SetOperation,
    SortKey,
    Union,
)
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BOOLEAN, INT
from datacell.errors import PlanError

_EMPTY_IS_ZERO = frozenset({"count", "count_if", "approx_count_distinct", "regr_count"})
_EMPTY_IS_NULL = frozenset(
    {"sum", "avg", "mean", "min", "max", "any_value", "first", "last", "first_value", "last_value", "median", "mode"}
    | {"stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop", "std", "min_by", "max_by"}
    | {"percentile", "percentile_approx", "approx_percentile", "bool_and", "bool_or", "every", "some", "any"}
)


def rewrite(node: Plan) -> Plan:
    if not isinstance(node, Apply):
        return node
    if not node.correlation:
        return Join(node.left, node.right, node.kind, node.condition)
    if node.kind is JoinKind.LEFT and _takes_all(node) and (below := _aggregate_below(node.right)) is not None:
        return _filled_in(node, below)
    return _joined(node, _carrier(node, every_value=True))


def _takes_all(node: Apply) -> bool:
    return node.condition is None or node.condition == exp.true()


def _joined(node: Apply, carrier: _Carrier) -> Plan:
    right = carrier.carry(node.right)
    parts = [] if node.condition is None else list(scalar.conjuncts(node.condition))
    joined = Join(node.left, right, node.kind, scalar.conjoin([*parts, *carrier.matches_left(right)]))
    return _narrowed(joined, node.schema.names) if node.kind.keeps_right else joined


def _filled_in(node: Apply, below: Aggregate) -> Plan:
    """A left apply of an ungrouped aggregate: groups that are not there get the values of an empty input."""
    carrier = _carrier(node, every_value=False)
    marker = carrier.fresh("found")
    right = carrier.carry(node.right)
    marked = Map(right, (*right.schema.passing(), Named(marker, exp.true(), BOOLEAN)))
    joined = Join(node.left, marked, JoinKind.LEFT, scalar.conjoin(carrier.matches_left(right)))
    mine = {name: scalar.column(name) for name in node.correlation}
    empty = {n: scalar.substitute_outer(v, mine) for n, v in _values_on_empty(node.right, below).items()}
    absent = exp.Is(this=scalar.column(marker), expression=exp.Null())
    filled = [
        Named(
            f.name,
            exp.Case(ifs=[exp.If(this=absent.copy(), true=empty[f.name])], default=scalar.column(f.name)),
            f.type,
        )
        if not isinstance(empty[f.name], exp.Null)
        else Named(f.name, scalar.column(f.name), f.type)
        for f in node.right.schema
    ]
    return Map(joined, (*node.left.schema.passing(), *filled))


def _aggregate_below(plan: Plan) -> Aggregate | None:
    """The ungrouped aggregate under maps alone, if its values on an empty input are known."""
    while isinstance(plan, Map):
        plan = plan.child
    if not isinstance(plan, Aggregate) or plan.keys:
        return None
    known = _EMPTY_IS_ZERO | _EMPTY_IS_NULL
    return plan if all(_function(a.value) in known for a in plan.aggregates) else None


def _values_on_empty(plan: Plan, below: Aggregate) -> dict[str, exp.Expr]:
    if plan is below:
        zero = exp.Literal.number(0)
        return {a.name: zero if _function(a.value) in _EMPTY_IS_ZERO else exp.Null() for a in below.aggregates}
    assert isinstance(plan, Map)
    under = _values_on_empty(plan.child, below)
    return {c.name: scalar.substitute(c.value, under) for c in plan.columns}


def _function(value: exp.Expr) -> str:
    call = value if isinstance(value, exp.Anonymous) else value.find(exp.Anonymous)
    return call.name if call is not None else ""


def _carrier(node: Apply, every_value: bool) -> _Carrier:
    taken = frozenset(name for plan in tree.descendants(node) for name in plan.schema.names)
    outer = tuple(node.left.schema.field(name) for name in node.correlation)
    names = tuple(_fresh(f.name, taken) for f in outer)
    return _Carrier(node.left, outer, names, taken, every_value)


@dataclass(frozen=True)
class _Carrier:
    """Carries the domain, columns `outer` of the left under `names`, through a plan.

    `every_value`: does the next aggregate without groups need a row for values of the domain that match nothing?
    """

    left: Plan
    outer: tuple[Field, ...]
    names: tuple[str, ...]
    taken: frozenset[str]
    every_value: bool

    def matches_left(self, carried: Plan) -> list[exp.Expr]:
        """The left row's values are those that the carried row stands for.

        NULL is a value like others, but where equalities play the domain no row stands for it.
        """
        same = _same if any(map(self._is_domain, tree.descendants(carried))) else _equal
        return [same(scalar.column(f.name), scalar.column(n)) for f, n in zip(self.outer, self.names, strict=True)]

    def carry(self, plan: Plan) -> Plan:
        """The plan for all values of the domain, which are further columns of its result."""
        if not plan.outer & {f.name for f in self.outer}:
            return Join(plan, self._domain())
        match plan:
            case Filter(child, predicate):
                return self._filter(child, predicate)
            case Map(child, columns):
                carried = self.carry(child)
                return Map(carried, (*self._inside(columns), *carried.schema.passing(self.names)))
            case Aggregate():
                return self._aggregate(plan)
            case Distinct(child):
                return Distinct(self.carry(child))
            case Over(child, functions):
                carried = self.carry(child)
                return Over(carried, tuple(replace(f, value=self._partitioned(f.value)) for f in functions))
            case Order():
                return self._order(plan)
            case Join():
                return self._join(plan)
            case Union(inputs):
                return Union(tuple(self._aligned(i) for i in inputs))
            case SetOperation(left, right):
                return type(plan)(self._aligned(left), self._aligned(right))
        raise PlanError(f"{plan.head()} cannot read an outer row")

    def fresh(self, wish: str) -> str:
        return _fresh(wish, self.taken | set(self.names))

    # The domain

    def _domain(self) -> Plan:
        columns = zip(self.names, self.outer, strict=True)
        return Distinct(Map(self.left, tuple(Named(n, scalar.column(f.name), f.type) for n, f in columns)))

    def _is_domain(self, plan: Plan) -> bool:
        return isinstance(plan, Distinct) and isinstance(plan.child, Map) and plan.child.child is self.left

    def _filter(self, child: Plan, predicate: exp.Expr) -> Plan:
        """Where the filter fixes every value it reads by an equality, that other side is the domain."""
        parts = list(scalar.conjuncts(predicate))
        sources = self._equated(parts, child.schema) if not child.outer else None
        if sources is None:
            return Filter(self.carry(child), self._read(predicate))
        rest = [self._read(p) for p in parts if not any(p is used for used, _ in sources.values())]
        values = [Named(n, sources[f.name][1].copy(), f.type) for n, f in zip(self.names, self.outer, strict=True)]
        carried = Map(child, (*child.schema.passing(), *values))
        present = [exp.Not(this=exp.Is(this=scalar.column(n), expression=exp.Null())) for n in self.names]
        return Filter(carried, scalar.conjoin([*rest, *present]))

    def _equated(self, parts: Sequence[exp.Expr], schema: Schema) -> dict[str, tuple[exp.Expr, exp.Expr]] | None:
        """For each outer column, the condition that fixes it and the value in its type; None if one is not fixed."""
        wanted = {f.name: f.type for f in self.outer}
        found: dict[str, tuple[exp.Expr, exp.Expr]] = {}
        for part in parts:
            sides = (part.this, part.expression) if isinstance(part, exp.EQ) else None
            for mine, other in (sides, sides[::-1]) if sides else ():
                if scalar.is_outer(mine) and mine.name in wanted:
                    value = _in_type(other, schema, wanted[mine.name])
                    if value is not None:
                        found.setdefault(mine.name, (part, value))
        return found if len(found) == len(wanted) else None

    # Expressions

    def _read(self, node: exp.Expr) -> exp.Expr:
        values = {f.name: scalar.column(n) for f, n in zip(self.outer, self.names, strict=True)}
        return scalar.substitute_outer(node, values)

    def _inside(self, columns: Sequence[Named]) -> list[Named]:
        return [replace(c, value=self._read(c.value)) for c in columns]

    def _partitioned(self, node: exp.Expr) -> exp.Expr:
        window = self._read(node)
        window.set("partition_by", [*(window.args.get("partition_by") or ()), *map(scalar.column, self.names)])
        return window

    # Operators

    def _aggregate(self, plan: Aggregate) -> Plan:
        aggregates = tuple(self._inside(plan.aggregates))
        below = replace(self, every_value=True)
        if plan.keys:
            child = below.carry(_ungrouped(plan.child))
            keys = (*self._inside(plan.keys), *child.schema.passing(self.names))
            return Aggregate(Group(child, keys), aggregates)
        child = below.carry(plan.child)
        if not self.every_value:
            return Aggregate(Group(child, child.schema.passing(self.names)), aggregates)
        return self._over_every_value(child, aggregates)

    def _over_every_value(self, child: Plan, aggregates: Sequence[Named]) -> Plan:
        """Join the domain in, so that values without rows have a group; its one empty row does not count."""
        marker = self.fresh("found")
        inner_names = tuple(_fresh(n, self.taken | set(self.names)) for n in self.names)
        renamed = dict(zip(self.names, inner_names, strict=True))
        columns = [replace(c, name=renamed.get(c.name, c.name)) for c in child.schema.passing()]
        marked = Map(child, (*columns, Named(marker, exp.true(), BOOLEAN)))
        same = [_same(scalar.column(n), scalar.column(i)) for n, i in renamed.items()]
        joined = Join(self._domain(), marked, JoinKind.LEFT, scalar.conjoin(same))
        grouped = Group(joined, joined.schema.passing(self.names))
        return Aggregate(grouped, tuple(replace(a, value=_only(marker, a.value)) for a in aggregates))

    def _order(self, plan: Order) -> Plan:
        child = self.carry(plan.child)
        if plan.limit is None and not plan.offset:
            return child
        number = self.fresh("row_number")
        ranked = Over(child, (Named(number, self._row_number(plan.keys), INT),))
        bounds: list[exp.Expr] = []
        if plan.offset:
            bounds.append(exp.GT(this=scalar.column(number), expression=exp.Literal.number(plan.offset)))
        if plan.limit is not None:
            last = exp.Literal.number(plan.offset + plan.limit)
            bounds.append(exp.LTE(this=scalar.column(number), expression=last))
        return _narrowed(Filter(ranked, scalar.conjoin(bounds)), child.schema.names)

    def _row_number(self, keys: Sequence[SortKey]) -> exp.Expr:
        ordered = [exp.Ordered(this=self._read(k.value), desc=k.descending, nulls_first=k.nulls_first) for k in keys]
        return exp.Window(
            this=scalar.call("row_number"),
            partition_by=list(map(scalar.column, self.names)),
            order=exp.Order(expressions=ordered) if ordered else None,
            over="OVER",
        )

    def _join(self, plan: Join) -> Plan:
        condition = None if plan.condition is None else self._read(plan.condition)
        left_reads = bool(plan.left.outer) or (
            plan.condition is not None and bool(scalar.outer_columns(plan.condition))
        )
        if not plan.right.outer and plan.kind not in (JoinKind.RIGHT, JoinKind.FULL):
            return Join(self.carry(plan.left), plan.right, plan.kind, condition)
        if not left_reads and plan.kind in (JoinKind.INNER, JoinKind.RIGHT):
            return Join(plan.left, self.carry(plan.right), plan.kind, condition)
        return self._join_both(plan, condition)

    def _join_both(self, plan: Join, condition: exp.Expr | None) -> Plan:
        names = tuple(self.fresh(n) for n in self.names)
        other = replace(self, names=names, taken=self.taken | set(self.names))
        left, right = self.carry(plan.left), other.carry(plan.right)
        same = [_same(scalar.column(a), scalar.column(b)) for a, b in zip(self.names, names, strict=True)]
        parts = [] if condition is None else list(scalar.conjuncts(condition))
        joined = Join(left, right, plan.kind, scalar.conjoin([*parts, *same]))
        if not plan.kind.keeps_right:
            return joined
        domain = tuple(
            Named(a, scalar.call("coalesce", scalar.column(a), scalar.column(b)), f.type)
            for a, b, f in zip(self.names, names, self.outer, strict=True)
        )
        return Map(joined, (*joined.schema.passing(plan.schema.names), *domain))

    def _aligned(self, plan: Plan) -> Plan:
        """Inputs of a set operation need one order of columns."""
        return _narrowed(self.carry(plan), (*plan.schema.names, *self.names))


def _in_type(value: exp.Expr, schema: Schema, wanted: Type) -> exp.Expr | None:
    """The value in the wanted type, if it surely keeps what it equals there: as it is, or a smaller integer."""
    match value:
        case exp.Column() if not scalar.is_outer(value):
            own = schema.type(value.name)
        case exp.Cast() | exp.TryCast() if not scalar.outer_columns(value):
            own = types.of_sqlglot(value.args["to"])
        case _:
            return None
    if own == wanted:
        return value
    grows = own in types.INTEGERS and wanted in types.INTEGERS and types.common(own, wanted) == wanted
    return exp.TryCast(this=value.copy(), to=types.to_sqlglot(wanted)) if grows else None


def _ungrouped(plan: Plan) -> Plan:
    if not isinstance(plan, Group):
        raise PlanError("a grouped window inside a subquery that reads an outer row")
    return plan.child


def _narrowed(plan: Plan, names: Sequence[str]) -> Plan:
    return Map(plan, plan.schema.passing(names))


def _same(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    return exp.NullSafeEQ(this=a, expression=b)


def _equal(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    return exp.EQ(this=a, expression=b)


def _only(marker: str, aggregate: exp.Expr) -> exp.Expr:
    """The aggregate over the rows that have the marker."""
    present = exp.Not(this=exp.Is(this=scalar.column(marker), expression=exp.Null()))
    if isinstance(aggregate, exp.Filter):
        both = scalar.conjoin([aggregate.expression.this, present])
        return exp.Filter(this=aggregate.this.copy(), expression=exp.Where(this=both))
    return exp.Filter(this=aggregate.copy(), expression=exp.Where(this=present))


def _fresh(wish: str, taken: frozenset[str] | set[str]) -> str:
    name = f"{wish}′"
    while name in taken:
        name += "′"
    return name
