"""Splitting a query: work on each slice as deep in the plan as possible, the rest over what the slices gave.

From every stream upward, operators go into the slice until one needs more than one slice:

- a *flow* (filter, map, join with a table, union of flows over the same window) is done row by row; what it gives is
  concatenated; of a union of others, each is a flow of its own;
- an inner join of two flows becomes pairs: each new slice meets the live slices of the other side, once;
- an aggregate that can be decomposed, a distinct and a top k over a flow are done per slice, and again over what is
  shown;
- everything else reads the rows that its flows gave.

A join with a table that may be refreshed is no flow: it stays above the slices (`beside_tables`).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from datacell.algebra import tree
from datacell.algebra.carry import ungrouped
from datacell.algebra.plan import (
    Aggregate,
    Distinct,
    Filter,
    Group,
    Intersection,
    Join,
    JoinKind,
    Map,
    Order,
    Plan,
    SortKey,
    StrictDifference,
    Union,
    Window,
)
from datacell.algebra.query import Query
from datacell.algebra.rename import canonical
from datacell.algebra.window import Rows, WindowSpec
from datacell.incremental.beside_tables import meets_table, pieces_beside_tables
from datacell.incremental.cuts import Cuts, cuts
from datacell.incremental.decompose_aggregate import DecomposedAggregate, decomposed
from datacell.incremental.delta_join import over_new_pairs, replaced
from datacell.incremental.eager import aggregated_sides
from datacell.incremental.flows import has_pairs, is_flow, is_pair
from datacell.incremental.raise_unions import raised_unions
from datacell.incremental.reasons import needs, needs_rows, of_each
from datacell.incremental.relations import Combination, Kept, Latest, Pairs, Relation, Shown, Split, View
from datacell.incremental.slicing import alone, sliced


class Depth(Enum):
    """How much is done before a boundary: all that can be; no joins of streams; or nothing, rows are only kept."""

    FULL = "full"
    NO_PAIRS = "no pairs"
    ROWS = "rows"


def split(query: Query, depth: Depth = Depth.FULL) -> Split:
    """The query as relations and a rest. The rest of a query that cannot be split at all is the query itself."""
    splitter = _Splitter(query, depth)
    rest = splitter.rest(raised_unions(query.plan))
    return Split(query, rest, tuple(splitter.relations))


class _Splitter:
    def __init__(self, query: Query, depth: Depth) -> None:
        self.depth = depth
        windows = tree.windows(query.plan)
        self.slides = tree.slides(query.plan)
        self.windows: dict[str, list[WindowSpec]] = {}
        for window in windows:
            self.windows.setdefault(tree.stream_of(window), []).append(window.window)
        self.relations: list[Relation] = []
        self._known: dict[tuple[Plan, Cuts | None], int] = {}

    # From the top down: what is left above the slices

    def rest(self, plan: Plan, why: str = "these rows are the answer") -> Plan:
        if self.depth is Depth.ROWS and not isinstance(plan, Window):
            if self._is_flow(plan):
                return self._leaf(plan, None, why)
            return self._below(plan, why)
        match plan:
            case Aggregate():
                return self._aggregate(plan)
            case Distinct() | StrictDifference():
                return plan.with_children([self._once(child, needs(plan)) for child in plan.children])
            case Join(left, right, JoinKind.SEMI | JoinKind.ANTI) if not self._is_flow(plan):
                return plan.with_children([self.rest(left, needs(plan)), self._once(right, needs(plan))])
            case Order(child, keys, int(limit), offset) if self._is_flow(child):
                return Order(self._first(child, keys, limit + offset), keys, limit, offset)
            case Order(Union(inputs), keys, int(limit), offset):
                first = Union(tuple(self._first(i, keys, limit + offset) for i in inputs))
                return Order(first, keys, limit, offset)
            case Window(_, Rows(partition=(_, *_)) as window):
                return self._latest(plan, window)
            case _ if self._is_flow(plan):
                return self._leaf(plan, None, why)
        return self._below(plan, why)

    def _below(self, plan: Plan, why: str) -> Plan:
        if isinstance(plan, Aggregate) and plan.keys:
            child = self.rest(ungrouped(plan.child), needs(plan) or why)
            return Aggregate(Group(child, plan.keys), plan.aggregates)
        return plan.with_children([self.rest(child, needs(plan) or why) for child in plan.children])

    def _is_flow(self, plan: Plan) -> bool:
        """Is it done row by row, or, where that is wanted, pair by pair?"""
        return is_flow(plan) and (self.depth is Depth.FULL or not has_pairs(plan))

    def _once(self, plan: Plan, why: str) -> Plan:
        """The rows of a plan, where it makes no difference how often each is there."""
        match plan:
            case _ if self._is_flow(plan):
                combination = Combination(plan.schema.names, ())
                return self._leaf(Distinct(plan), combination, f"distinct rows {of_each(plan)}")
            case Distinct(child):
                return self._once(child, why)
            case Union() | Intersection():
                return plan.with_children([self._once(child, why) for child in plan.children])
            case Filter() | Map() | Join() if meets_table(plan):
                return plan.with_children([self._once(child, why) for child in plan.children])
        return self.rest(plan, why)

    def _first(self, plan: Plan, keys: tuple[SortKey, ...], count: int) -> Plan:
        """Rows among which are the first of all."""
        if not self._is_flow(plan):
            return self.rest(plan)
        return self._leaf(Order(plan, keys, count), None, f"the first {count} {of_each(plan)}")

    def _aggregate(self, plan: Aggregate) -> Plan:
        child = ungrouped(plan.child) if plan.keys else plan.child
        taken = decomposed(plan, child)
        if taken is not None and self._is_flow(child):
            return taken.whole(plan, self._pieces(taken, child))
        if taken is not None and isinstance(child, Union) and all(map(self._is_flow, child.inputs)):
            return taken.whole(plan, Union(tuple(self._pieces(taken, i) for i in child.inputs)))
        if taken is not None and not has_pairs(child):
            why = f"{taken.shown} of each slice, to be joined with tables"
            pieces = pieces_beside_tables(taken, child, lambda piece, combined: self._leaf(piece, combined, why))
            if pieces is not None:
                return taken.whole(plan, pieces)
        below = self.rest(child, needs_rows(plan) or "they are aggregated with others")
        return Aggregate(Group(below, plan.keys) if plan.keys else below, plan.aggregates)

    def _pieces(self, taken: DecomposedAggregate, flow: Plan) -> Plan:
        combination = Combination(tuple(k.name for k in (*taken.keys, *taken.values)), taken.decompositions)
        partial = (
            aggregated_sides(flow, (*taken.keys, *taken.values), taken.decompositions) if has_pairs(flow) else None
        )
        return self._leaf(partial or taken.partial(flow), combination, f"{taken.shown} {of_each(flow)}")

    def _leaf(self, plan: Plan, combination: Combination | None, why: str) -> Shown:
        number = self._relation(plan, combination)
        return Shown(number, self._window(plan), plan.schema.fields, combination, why)

    def _latest(self, plan: Window, window: Rows) -> Plan:
        kept = self._keep(plan.child, None, None)
        return Latest(kept, window, plan.schema.fields, "which rows are the last of their key changes with every row")

    def _window(self, plan: Plan) -> WindowSpec | None:
        """The one window of a relation over one stream; pairs know by themselves when they are shown."""
        return None if has_pairs(plan) else tree.windows(plan)[0].window

    # Relations

    def _relation(self, plan: Plan, combination: Combination | None) -> int:
        if has_pairs(plan):
            return self._pairs(plan, combination)
        windows = tree.windows(plan)
        without = tree.transform_up(plan, lambda n: n.child if isinstance(n, Window) else n)
        stream = tree.stream_of(windows[0])
        return self._keep(without, combination, cuts(self.windows[stream], self.slides))

    def _keep(self, plan: Plan, combination: Combination | None, where: Cuts | None) -> int:
        def kept() -> Relation:
            stream = tree.streams(plan)[0].name
            return Kept(stream, plan, sliced(plan), alone(plan), plan.schema.fields, combination, where)

        return self._shared(plan, where, kept)

    def _pairs(self, plan: Plan, combination: Combination | None) -> int:
        def pairs() -> Relation:
            join = next(n for n in tree.descendants(plan) if is_pair(n))
            assert isinstance(join, Join)
            left, right = self._view(join.left), self._view(join.right)
            shown = [Shown(side.relation, side.window, side.columns, None, why="") for side in (left, right)]
            work = replaced(plan, join, join.with_children(shown))
            return Pairs(left, right, work, over_new_pairs(plan, join), plan.schema.fields, combination)

        return self._shared(plan, None, pairs)

    def _shared(self, plan: Plan, where: Cuts | None, make: Callable[[], Relation]) -> int:
        """The number of the relation that a plan gives: plans that differ in names alone share one."""
        shape = canonical(plan), where
        if shape not in self._known:
            self.relations.append(make())
            self._known[shape] = len(self.relations) - 1
        return self._known[shape]

    def _view(self, side: Plan) -> View:
        return View(self._relation(side, None), self._window(side), side.schema.fields)
