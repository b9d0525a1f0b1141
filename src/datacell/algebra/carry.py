"""Evaluating a plan for many values at once.

A plan that depends on a value v, evaluated for every v of a *domain*, is one plan whose rows carry v::

    carry(q) = { (row, v) | v ∈ domain, row ∈ q(v) }

Filters and maps read v from the row, groups and partitions take it as a further key, joins compare it, sets contain it.
What does not depend on v is multiplied with the domain only where it must be. Two things are done this way:
subqueries, whose values are those of the outer rows (`rewrite.unnest_subqueries`), and firings, whose values are the
boundaries that are due (`incremental.lift`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.frames import numbered
from datacell.algebra.plan import (
    Aggregate,
    Coalesce,
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
    SplitEvery,
    Unfold,
    Union,
    Window,
)
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BOOLEAN, INT
from datacell.errors import PlanError


@dataclass(frozen=True)
class Carrier(ABC):
    """Carries the columns `carried` of a domain through a plan; `taken` are names it must not use."""

    carried: tuple[Field, ...]
    taken: frozenset[str]

    @abstractmethod
    def depends(self, plan: Plan) -> bool:
        """Does the plan read the domain's value?"""

    @abstractmethod
    def reads(self, node: exp.Expr) -> bool:
        """Does the expression read the domain's value?"""

    @abstractmethod
    def domain(self) -> Plan:
        """All values, each once, as a relation of the carried columns."""

    @abstractmethod
    def inside(self, node: exp.Expr) -> exp.Expr:
        """The expression with the value read from the row that carries it."""

    def source(self, plan: Plan) -> Plan:
        """An operator that depends on the value by itself."""
        raise PlanError(f"{plan.head()} cannot depend on a value")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f.name for f in self.carried)

    def carry(self, plan: Plan) -> Plan:
        """The plan for all values of the domain, which are further columns of its result."""
        if not self.depends(plan):
            return Join(plan, self.domain())
        match plan:
            case Filter(child, predicate):
                return self.carry_filter(child, predicate)
            case Map(child, columns):
                carried = self.carry(child)
                return Map(carried, (*_all_inside(self, columns), *carried.schema.passing(self.names)))
            case Unfold(child, start, stop):
                more = replace(plan, child=self.carry(child), start=self.inside(start), stop=self.inside(stop))
                return narrowed(more, (*plan.schema.names, *self.names))
            case Aggregate():
                return self.carry_aggregate(plan)
            case Distinct(child):
                return Distinct(self.carry(child))
            case Coalesce(child) | SplitEvery(child):
                return plan.with_children([self.carry(child)])
            case Over(child, functions):
                new = tuple(replace(f, value=_partitioned(self, f.value)) for f in functions)
                carried = self.carry(child)
                return narrowed(Over(carried, new), (*plan.schema.names, *self.names))
            case Order():
                return _order(self, plan)
            case Join():
                return _join(self, plan)
            case Union(inputs):
                return Union(tuple(_aligned(self, i) for i in inputs))
            case SetOperation(left, right):
                return type(plan)(_aligned(self, left), _aligned(self, right))
        return self.source(plan)

    def carry_filter(self, child: Plan, predicate: exp.Expr) -> Plan:
        return Filter(self.carry(child), self.inside(predicate))

    def carry_aggregate(self, plan: Aggregate) -> Plan:
        if not plan.keys:
            return _over_every_value(self, self.carry(plan.child), _all_inside(self, plan.aggregates))
        child = self.carry(ungrouped(plan.child))
        keys = (*_all_inside(self, plan.keys), *child.schema.passing(self.names))
        return Aggregate(Group(child, keys), tuple(_all_inside(self, plan.aggregates)))

    def fresh(self, wish: str) -> str:
        """A name that nothing here has."""
        return fresh(wish, self.taken | set(self.names))

    def renamed(self) -> Self:
        """The same domain under other names, to be carried beside this one."""
        return replace(
            self,
            carried=tuple(replace(f, name=self.fresh(f.name)) for f in self.carried),
            taken=self.taken | set(self.names),
        )


def ungrouped(plan: Plan) -> Plan:
    """The input of a group, which may have been pushed below a window."""
    match plan:
        case Group(child):
            return child
        case Window(Group(child)):
            return replace(plan, child=child)
    raise PlanError(f"{plan.head()} is not grouped")


def fresh(wish: str, taken: frozenset[str] | set[str]) -> str:
    """The name, primed until nobody has it."""
    name = f"{wish}′"
    while name in taken:
        name += "′"
    return name


def same_value(a: exp.Expr, b: exp.Expr) -> exp.Expr:
    """Equality for which NULL is a value like others."""
    return exp.NullSafeEQ(this=a, expression=b)


def where_found(marker: str, aggregate: exp.Expr) -> exp.Expr:
    """The aggregate over the rows that have the marker; a cast stays around it, and what is said of NULLs."""
    if isinstance(aggregate, exp.Cast | exp.IgnoreNulls | exp.RespectNulls):
        made = aggregate.copy()
        made.set("this", where_found(marker, aggregate.this))
        return made
    present = exp.Not(this=exp.Is(this=scalar.column(marker), expression=exp.Null()))
    if isinstance(aggregate, exp.Filter):
        both = scalar.conjoin([aggregate.expression.this, present])
        return exp.Filter(this=aggregate.this.copy(), expression=exp.Where(this=both))
    return exp.Filter(this=aggregate.copy(), expression=exp.Where(this=present))


def _all_inside(carrier: Carrier, columns: Sequence[Named]) -> list[Named]:
    return [replace(c, value=carrier.inside(c.value)) for c in columns]


def _partitioned(carrier: Carrier, node: exp.Expr) -> exp.Expr:
    window = carrier.inside(node)
    window.set("partition_by", [*(window.args.get("partition_by") or ()), *map(scalar.column, carrier.names)])
    return window


def _over_every_value(carrier: Carrier, child: Plan, aggregates: Sequence[Named]) -> Plan:
    """Join the domain in, so that values without rows have a group; its one empty row does not count."""
    marker, inner = carrier.fresh("found"), carrier.renamed()
    pairs = dict(zip(carrier.names, inner.names, strict=True))
    columns = [replace(c, name=pairs.get(c.name, c.name)) for c in child.schema.passing()]
    marked = Map(child, (*columns, Named(marker, exp.true(), BOOLEAN)))
    same = [same_value(scalar.column(n), scalar.column(i)) for n, i in pairs.items()]
    joined = Join(carrier.domain(), marked, JoinKind.LEFT, scalar.conjoin(same))
    grouped = Group(joined, joined.schema.passing(carrier.names))
    return Aggregate(grouped, tuple(replace(a, value=where_found(marker, a.value)) for a in aggregates))


def _order(carrier: Carrier, plan: Order) -> Plan:
    child = carrier.carry(plan.child)
    if plan.limit is None and not plan.offset:
        return child
    number = carrier.fresh("row_number")
    ranked = Over(child, (Named(number, _row_number(carrier, plan.keys), INT),))
    bounds: list[exp.Expr] = []
    if plan.offset:
        bounds.append(exp.GT(this=scalar.column(number), expression=exp.Literal.number(plan.offset)))
    if plan.limit is not None:
        last = exp.Literal.number(plan.offset + plan.limit)
        bounds.append(exp.LTE(this=scalar.column(number), expression=last))
    return narrowed(Filter(ranked, scalar.conjoin(bounds)), child.schema.names)


def _row_number(carrier: Carrier, keys: Sequence[SortKey]) -> exp.Expr:
    ordered = [exp.Ordered(this=carrier.inside(k.value), desc=k.descending, nulls_first=k.nulls_first) for k in keys]
    return numbered(carrier.names, ordered or [exp.Ordered(this=exp.Literal.number(1))])  # in any order is in one


def _join(carrier: Carrier, plan: Join) -> Plan:
    condition = None if plan.condition is None else carrier.inside(plan.condition)
    condition_reads = plan.condition is not None and carrier.reads(plan.condition)
    if not carrier.depends(plan.right) and plan.kind not in (JoinKind.RIGHT, JoinKind.FULL):
        joined: Plan = Join(carrier.carry(plan.left), plan.right, plan.kind, condition)
    elif not (carrier.depends(plan.left) or condition_reads) and plan.kind in (JoinKind.INNER, JoinKind.RIGHT):
        joined = Join(plan.left, carrier.carry(plan.right), plan.kind, condition)
    else:
        joined = _join_both(carrier, plan, condition)
    return narrowed(joined, (*plan.schema.names, *carrier.names))


def _join_both(carrier: Carrier, plan: Join, condition: exp.Expr | None) -> Plan:
    other = carrier.renamed()
    left, right = carrier.carry(plan.left), other.carry(plan.right)
    pairs = list(zip(carrier.names, other.names, strict=True))
    same = [same_value(scalar.column(a), scalar.column(b)) for a, b in pairs]
    parts = [] if condition is None else list(scalar.conjuncts(condition))
    joined = Join(left, right, plan.kind, scalar.conjoin([*same, *parts]))
    if plan.kind not in (JoinKind.RIGHT, JoinKind.FULL):
        return joined
    domain = tuple(
        Named(f.name, scalar.call("coalesce", scalar.column(f.name), scalar.column(b)), f.type)
        for f, b in zip(carrier.carried, other.names, strict=True)
    )
    return Map(joined, (*joined.schema.passing(plan.schema.names), *domain))


def _aligned(carrier: Carrier, plan: Plan) -> Plan:
    """Inputs of a set operation need one order of columns."""
    return narrowed(carrier.carry(plan), (*plan.schema.names, *carrier.names))


def narrowed(plan: Plan, names: Sequence[str]) -> Plan:
    """The plan with these columns, in this order."""
    return plan if plan.schema.names == tuple(names) else Map(plan, plan.schema.passing(names))
