"""Elementary intervals: range conditions of many members, tested once.

All constants of all members cut the axis of a value into elementary intervals; every row falls into one of them, and a
member is a run of intervals. So an aggregate under such conditions is made of each interval, whoever asks for it, and
what an interval gave is put together for each member as slices are put together for a window::

    α(σ(low ≤ v < high)(R))  =  finish(combine(the nodes of [low, high)))

A node is an interval, or some neighbouring ones together, or some of those, and so on: so a member is a few nodes, as
long as it may be. Which interval a value is in is found by a hash join: a grid over the axis says where to look.

Which intervals and nodes there are is in tables (`runtime.net.axes`), so none of it is in a plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from sqlglot import exp

from datacell.algebra import scalar, tree
from datacell.algebra.carry import narrowed, ungrouped
from datacell.algebra.combining import folded
from datacell.algebra.decompose import decompose_all
from datacell.algebra.partial import cast, formula
from datacell.algebra.plan import Aggregate, Filter, Group, Join, Map, Plan, Table, Window
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT, DOUBLE, INTEGERS, Type

MARK = "′"
"""In the names of what is the system's own."""

INTERVAL = "interval′"
_GRID = "grid′"
_AXES = (DOUBLE, *INTEGERS)


class Side(Enum):
    """A condition on a value: from a constant on, above it, below it, up to it."""

    FROM = "from"
    ABOVE = "above"
    BELOW = "below"
    UP_TO = "up to"

    @property
    def is_low(self) -> bool:
        return self in (Side.FROM, Side.ABOVE)


_SIDES = {exp.GTE: Side.FROM, exp.GT: Side.ABOVE, exp.LT: Side.BELOW, exp.LTE: Side.UP_TO}
_TURNED = {Side.FROM: Side.UP_TO, Side.ABOVE: Side.BELOW, Side.BELOW: Side.ABOVE, Side.UP_TO: Side.FROM}


@dataclass(frozen=True)
class Axis:
    """A value that members have ranges of: its number in the family, its type, and what limits a range."""

    number: int
    type: Type
    limits: tuple[tuple[str, Side], ...]
    """Parameters, with the side on which each limits."""

    def table(self, kind: Kind) -> str:
        """The name of a table about it."""
        return f"{kind.value}{MARK}{self.number}"

    def columns(self, kind: Kind) -> tuple[Field, ...]:
        return {
            Kind.GRIDS: (Field("base", DOUBLE), Field("factor", DOUBLE), Field("top", DOUBLE), Field("most", BIGINT)),
            Kind.INTERVALS: (
                Field("cell", BIGINT),
                Field("low", self.type),
                Field("high", self.type),
                Field("interval", BIGINT),
            ),
            Kind.NODES: (Field("interval", BIGINT), Field("node", BIGINT)),
            Kind.RANGES: (Field("number", BIGINT), Field("node", BIGINT)),
        }[kind]


class Kind(Enum):
    """Tables of an axis: the one row that says how the grid is laid; which intervals there are in a cell of it, and in
    which nodes an interval is; of which nodes a member is made."""

    GRIDS = "grids"
    INTERVALS = "intervals"
    NODES = "nodes"
    RANGES = "ranges"


def over_intervals(plan: Aggregate, mine: str, number: int) -> tuple[Plan, Axis] | None:
    """The aggregate for the member whose number is the outer column `mine`; None if it is not of this kind."""
    child = ungrouped(plan.child) if plan.keys else plan.child
    own = [*plan.expressions(), *(k.value for k in plan.keys)]
    found = decompose_all(plan.aggregates)
    if found is None or not plan.aggregates or any(map(scalar.outer_columns, own)) or not isinstance(child, Filter):
        return None
    limits, rest = _limits(child)
    if limits is None or not _is_simple(child.child):
        return None
    value = next(iter(limits))[0]
    axis = Axis(number, _type(child.schema.type(value)), tuple((name, side) for _, name, side in limits))
    rows = Filter(child.child, scalar.conjoin(rest)) if rest else child.child
    inside = _inside(rows, value, axis)
    keys = (*plan.keys, Named(INTERVAL, scalar.column(INTERVAL), BIGINT))
    pieces = Aggregate(Group(inside, keys), tuple(p for one in found for p in one.partials))
    names = tuple(k.name for k in plan.keys)
    larger = _table(axis, Kind.NODES)
    interval, node = larger.schema.names
    in_nodes = Join(pieces, larger, condition=_equal(INTERVAL, interval))
    partials = tuple(p.name for one in found for p in one.partials)
    nodes = folded(narrowed(in_nodes, (*names, node, *partials)), (*names, node), found)
    ranges = _table(axis, Kind.RANGES)
    member, its = ranges.schema.names
    asked = Filter(
        Join(nodes, ranges, condition=_equal(node, its)),
        exp.EQ(this=scalar.column(member), expression=scalar.outer(mine)),
    )
    combined = tuple(c for one in found for c in one.combined)
    whole = Aggregate(Group(asked, asked.schema.passing(names)) if names else asked, combined)
    finished = {one.finish.name: one.finish for one in found}
    passed = {c.name: c for c in whole.schema.passing()}
    return Map(whole, tuple(finished.get(f.name) or passed[f.name] for f in plan.schema)), axis


def _inside(rows: Plan, value: str, axis: Axis) -> Plan:
    """Rows with the interval that their value is in; without those that are in none."""
    grids, intervals = _table(axis, Kind.GRIDS), _table(axis, Kind.INTERVALS)
    base, factor, top, most = map(scalar.column, grids.schema.names)
    v = scalar.column(value)
    inner = scalar.call("floor", formula("(v - base) * factor", v=cast(v, DOUBLE), base=base, factor=factor))
    cell = exp.Case(
        ifs=[
            exp.If(this=exp.GTE(this=cast(v, DOUBLE), expression=top), true=most),
            exp.If(this=exp.GTE(this=cast(v, DOUBLE), expression=base), true=cast(inner, BIGINT)),
        ],
        default=exp.Literal.number(-1),
    )
    placed = Map(Join(rows, grids), (*rows.schema.passing(), Named(_GRID, cell, BIGINT)))
    there, low, high, interval = intervals.schema.names
    conditions: list[exp.Expr] = [
        _equal(_GRID, there),
        _or_open(low, exp.GTE(this=v.copy(), expression=scalar.column(low))),
        _or_open(high, exp.LT(this=v.copy(), expression=scalar.column(high))),
    ]
    joined = Join(placed, intervals, condition=scalar.conjoin(conditions))
    return Map(joined, (*joined.schema.passing(rows.schema.names), Named(INTERVAL, scalar.column(interval), BIGINT)))


def _limits(node: Filter) -> tuple[tuple[tuple[str, str, Side], ...] | None, list[exp.Expr]]:
    """The ranges of one column that parameters limit, and the other conditions; None if parameters do more."""
    found: list[tuple[str, str, Side]] = []
    rest: list[exp.Expr] = []
    for part in scalar.conjuncts(node.predicate):
        if not scalar.outer_columns(part):
            rest.append(part)
            continue
        limits = list(_of(part))
        if not limits:
            return None, rest
        found += limits
    types = {_type(node.schema.type(column)) for column, _, _ in found}
    one = len({column for column, _, _ in found}) == 1 and types <= {DOUBLE, BIGINT}
    return (tuple(found) if one else None), rest


def _of(part: exp.Expr) -> Iterator[tuple[str, str, Side]]:
    if isinstance(part, exp.Between):
        if _is_column(part.this) and scalar.is_outer(part.args["low"]) and scalar.is_outer(part.args["high"]):
            yield part.this.name, part.args["low"].name, Side.FROM
            yield part.this.name, part.args["high"].name, Side.UP_TO
        return
    side = next((side for kind, side in _SIDES.items() if type(part) is kind), None)
    if side is None:
        return
    left, right = part.this, part.expression
    if _is_column(left) and scalar.is_outer(right):
        yield left.name, right.name, side
    elif _is_column(right) and scalar.is_outer(left):
        yield right.name, left.name, _TURNED[side]


def _is_column(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and not scalar.is_outer(node)


def _is_simple(plan: Plan) -> bool:
    """Rows of one window, each by itself, that depend on no member."""
    while isinstance(plan, Map | Filter):
        plan = plan.child
    return isinstance(plan, Window) and not plan.outer and len(tree.streams(plan)) == 1


def _type(of: Type) -> Type:
    """In which limits are: that of the parameters beside such a column."""
    return BIGINT if of in INTEGERS else of


def _table(axis: Axis, kind: Kind) -> Table:
    name = axis.table(kind)
    return Table(name, name, axis.columns(kind), is_fixed=True)


def _or_open(limit: str, condition: exp.Expr) -> exp.Expr:
    return exp.Paren(this=exp.or_(exp.Is(this=scalar.column(limit), expression=exp.Null()), condition))


def _equal(left: str, right: str) -> exp.Expr:
    return exp.EQ(this=scalar.column(left), expression=scalar.column(right))
