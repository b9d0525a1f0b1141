"""Phase one: the order of joins, by dynamic programming over sets of inputs, as System R does it.

The principle of optimality holds (section 6 of the paper): what a set of inputs joins to is the same however it was
joined, and so is u of the next join. For a set S, W(S) = f ΠWᵢ and λ(S) = Σ λᵢ W(S) / Wᵢ, which is (2) taken all the
way down. Only inner joins change places, and only if the new order is clearly better by what is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Join, JoinKind, Map, Plan
from datacell.placement.costs import Cost, EngineCosts
from datacell.placement.operators import OperatorKind
from datacell.placement.sizes import Sizes

MOST_INPUTS = 10
"""Joins of more inputs stay as they were written: 3ⁿ ways to split are too many."""

CLEARLY = 0.8
"""Sizes are estimates: another plan must cost less than this share of the one that was written."""

Set = frozenset[int]


@dataclass(frozen=True)
class Condition:
    """A conjunct of the join conditions, the inputs that it reads, and the share of pairs that it leaves."""

    value: exp.Expr
    reads: Set
    share: float


@dataclass(frozen=True)
class Ordered:
    """A way to join a set of inputs: one of them, or two sets."""

    members: Set
    cost: Cost
    sides: tuple[Ordered, Ordered] | None = None


@dataclass(frozen=True)
class Joins:
    """Inputs with their λ and W, and the conditions between them."""

    rates: Sequence[float]
    rows: Sequence[float]
    conditions: Sequence[Condition]
    costs: EngineCosts

    def best(self) -> Ordered:
        """The best order by Definition 1. Products come last: sides without a condition between them only if needed."""
        everything = frozenset(range(len(self.rates)))
        found = {frozenset([i]): Ordered(frozenset([i]), Cost(0.0, 0.0)) for i in everything}
        for size in range(2, len(everything) + 1):
            for members in map(frozenset, combinations(sorted(everything), size)):
                splits = list(_splits(members))
                connected = [s for s in splits if self._are_connected(*s)]
                ways = [self.joined(found[left], found[right]) for left, right in connected or splits]
                found[members] = min(ways, key=lambda way: way.cost.rank)
        return found[everything]

    def joined(self, left: Ordered, right: Ordered) -> Ordered:
        members = left.members | right.members
        read = self._rate(left.members) + self._rate(right.members)
        u = read * self.costs.row[OperatorKind.JOIN] + self._rate(members) * self.costs.pair
        bottleneck = max(u, left.cost.bottleneck, right.cost.bottleneck)
        return Ordered(members, Cost(bottleneck, u + left.cost.total + right.cost.total), (left, right))

    def one(self, number: int) -> Ordered:
        return Ordered(frozenset([number]), Cost(0.0, 0.0))

    def _are_connected(self, left: Set, right: Set) -> bool:
        inside = left | right
        return any(c.reads <= inside and c.reads & left and c.reads & right for c in self.conditions)

    def _rate(self, members: Set) -> float:
        if members not in self._rates:
            whole = self._whole(members)
            self._rates[members] = sum(self.rates[i] * whole / max(self.rows[i], 1e-9) for i in members)
        return self._rates[members]

    def _whole(self, members: Set) -> float:
        rows = 1.0
        for i in members:
            rows *= self.rows[i]
        for condition in self.conditions:
            if condition.reads <= members:
                rows *= condition.share
        return rows

    @cached_property
    def _rates(self) -> dict[Set, float]:
        return {}


def reordered(plan: Plan, sizes: Sizes, costs: EngineCosts, clearly: float = CLEARLY) -> Plan:
    """The plan with its inner joins in the best order; the same object if the written one is about as good."""
    if not _is_inner(plan):
        return plan.with_children([reordered(child, sizes, costs, clearly) for child in plan.children])
    leaves, conjuncts = _flat(plan)
    ready = [reordered(leaf, sizes, costs, clearly) for leaf in leaves]
    if 2 < len(leaves) <= MOST_INPUTS:
        joins = Joins(
            [sizes.rate(leaf) for leaf in leaves],
            [sizes.rows(leaf) for leaf in leaves],
            [_condition(c, leaves, sizes) for c in conjuncts],
            costs,
        )
        best, written = joins.best(), _written(plan, iter(range(len(leaves))), joins)
        if _is_better(best.cost, written.cost, clearly):
            joined = _built(best, ready, [(c.value, c.reads) for c in joins.conditions])
            return Map(joined, joined.schema.passing(plan.schema.names))
    return _with_leaves(plan, iter(ready))


def _is_better(one: Cost, other: Cost, clearly: float) -> bool:
    if one.is_feasible != other.is_feasible:
        return one.is_feasible
    if one.is_feasible:
        return one.total < clearly * other.total
    return one.bottleneck < clearly * other.bottleneck


def _is_inner(plan: Plan) -> bool:
    return isinstance(plan, Join) and plan.kind is JoinKind.INNER


def _flat(plan: Plan) -> tuple[list[Plan], list[exp.Expr]]:
    if not isinstance(plan, Join) or plan.kind is not JoinKind.INNER:
        return [plan], []
    (left, some), (right, more) = _flat(plan.left), _flat(plan.right)
    own = [] if plan.condition is None else list(scalar.conjuncts(plan.condition))
    return [*left, *right], [*some, *more, *own]


def _with_leaves(plan: Plan, leaves: Iterator[Plan]) -> Plan:
    if not _is_inner(plan):
        return next(leaves)
    return plan.with_children([_with_leaves(child, leaves) for child in plan.children])


def _written(plan: Plan, numbers: Iterator[int], joins: Joins) -> Ordered:
    if not isinstance(plan, Join) or plan.kind is not JoinKind.INNER:
        return joins.one(next(numbers))
    left = _written(plan.left, numbers, joins)
    return joins.joined(left, _written(plan.right, numbers, joins))


def _condition(value: exp.Expr, leaves: Sequence[Plan], sizes: Sizes) -> Condition:
    names = scalar.columns(value)
    reads = frozenset(i for i, leaf in enumerate(leaves) if names & frozenset(leaf.schema.names))
    if len(reads) == 2:
        left, right = (leaves[i] for i in sorted(reads))
        return Condition(value, reads, sizes.matching(Join(left, right, condition=value), left, right))
    return Condition(value, reads, sizes.selectivity(value))


def _built(way: Ordered, leaves: Sequence[Plan], conditions: Sequence[tuple[exp.Expr, Set]]) -> Plan:
    if way.sides is None:
        (number,) = way.members
        return leaves[number]
    left, right = way.sides
    own = [
        value
        for value, reads in conditions
        if reads <= way.members and not reads <= left.members and not reads <= right.members
    ]
    own += [value for value, reads in conditions if not reads and len(way.members) == len(leaves)]
    below = _built(left, leaves, conditions), _built(right, leaves, conditions)
    return Join(*below, condition=scalar.conjoin(own) if own else None)


def _splits(members: Set) -> Iterator[tuple[Set, Set]]:
    """All ways to make two of a set; which side is left is as the inputs are numbered."""
    first, *rest = sorted(members)
    for size in range(len(rest)):
        for beside in combinations(rest, size):
            left = frozenset([first, *beside])
            yield left, members - left
