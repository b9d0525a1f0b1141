"""Source-driven sizes, bottom-up.

Two numbers of every operator: W, the rows of the relation that it is at an instant, and λ, the rows that it puts out
because of what the streams bring in a second:

- filter and map of selectivity f: λ = f λ_in (1)
- join: λ = λ_L f W_R + λ_R f W_L, with f the share of pairs that match (2)
- aggregate: λ = l g, with l slides a second and g groups (3); so does whatever must look at the whole window again
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from sqlglot import exp

from datacell.algebra import scalar, tree
from datacell.algebra.plan import (
    Aggregate,
    Apply,
    Difference,
    Distinct,
    Filter,
    Input,
    Intersection,
    Join,
    JoinKind,
    Opaque,
    Order,
    Over,
    Plan,
    Stream,
    StrictDifference,
    Table,
    Union,
    Values,
    Window,
)
from datacell.algebra.window import (
    Fixed,
    Landmark,
    LandmarkRows,
    LatestBy,
    Now,
    Range,
    Rows,
    Session,
    Unbounded,
    WindowSpec,
    counts_rows,
)
from datacell.incremental.running import Running
from datacell.intervals.framed import Framed
from datacell.placement.statistics import PRIME, Statistics

HORIZON = 3600.0
"""Seconds: how much of an endless window is counted."""

_SECOND = 1_000_000
_EQUAL, _COMPARED = 0.1, 1 / 3
"""Of the rows, if nothing is known of the values."""
PER_GROUP = 10.0
"""Rows in a group, if nothing is known of the keys."""


class Sizes:
    """λ and W of the operators of a plan."""

    def __init__(self, known: Statistics, per_group: float = PER_GROUP) -> None:
        self.known, self.per_group = known, per_group
        self._rows: dict[int, tuple[Plan, float]] = {}

    def rows(self, plan: Plan) -> float:
        """W."""
        if id(plan) not in self._rows:
            seen = self.known.seen.get(id(plan))
            self._rows[id(plan)] = plan, self._estimated(plan) if seen is None else seen
        return self._rows[id(plan)][1]

    def rate(self, plan: Plan) -> float:
        """λ."""
        match plan:
            case Stream(name=name):
                return self.known.rate(name)
            case Table() | Values() | Input():
                return 0.0
            case Join(left, right) | Apply(left, right):
                share = self.matching(plan, left, right)
                return self.rate(left) * share * self.rows(right) + self.rate(right) * share * self.rows(left)
            case Filter(child, predicate):
                return self.selectivity(predicate) * self.rate(child)
            case Aggregate() | Order() | Over() | Distinct() | Opaque():
                return self.slides(plan) * self.rows(plan) if tree.windows(plan) else sum(map(self.rate, plan.children))
        return sum(map(self.rate, plan.children))

    def slides(self, plan: Plan) -> float:
        """l: boundaries a second."""
        windows = tree.windows(plan)
        return max((self._slides(w) for w in windows), default=1.0)

    def _slides(self, window: Window) -> float:
        rate = self.known.rate(tree.stream_of(window))
        slide = window.window.slide
        if slide is None:
            return rate
        return rate / slide if counts_rows(window.window) else _SECOND / slide

    def _estimated(self, plan: Plan) -> float:
        match plan:
            case Stream(name=name):
                return self.known.rate(name) * HORIZON
            case Table() | Input():
                return self.known.table(tree.key(plan))
            case Values(rows=rows):
                return float(len(rows))
            case Window(child, window):
                return self._shown(window, self.rate(child))
            case Filter(child, predicate):
                return self.selectivity(predicate) * self.rows(child)
            case Aggregate(child):
                return self.groups([k.value for k in plan.keys], self.rows(child))
            case Distinct(child):
                return self.groups([scalar.column(n) for n in child.schema.names], self.rows(child))
            case Order(child, limit=int(limit)):
                return min(float(limit), self.rows(child))
            case Join(left, right) | Apply(left, right):
                return self._joined(plan, left, right)
            case Union(inputs):
                return sum(map(self.rows, inputs))
            case Running(rows, probes, combination):
                keys = self.groups([scalar.column(k) for k in combination.keys], self.rows(rows))
                return keys * max(1.0, self.rows(probes))
            case Framed(segments=segments):
                return self.rows(segments)
            case Difference(left) | StrictDifference(left) | Intersection(left):
                return self.rows(left)
        return sum(map(self.rows, plan.children))

    def stream_rows(self, window: Window) -> float:
        """The rows of its stream that a window shows, before they are filtered."""
        return self._shown(window.window, self.known.rate(tree.stream_of(window)))

    def _shown(self, window: WindowSpec, rate: float) -> float:
        """What a window shows of rows that come at a rate."""
        match window:
            case Range(size=size):
                return rate * size / _SECOND
            case Fixed(size=size) | Landmark(reset=int(size)):
                return rate * size / _SECOND / 2
            case Rows(count=count, partition=()):
                return float(count)
            case Rows(count=count, partition=keys):
                return count * self.groups([scalar.column(k) for k in keys], rate * HORIZON)
            case Session(gap=gap):
                return rate * gap / _SECOND
            case LatestBy(keys=keys):
                return self.groups([scalar.column(k) for k in keys], rate * HORIZON)
            case Now():
                return 1.0
            case Unbounded() | Landmark() | LandmarkRows():
                return rate * HORIZON
        return rate

    def _joined(self, plan: Join | Apply, left: Plan, right: Plan) -> float:
        one, other = self.rows(left), self.rows(right)
        pairs = one * other * self.matching(plan, left, right)
        match plan.kind:
            case JoinKind.SEMI | JoinKind.ANTI:
                return min(one, max(pairs, one / 2))
            case JoinKind.LEFT:
                return max(pairs, one)
            case JoinKind.RIGHT:
                return max(pairs, other)
            case JoinKind.FULL:
                return max(pairs, one, other)
        return pairs

    def matching(self, plan: Join | Apply, left: Plan, right: Plan) -> float:
        """f: the share of all pairs that match. Rows that share a key usually share it with few of the smaller side."""
        if plan.condition is None:
            return 1.0
        conditions = list(scalar.conjuncts(plan.condition))
        equal = [c for c in conditions if _pairs_columns(c)]
        share = prod(self.selectivity(c) for c in conditions if c not in equal)
        if not equal:
            return share
        values = [found for c in equal for found in [self._values(c) or ([1.0] if _is_ours(c) else [])]]
        least = 1 / max(1.0, min(self.rows(left), self.rows(right)))
        return share * (max(least, prod(1 / max(v) for v in values)) if all(values) else least)

    def groups(self, keys: Sequence[exp.Expr], rows: float) -> float:
        """g: no more than there are rows; the product of the keys' values where these are known."""
        if not keys:
            return 1.0
        values = [self.known.values(k.name) if isinstance(k, exp.Column) else None for k in keys]
        known = [v for v in values if v is not None]
        return min(rows, prod(known)) if len(known) == len(values) else min(rows, max(1.0, rows / self.per_group))

    def selectivity(self, predicate: exp.Expr) -> float:
        """f: the share of rows for which a predicate is true."""
        match predicate:
            case exp.And():
                return self.selectivity(predicate.left) * self.selectivity(predicate.right)
            case exp.Or():
                return min(1.0, self.selectivity(predicate.left) + self.selectivity(predicate.right))
            case exp.Not() if isinstance(predicate.this, exp.Is):
                return 1 - _EQUAL
            case exp.Not():
                return 1 - self.selectivity(predicate.this)
            case exp.Paren():
                return self.selectivity(predicate.this)
            case exp.EQ() | exp.NullSafeEQ():
                values = self._values(predicate)
                return 1 / max(values) if values else _EQUAL
            case exp.Is():
                return _EQUAL
        return 1.0 if _is_ours(predicate) else _COMPARED

    def _values(self, comparison: exp.Expr) -> list[float]:
        columns = [side for side in (comparison.this, comparison.expression) if isinstance(side, exp.Column)]
        return [found for column in columns if (found := self.known.values(column.name)) is not None]


def _is_ours(predicate: exp.Expr) -> bool:
    """Columns that we add tell when rows are shown: of those that are there at all, most are."""
    columns = scalar.columns(predicate)
    return bool(columns) and all(PRIME in name for name in columns)


def _pairs_columns(condition: exp.Expr) -> bool:
    sides = (condition.this, condition.args.get("expression"))
    return isinstance(condition, exp.EQ | exp.NullSafeEQ) and all(isinstance(s, exp.Column) for s in sides)
