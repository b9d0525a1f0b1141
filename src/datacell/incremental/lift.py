"""Lifting: one fragment that answers a query at all the boundaries that are due.

Every relation carries `window_end` as one more key, so one engine call does the work of many. The boundaries come as a
table with, for every window of the query, the stretch of the stream that it shows there::

    boundaries(window_end, from_0, to_0, from_1, to_1, …)      window i shows the rows with from_i <= position < to_i

A row's position is its timestamp in microseconds, or its arrival number for row windows. Bounds are data, not literals,
so the text of the fragment never changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from datacell.algebra import scalar, tree
from datacell.algebra.carry import Carrier
from datacell.algebra.plan import Filter, Join, Map, Order, Over, Plan, SortKey, Stream, Table, Window
from datacell.algebra.query import TIME_COLUMNS, Query
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.types import BIGINT, INT, Type
from datacell.algebra.window import Rows
from datacell.errors import PlanError

BOUNDARIES = "boundaries"
POSITION, BOUNDARY = "position", "__boundary"
"""The column of a basket by which windows cut it, and the last column of an answer: the boundary it belongs to."""


def basket(stream: str) -> str:
    """The name under which a fragment reads a stream's rows, with their positions."""
    return f"basket {stream}"


def bounds(index: int) -> tuple[str, str]:
    """The columns of the boundaries table that say what window number `index` shows."""
    return f"from_{index}", f"to_{index}"


def lift(query: Query) -> Plan:
    """A fragment over `boundaries` and baskets; its rows are the answers, each with its boundary, in order.

    Windows are numbered from left to right.
    """
    windows = tree.windows(query.plan)
    if not windows:
        raise PlanError("a query without windows has no boundaries")
    (time,) = TIME_COLUMNS[query.timing]
    plan, columns, order = _parts(query.plan)
    numbered = _numbered(plan, iter(range(len(windows))))
    taken = frozenset(name for node in tree.descendants(numbered) for name in node.schema.names)
    carrier = _Boundaries((Field(f"{scalar.WINDOW_END}′", time.type),), taken)
    key = Named(carrier.names[0], scalar.column(carrier.names[0]), time.type)
    values = {c.name: replace(c, value=carrier.inside(c.value)) for c in columns}
    delivered = tuple(values.get(f.name, replace(key, name=f.name)) for f in query.result)
    ordered = Order(carrier.carry(numbered), (SortKey(key.value), *order))
    return Map(ordered, (*delivered, replace(key, name=BOUNDARY)))


def boundaries_schema(type_: Type, windows: int) -> Schema:
    """The columns of the boundaries table."""
    pairs = (Field(name, BIGINT) for i in range(windows) for name in bounds(i))
    return Schema((Field(scalar.WINDOW_END, type_), *pairs))


def _parts(plan: Plan) -> tuple[Plan, tuple[Named, ...], tuple[SortKey, ...]]:
    """What to carry, and what comes last: the columns to deliver, and the order, which may read others too."""
    match plan:
        case Map(Order(child, keys, None, 0), columns):
            return child, columns, keys
        case Map(Order(_, keys) as limited, columns):
            return limited, columns, keys
        case Order(child, keys, None, 0):
            return child, plan.schema.passing(), keys
        case Order(_, keys):
            return plan, plan.schema.passing(), keys
    return plan, plan.schema.passing(), ()


@dataclass(frozen=True)
class _Numbered(Window):
    """A window that knows its number."""

    index: int = 0


def _numbered(plan: Plan, numbers: Iterator[int]) -> Plan:
    if isinstance(plan, Window):
        return _Numbered(plan.child, plan.window, next(numbers))
    return plan.with_children([_numbered(child, numbers) for child in plan.children])


@dataclass(frozen=True)
class _Boundaries(Carrier):
    """Carries the boundary through the plan; windows are where it is read first."""

    def depends(self, plan: Plan) -> bool:
        return any(isinstance(n, Window) or any(map(self.reads, n.expressions())) for n in tree.descendants(plan))

    def reads(self, node: exp.Expr) -> bool:
        return scalar.reads_boundary(node)

    def domain(self) -> Plan:
        return self._table(())

    def inside(self, node: exp.Expr) -> exp.Expr:
        def fill(found: exp.Expr) -> exp.Expr | None:
            return scalar.column(self.names[0]) if isinstance(found, exp.Placeholder) else None

        return scalar.replace(node, fill)

    def source(self, plan: Plan) -> Plan:
        if not isinstance(plan, _Numbered):
            return super().source(plan)
        rows = _with_position(plan.child)
        position = scalar.column(_position(rows))
        start, stop = bounds(plan.index)
        shown: list[exp.Expr] = [
            exp.GTE(this=position, expression=scalar.column(start)),
            exp.LT(this=position.copy(), expression=scalar.column(stop)),
        ]
        joined: Plan = Join(rows, self._table((start, stop)), condition=scalar.conjoin(shown))
        if isinstance(plan.window, Rows) and plan.window.partition:
            joined = self._latest(joined, plan.window, position)
        return Map(joined, joined.schema.passing((*plan.schema.names, *self.names)))

    def _latest(self, joined: Plan, window: Rows, position: exp.Expr) -> Plan:
        """The last rows of each key."""
        number = self.fresh("row_number")
        newest_first = exp.Ordered(this=position.copy(), desc=True, nulls_first=False)
        ranking = exp.Window(
            this=scalar.call("row_number"),
            partition_by=[scalar.column(c) for c in (*self.names, *window.partition)],
            order=exp.Order(expressions=[newest_first]),
            over="OVER",
        )
        ranked = Over(joined, (Named(number, ranking, INT),))
        return Filter(ranked, exp.LTE(this=scalar.column(number), expression=exp.Literal.number(window.count)))

    def _table(self, columns: tuple[str, ...]) -> Plan:
        (key,) = self.carried
        fields = (Field(scalar.WINDOW_END, key.type), *(Field(c, BIGINT) for c in columns))
        table = Table(BOUNDARIES, BOUNDARIES, fields)
        values = [Named(key.name, scalar.column(f"{BOUNDARIES}.{scalar.WINDOW_END}"), key.type)]
        values += [Named(c, scalar.column(f"{BOUNDARIES}.{c}"), BIGINT) for c in columns]
        return Map(table, tuple(values))


def _with_position(plan: Plan) -> Plan:
    """What stands below a window, read from the basket and keeping each row's position."""
    match plan:
        case Stream(name, alias, columns):
            return Table(basket(name), alias, (*columns, Field(POSITION, BIGINT)))
        case Map(child, columns):
            below = _with_position(child)
            return Map(below, (*columns, *below.schema.passing([_position(below)])))
        case Filter(child):
            return Filter(_with_position(child), plan.predicate)
    raise PlanError(f"{plan.head()} below a window")


def _position(plan: Plan) -> str:
    return next(n for n in plan.schema.names if n.endswith(f".{POSITION}"))
