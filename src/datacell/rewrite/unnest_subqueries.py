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
from datacell.algebra.carry import Carrier, fresh, same_value
from datacell.algebra.plan import Aggregate, Apply, Distinct, Filter, Group, Join, JoinKind, Map, Plan
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.types import BOOLEAN, Type

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
    takes_all = node.condition is None or node.condition == exp.true()
    if node.kind is JoinKind.LEFT and takes_all and (below := _aggregate_below(node.right)) is not None:
        return _filled_in(node, below)
    return _joined(node)


def _joined(node: Apply) -> Plan:
    values = _outer_values(node)
    right = values.carry(node.right)
    parts = [] if node.condition is None else list(scalar.conjuncts(node.condition))
    joined = Join(node.left, right, node.kind, scalar.conjoin([*parts, *values.matches_left(right)]))
    return Map(joined, joined.schema.passing(node.schema.names)) if node.kind.keeps_right else joined


# An aggregate without groups, directly under a left apply


def _filled_in(node: Apply, below: Aggregate) -> Plan:
    """Groups that are not there get the values of an empty input."""
    values = _outer_values(node)
    marker = values.fresh("found")
    right = _grouped(values, node.right, below)
    marked = Map(right, (*right.schema.passing(), Named(marker, exp.true(), BOOLEAN)))
    joined = Join(node.left, marked, JoinKind.LEFT, scalar.conjoin(values.matches_left(right)))
    mine = {name: scalar.column(name) for name in node.correlation}
    empty = {n: scalar.substitute_outer(v, mine) for n, v in _values_on_empty(node.right, below).items()}
    filled = [_or_if_absent(marker, column, empty[column.name]) for column in node.right.schema.passing()]
    return Map(joined, (*node.left.schema.passing(), *filled))


def _grouped(values: _OuterValues, plan: Plan, below: Aggregate) -> Plan:
    """The plan with the domain as keys of its aggregate, and so without rows for values that match nothing."""
    if plan is below:
        child = values.carry(below.child)
        return Aggregate(Group(child, child.schema.passing(values.names)), values.all_inside(below.aggregates))
    assert isinstance(plan, Map)
    carried = _grouped(values, plan.child, below)
    return Map(carried, (*values.all_inside(plan.columns), *carried.schema.passing(values.names)))


def _or_if_absent(marker: str, column: Named, empty: exp.Expr) -> Named:
    if isinstance(empty, exp.Null):
        return column
    absent = exp.Is(this=scalar.column(marker), expression=exp.Null())
    return replace(column, value=exp.Case(ifs=[exp.If(this=absent, true=empty)], default=column.value.copy()))


def _aggregate_below(plan: Plan) -> Aggregate | None:
    """The ungrouped aggregate under maps alone, if its values on an empty input are known."""
    while isinstance(plan, Map):
        plan = plan.child
    if not isinstance(plan, Aggregate) or plan.keys:
        return None
    known = _EMPTY_IS_ZERO | _EMPTY_IS_NULL
    return plan if all(scalar.function_name(a.value) in known for a in plan.aggregates) else None


def _values_on_empty(plan: Plan, below: Aggregate) -> dict[str, exp.Expr]:
    if plan is below:
        zero = exp.Literal.number(0)
        return {
            a.name: zero if scalar.function_name(a.value) in _EMPTY_IS_ZERO else exp.Null() for a in below.aggregates
        }
    assert isinstance(plan, Map)
    under = _values_on_empty(plan.child, below)
    return {c.name: scalar.substitute(c.value, under) for c in plan.columns}


# The domain


def _outer_values(node: Apply) -> _OuterValues:
    taken = frozenset(name for plan in tree.descendants(node) for name in plan.schema.names)
    outer = tuple(node.left.schema.field(name) for name in node.correlation)
    return _OuterValues(tuple(Field(fresh(f.name, taken), f.type) for f in outer), taken, node.left, outer)


@dataclass(frozen=True)
class _OuterValues(Carrier):
    """Carries the columns `outer` of the left, which the plan reads as ``outer``."""

    left: Plan
    outer: tuple[Field, ...]

    def depends(self, plan: Plan) -> bool:
        return bool(plan.outer & {f.name for f in self.outer})

    def reads(self, node: exp.Expr) -> bool:
        return bool(scalar.outer_columns(node) & {f.name for f in self.outer})

    def domain(self) -> Plan:
        pairs = zip(self.names, self.outer, strict=True)
        return Distinct(Map(self.left, tuple(Named(n, scalar.column(f.name), f.type) for n, f in pairs)))

    def inside(self, node: exp.Expr) -> exp.Expr:
        values = {f.name: scalar.column(n) for f, n in zip(self.outer, self.names, strict=True)}
        return scalar.substitute_outer(node, values)

    def all_inside(self, columns: Sequence[Named]) -> tuple[Named, ...]:
        return tuple(replace(c, value=self.inside(c.value)) for c in columns)

    def matches_left(self, carried: Plan) -> list[exp.Expr]:
        """The left row's values are those that the carried row stands for.

        NULL is a value like others, but where equalities play the domain no row stands for it.
        """
        same = same_value if any(map(self._is_domain, tree.descendants(carried))) else _equal
        return [same(scalar.column(f.name), scalar.column(n)) for f, n in zip(self.outer, self.names, strict=True)]

    def carry_filter(self, child: Plan, predicate: exp.Expr) -> Plan:
        """Where the filter fixes every value it reads by an equality, that other side is the domain."""
        parts = list(scalar.conjuncts(predicate))
        sources = None if child.outer else self._equated(parts, child.schema)
        if sources is None:
            return super().carry_filter(child, predicate)
        rest = [self.inside(p) for p in parts if not any(p is used for used, _ in sources.values())]
        values = [Named(n, sources[f.name][1].copy(), f.type) for n, f in zip(self.names, self.outer, strict=True)]
        carried = Map(child, (*child.schema.passing(), *values))
        present = [exp.Not(this=exp.Is(this=scalar.column(n), expression=exp.Null())) for n in self.names]
        return Filter(carried, scalar.conjoin([*rest, *present]))

    def _is_domain(self, plan: Plan) -> bool:
        return isinstance(plan, Distinct) and isinstance(plan.child, Map) and plan.child.child is self.left

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


def _equal(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    return exp.EQ(this=a, expression=b)
