"""Splitting a query: work on each slice as deep in the plan as possible, the rest over what the slices gave.

From every stream upward, operators go into the slice until one needs more than one slice:

- a *flow* (filter, map, join with a table, union of flows over the same window) is done row by row; what it gives is
  concatenated;
- an inner join of two flows becomes pairs: each new slice meets the live slices of the other side, once;
- an aggregate by parts, a distinct and a top k over a flow are done per slice, and once more over what is shown;
- everything else reads the rows that its flows gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sqlglot import exp

from datacell.algebra import scalar, tree
from datacell.algebra.carry import Carrier, ungrouped
from datacell.algebra.parts import Parts, call_and_condition, parts
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
    Over,
    Plan,
    SetOperation,
    Stream,
    StrictDifference,
    Table,
    Union,
    Window,
)
from datacell.algebra.query import Query
from datacell.algebra.rename import canonical
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.types import BIGINT, Type
from datacell.algebra.window import Rows, WindowSpec
from datacell.errors import PlanError
from datacell.incremental.cuts import Cuts, cuts
from datacell.incremental.eager import aggregated_sides
from datacell.incremental.lift import basket
from datacell.incremental.merge import aligned
from datacell.incremental.relations import (
    BORN,
    DIES,
    SLICE,
    Combination,
    Kept,
    Latest,
    Pairs,
    Relation,
    Shown,
    Split,
    View,
    fields,
    reading,
)

SIDES = ("left new", "right all", "left old", "right new")
"""The inputs of a pair: what is new on the left meets all of the right, what was there meets what is new."""


def split(query: Query) -> Split:
    """The query as relations and a rest. The rest of a query that cannot be split at all is the query itself."""
    splitter = _Splitter(query)
    rest = splitter.rest(query.plan)
    return Split(query, rest, tuple(splitter.relations))


class _Splitter:
    def __init__(self, query: Query) -> None:
        windows = tree.windows(query.plan)
        self.slides = tree.slides(query.plan)
        self.windows: dict[str, list[WindowSpec]] = {}
        for window in windows:
            self.windows.setdefault(tree.stream_of(window), []).append(window.window)
        self.relations: list[Relation] = []
        self._known: list[tuple[str, Plan, int]] = []

    # From the top down: what is left above the slices

    def rest(self, plan: Plan, why: str = "these rows are the answer") -> Plan:
        match plan:
            case Aggregate():
                return self._aggregate(plan)
            case Distinct(child) if is_flow(child):
                once = f"distinct rows {_of_each(child)}"
                return Distinct(self._leaf(plan, Combination(plan.schema.names, ()), once))
            case Distinct(Union(inputs)):
                return Distinct(Union(tuple(self.rest(_distinct(i), why) for i in inputs)))
            case Distinct(Intersection(left, right)):
                return Distinct(Intersection(self.rest(_distinct(left)), self.rest(_distinct(right))))
            case StrictDifference(left, right):
                return StrictDifference(self.rest(_distinct(left)), self.rest(_distinct(right)))
            case Order(child, keys, int(limit), offset) if is_flow(child):
                top = Order(child, keys, limit + offset)
                first = f"the first {limit + offset} {_of_each(child)}"
                return Order(self._leaf(top, None, first), keys, limit, offset)
            case Window(_, Rows(partition=(_, *_)) as window):
                return self._latest(plan, window)
            case _ if is_flow(plan):
                return self._leaf(plan, None, why)
        below = _needs(plan)
        return plan.with_children([self.rest(child, below or why) for child in plan.children])

    def _aggregate(self, plan: Aggregate) -> Plan:
        child = ungrouped(plan.child) if plan.keys else plan.child
        taken = _taken(plan, child)
        if taken is not None and is_flow(child):
            return taken.whole(plan, self._pieces(taken, child))
        if taken is not None and isinstance(child, Union) and all(map(is_flow, child.inputs)):
            return taken.whole(plan, Union(tuple(self._pieces(taken, i) for i in child.inputs)))
        below = self.rest(child, _needs_rows(plan) or "they are aggregated with others")
        return Aggregate(Group(below, plan.keys) if plan.keys else below, plan.aggregates)

    def _pieces(self, taken: _Taken, flow: Plan) -> Plan:
        combination = Combination(tuple(k.name for k in (*taken.keys, *taken.values)), taken.parts)
        partial = aggregated_sides(flow, (*taken.keys, *taken.values), taken.parts) if _is_pair(flow) else None
        return self._leaf(partial or taken.partial(flow), combination, f"{taken.shown} {_of_each(flow)}")

    def _leaf(self, plan: Plan, combination: Combination | None, why: str) -> Shown:
        number = self._relation(plan, combination)
        return Shown(number, self._window(plan), plan.schema.fields, combination, why)

    def _latest(self, plan: Window, window: Rows) -> Plan:
        kept = self._keep(plan.child, None, None)
        return Latest(kept, window, plan.schema.fields, "which rows are the last of their key changes with every row")

    def _window(self, plan: Plan) -> WindowSpec | None:
        """The one window of a relation over one stream; pairs know by themselves when they are shown."""
        return None if _has_pairs(plan) else tree.windows(plan)[0].window

    # Relations

    def _relation(self, plan: Plan, combination: Combination | None) -> int:
        if _has_pairs(plan):
            return self._pairs(plan, combination)
        windows = tree.windows(plan)
        without = tree.transform_up(plan, lambda n: n.child if isinstance(n, Window) else n)
        stream = tree.stream_of(windows[0])
        return self._keep(without, combination, cuts(self.windows[stream], self.slides))

    def _keep(self, plan: Plan, combination: Combination | None, where: Cuts | None) -> int:
        stream = tree.streams(plan)[0].name
        shape = canonical(plan)
        for known_stream, known, number in self._known:
            kept = self.relations[number]
            if (known_stream, known) == (stream, shape) and isinstance(kept, Kept) and kept.cuts == where:
                return number
        sliced = _Slicing(fields(SLICE), frozenset()).carry(plan)
        self.relations.append(Kept(stream, plan, sliced, plan.schema.fields, combination, where))
        self._known.append((stream, shape, len(self.relations) - 1))
        return len(self.relations) - 1

    def _pairs(self, plan: Plan, combination: Combination | None) -> int:
        join = next(n for n in tree.descendants(plan) if _is_pair(n))
        assert isinstance(join, Join)
        sides = [self._view(side) for side in (join.left, join.right)]
        above = _replaced(plan, join, _Meeting(join.schema.fields, join))
        paired = _Pairing(fields(BORN, DIES), frozenset()).carry(above)
        met = join.with_children([Shown(s.relation, s.window, s.columns, None, why="") for s in sides])
        work = _replaced(plan, join, met)
        self.relations.append(Pairs(sides[0], sides[1], work, paired, plan.schema.fields, combination))
        return len(self.relations) - 1

    def _view(self, side: Plan) -> View:
        return View(self._relation(side, None), self._window(side), side.schema.fields)


# What may be done slice by slice


def is_flow(plan: Plan) -> bool:
    """Is the plan done row by row, or pair by pair, so that slices can be concatenated?"""
    if any(map(scalar.reads_boundary, plan.expressions())):
        return False
    match plan:
        case Window(_, window):
            return not (isinstance(window, Rows) and window.partition)
        case Filter(child) | Map(child):
            return is_flow(child)
        case Join(left, right, kind):
            if _is_static(right):
                return is_flow(left) and kind not in (JoinKind.RIGHT, JoinKind.FULL)
            if _is_static(left):
                return is_flow(right) and kind in (JoinKind.INNER, JoinKind.RIGHT)
            return kind is JoinKind.INNER and is_flow(left) and is_flow(right)
        case Union(inputs):
            return all(map(is_flow, inputs)) and _is_single(plan)
    return False


def _is_single(plan: Plan) -> bool:
    """Is a flow one over one stream under one window?"""
    return len({(tree.stream_of(w), w.window) for w in tree.windows(plan)}) == 1 and not _has_pairs(plan)


def _is_static(plan: Plan) -> bool:
    return not tree.has_stream(plan) and not tree.reads_boundary(plan)


def _is_pair(plan: Plan) -> bool:
    return isinstance(plan, Join) and not _is_static(plan.left) and not _is_static(plan.right)


def _has_pairs(plan: Plan) -> bool:
    return any(map(_is_pair, tree.descendants(plan)))


def _distinct(plan: Plan) -> Plan:
    return plan if isinstance(plan, Distinct) else Distinct(plan)


def _replaced(plan: Plan, old: Plan, new: Plan) -> Plan:
    if plan is old:
        return new
    return plan.with_children([_replaced(child, old, new) for child in plan.children])


# Why the plan is cut where it is


def _of_each(flow: Plan) -> str:
    return "of pairs that are shown together" if _has_pairs(flow) else "of each slice"


def _needs(plan: Plan) -> str:
    """Why an operator needs the rows of the whole window; empty if it does not by itself."""
    if any(map(scalar.reads_boundary, plan.expressions())):
        return f"{plan.head().split(' ')[0]} reads window_end"
    match plan:
        case Join(kind=JoinKind.INNER):
            return "what they are joined with needs the whole window"
        case Join(kind=kind):
            article = "an" if kind is JoinKind.ANTI else "a"
            return f"whether {article} {kind.value} join finds a match depends on the whole window"
        case Over(functions=functions):
            return f"{scalar.show(functions[0].value.this)} over needs the whole window"
        case Order(keys=keys):
            return "the whole window is put in order" if keys else "which rows come first is asked of the whole window"
        case Distinct() | SetOperation():
            return f"{plan.head()} compares all rows of the window"
    return ""


def _needs_rows(plan: Aggregate) -> str:
    names = [scalar.show(a.value) for a in plan.aggregates if parts(a, plan.child.schema) is None]
    return f"{', '.join(names)} {'needs' if len(names) == 1 else 'need'} all rows" if names else ""


# Aggregates


@dataclass(frozen=True)
class _Taken:
    """An aggregate taken apart: its keys that rows have, the values that DISTINCT is about, the parts of the others."""

    keys: tuple[Named, ...]
    values: tuple[Named, ...]
    parts: tuple[Parts, ...]
    shown: str

    def partial(self, child: Plan) -> Plan:
        partials = tuple(p for found in self.parts for p in found.partials)
        keys = (*self.keys, *self.values)
        return Aggregate(Group(child, keys) if keys else child, partials)

    def whole(self, plan: Aggregate, pieces: Plan) -> Plan:
        """The aggregate over the pieces that slices gave."""
        names = [k.name for k in self.keys]
        rows = aligned(pieces, names, self.parts)
        keys = tuple(replace(k, value=scalar.column(k.name)) if k.name in names else k for k in plan.keys)
        finished = {p.finish.name: p.finish for p in self.parts}
        distinct = [self._over_values(a) for a in plan.aggregates if a.name not in finished]
        combined = tuple(c for p in self.parts for c in p.combined)
        whole = Aggregate(Group(rows, keys) if keys else rows, (*combined, *distinct))
        given = {n.name: n for n in whole.schema.passing()}
        return Map(whole, tuple(finished.get(f.name, given.get(f.name)) for f in plan.schema))  # type: ignore[misc]

    def _over_values(self, aggregate: Named) -> Named:
        """The aggregate with what DISTINCT is about read from the pieces."""
        about = _about(aggregate.value)
        assert about is not None
        names = {v.value: v.name for v in self.values}
        return replace(aggregate, value=about.over([scalar.column(names[v]) for v in about.values]))


def _taken(plan: Aggregate, child: Plan) -> _Taken | None:
    """The aggregate taken apart, or None if one of its functions cannot be."""
    if any(map(scalar.reads_boundary, plan.expressions())):
        return None
    found: list[Parts] = []
    values: dict[exp.Expr, Named] = {}
    for aggregate in plan.aggregates:
        taken, about = parts(aggregate, child.schema), _about(aggregate.value)
        if taken is not None:
            found.append(taken)
        elif about is not None and all(_type(v, child) is not None for v in about.values):
            for value in about.values:
                type_ = _type(value, child)
                assert type_ is not None
                values.setdefault(value, Named(f"{aggregate.name}.value{len(values)}", value, type_))
        else:
            return None
    keys = tuple(k for k in plan.keys if not scalar.reads_boundary(k.value))
    if not (keys or values or found):
        return None
    shown = "distinct values" if values and not found else "partial aggregates"
    return _Taken(keys, tuple(values.values()), tuple(found), shown if plan.aggregates else "keys")


@dataclass(frozen=True)
class _About:
    """An aggregate whose answer depends only on which values there are, not on how often."""

    call: exp.Anonymous
    values: tuple[exp.Expr, ...]

    def over(self, columns: Sequence[exp.Expr]) -> exp.Expr:
        distinct = exp.Distinct(expressions=list(columns))
        if self.call.name == _APPROXIMATE:
            return scalar.call(_APPROXIMATE, *columns, *self.call.expressions[1:])
        return exp.Anonymous(this=self.call.this, expressions=[distinct])


_APPROXIMATE = "approx_count_distinct"
_ANY = frozenset({"any_value", "first", "first_value", "last", "last_value"})
"""These see NULLs, so a value that a FILTER leaves out must not become one."""


def _about(value: exp.Expr) -> _About | None:
    call, condition = call_and_condition(value)
    if call is None:
        return None
    first = call.expressions[0] if call.expressions else None
    if isinstance(first, exp.Distinct) and call.name not in _ANY:
        arguments = first.expressions
    elif call.name == _APPROXIMATE and first is not None:
        arguments = [first]
    else:
        return None
    return _About(call, tuple(_where(condition, a) for a in arguments))


def _where(condition: exp.Expr | None, value: exp.Expr) -> exp.Expr:
    return value if condition is None else exp.Case(ifs=[exp.If(this=condition.copy(), true=value.copy())])


def _type(value: exp.Expr, over: Plan) -> Type | None:
    """The type of a value, where it is plain to see."""
    match value:
        case exp.Column():
            return over.schema.type(value.name)
        case exp.Case():
            return _type(value.args["ifs"][0].args["true"], over)
    return None


# Carrying the slice, or when a pair is shown


@dataclass(frozen=True)
class _Meeting(Plan):
    """Where two sides meet: stands for a join of flows while what is above it is carried."""

    columns: tuple[Field, ...]
    join: Join

    @cached_property
    def schema(self) -> Schema:
        return Schema(self.columns)

    def head(self) -> str:
        return self.join.head()


@dataclass(frozen=True)
class _PerPart(Carrier):
    """Carries columns that every row of the source has; a group without keys is one per their value."""

    def reads(self, node: exp.Expr) -> bool:  # noqa: ARG002
        return False

    def inside(self, node: exp.Expr) -> exp.Expr:
        return node

    def domain(self) -> Plan:
        raise PlanError("a source without slices")

    def carry_aggregate(self, plan: Aggregate) -> Plan:
        child = self.carry(ungrouped(plan.child) if plan.keys else plan.child)
        return Aggregate(Group(child, (*plan.keys, *child.schema.passing(self.names))), plan.aggregates)


@dataclass(frozen=True)
class _Slicing(_PerPart):
    def depends(self, plan: Plan) -> bool:
        return tree.has_stream(plan)

    def source(self, plan: Plan) -> Plan:
        if not isinstance(plan, Stream):
            return super().source(plan)
        table = Table(basket(plan.name), plan.alias, (*plan.columns, *self.carried))
        (name,) = self.names
        carried = Named(name, scalar.column(f"{plan.alias}.{name}"), BIGINT)
        return Map(table, (*table.schema.passing(plan.schema.names), carried))


@dataclass(frozen=True)
class _Pairing(_PerPart):
    def depends(self, plan: Plan) -> bool:
        return any(isinstance(n, _Meeting) for n in tree.descendants(plan))

    def source(self, plan: Plan) -> Plan:
        if not isinstance(plan, _Meeting):
            return super().source(plan)
        left_new, right_all, left_old, right_new = SIDES
        return Union((self._met(plan, left_new, right_all, True), self._met(plan, left_old, right_new, False)))

    def _met(self, plan: _Meeting, left: str, right: str, left_is_small: bool) -> Plan:
        """The pairs: each is shown from when its younger row is until its older is not, if that is not before.

        The small side stands on the right, because that is the one which engines hash.
        """
        born, dies = self.names
        first = _side(left, plan.join.left.schema.fields, (f"{born}l", f"{dies}l"))
        second = _side(right, plan.join.right.schema.fields, (f"{born}r", f"{dies}r"))
        younger = scalar.call("greatest", scalar.column(f"{born}l"), scalar.column(f"{born}r"))
        older = scalar.call("least", scalar.column(f"{dies}l"), scalar.column(f"{dies}r"))
        sides = (second, first) if left_is_small else (first, second)
        joined = Join(sides[0], sides[1], condition=plan.join.condition)
        when = (Named(born, younger, BIGINT), Named(dies, older, BIGINT))
        return Map(joined, (*joined.schema.passing(plan.schema.names), *when))


def _side(table: str, columns: Sequence[Field], when: tuple[str, str]) -> Plan:
    read = reading(table, tuple(columns), fields(BORN, DIES))
    renamed = (Named(new, scalar.column(old), BIGINT) for old, new in zip((BORN, DIES), when, strict=True))
    return Map(read, (*read.schema.passing([c.name for c in columns]), *renamed))
