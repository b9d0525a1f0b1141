"""A plan over windows without SLIDE, as operators over rows with a validity.

What does something to each row alone stays together in flows. A join of two streams, a distinct and an aggregate by
parts have ways of their own; everything else is swept. Tables are valid whenever there is an answer: that is where some
window of the query shows something (law 8).

Under LATEST a row begins before anybody knows when it ends. Sweeps and joins go on with such rows, whatever else reads
them waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar, tree
from datacell.algebra.carry import ungrouped
from datacell.algebra.decompose import decompose
from datacell.algebra.plan import (
    Aggregate,
    Coalesce,
    Distinct,
    Filter,
    Group,
    Input,
    Join,
    JoinKind,
    Map,
    Order,
    Over,
    Plan,
    SetOperation,
    SplitEvery,
    Stream,
    Unfold,
    Union,
    Window,
)
from datacell.algebra.query import Query
from datacell.algebra.schema import Named
from datacell.algebra.versions import Versions
from datacell.algebra.window import LatestBy, WindowSpec, is_keyed
from datacell.errors import PlanError
from datacell.intervals import operators
from datacell.intervals.aggregate_columns import Columns
from datacell.intervals.finish import finished
from datacell.intervals.flow import Flow, OperatorRows, Presence, WindowRows
from datacell.intervals.framed import Agreed, framed
from datacell.intervals.operators import Operator
from datacell.intervals.program import Program, VersionsInPieces
from datacell.intervals.sweep import Side
from datacell.intervals.validity import FROM, TO, VALIDITY, require_no_instant, union

Keys = tuple[Named, ...]
_KEEPS_LEFT = (JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)
_KEEPS_RIGHT = (JoinKind.INNER, JoinKind.RIGHT)


def translate(query: Query, agreed: Agreed) -> Program:
    """The operators of a query whose windows have no SLIDE; engines have `agreed` on what runs wherever it is best."""
    translation = _Translation(tree.windows(query.plan), agreed)
    plan, finish = finished(_unordered(query.plan))
    answer = translation.as_flow(plan)
    windows = tuple((tree.stream_of(w), w.window) for w in translation.windows)
    return Program(query, windows, tuple(translation.operators), answer, finish, tuple(translation.versions))


class _Translation:
    """Windows are numbered from left to right, operators as they are met from the bottom."""

    def __init__(self, windows: Sequence[Window], agreed: Agreed) -> None:
        self.windows, self.agreed = windows, agreed
        self.operators: list[Operator] = []
        self.versions: list[VersionsInPieces] = []
        self._next = 0
        self._pieces: int | None = None

    def as_flow(self, plan: Plan) -> Flow:
        return Flow(self.flow(plan), _may_be_open(plan))

    def flow(self, plan: Plan, split: int | None = None) -> Plan:
        """The plan as a fragment over leaves, with the validity of each row.

        What is swept may be cut at every multiple of a length of time.
        """
        require_no_instant(plan)
        match plan:
            case Window(child, window):
                index = self._next
                self._next += 1
                return self._latest(plan, index) if isinstance(window, LatestBy) else _below_window(child, index)
            case Filter(child):
                return Filter(self.flow(child), plan.predicate)
            case Unfold(child):
                unfolded = plan.with_children([self.flow(child)])
                return Map(unfolded, unfolded.schema.passing((*plan.schema.names, FROM, TO)))
            case Map(child, columns):
                below = self.flow(child)
                return Map(below, (*columns, *below.schema.passing((FROM, TO))))
            case Union(inputs) if not any(map(tree.is_static, inputs)):
                return Union(tuple(map(self._aligned, inputs)))
            case Order(child, limit=None, offset=0):
                return self.flow(child)
            case Distinct(child) if _may_be_open(child):
                return self._swept(plan, [child.schema.passing()], split)
            case Distinct(child):
                return self._output(operators.Distinct(plan, (self.as_flow(child),)))
            case Coalesce(child, when):
                return self._output(operators.Coalesce(plan, (self.as_flow(child),), when))
            case SplitEvery(child, length):
                return self.flow(child, length) if tree.is_swept(child) else self._split(plan, child, length)
            case Aggregate():
                return self._aggregate(plan, split)
            case Join():
                return self._join(plan, split)
        return self._swept(plan, _keys_apart(plan), split)

    def _latest(self, plan: Window, index: int) -> Plan:
        versions = Versions(index, plan)
        self.versions.append(VersionsInPieces(versions, self._pieces))
        return Input(WindowRows(index), (*plan.schema.fields, *VALIDITY))

    def _aligned(self, plan: Plan) -> Plan:
        flow = self.flow(plan)
        return Map(flow, flow.schema.passing((*plan.schema.names, FROM, TO)))

    def _aggregate(self, plan: Aggregate, split: int | None) -> Plan:
        child = ungrouped(plan.child) if plan.keys else plan.child
        if not plan.aggregates:
            return self.flow(Distinct(Map(child, plan.keys)))
        window = self._window_of_rows(plan)
        by_parts = None if window is None else self._by_parts(plan, window, split)
        return self._swept(plan, [plan.keys], split, window) if by_parts is None else by_parts

    def _window_of_rows(self, plan: Aggregate) -> WindowSpec | None:
        """Of rows that end in the order in which they began: the one window that they are under."""
        child = ungrouped(plan.child) if plan.keys else plan.child
        windows = {w.window for w in (tree.windows(child) if plan.keys else self.windows)}
        if len(windows) > 1 or any(map(is_keyed, windows)) or not _is_flow(child):
            return None
        return windows.pop()

    def _by_parts(self, plan: Aggregate, window: WindowSpec, split: int | None) -> Plan | None:
        """An aggregate that can be decomposed."""
        child = ungrouped(plan.child) if plan.keys else plan.child
        found = [p for a in plan.aggregates if (p := decompose(a, child.schema)) is not None and p.adds_up]
        if not found or len(found) < len(plan.aggregates):
            return None
        rows = self.as_flow(child)
        inputs = (rows,) if plan.keys else (rows, self._presence())
        columns = Columns(plan.keys, tuple(found), rows.columns)
        return self._output(operators.Aggregate(plan, inputs, columns, window, split))

    def _join(self, plan: Join, split: int | None) -> Plan:
        if tree.is_static(plan.right) and plan.kind in _KEEPS_LEFT:
            return self._beside(plan, replace(plan, left=self.flow(plan.left)))
        if tree.is_static(plan.left) and plan.kind in _KEEPS_RIGHT:
            return self._beside(plan, replace(plan, right=self.flow(plan.right)))
        if plan.kind is JoinKind.INNER:
            sides = self.as_flow(plan.left), self.as_flow(plan.right)
            return self._output(operators.Join(plan, sides, plan.condition))
        return self._swept(plan, _equal_keys(plan), split)

    def _beside(self, plan: Join, joined: Join) -> Plan:
        """A join with a table: the rows stay valid as they are."""
        return Map(joined, joined.schema.passing((*plan.schema.names, FROM, TO)))

    def _swept(self, plan: Plan, keys: Sequence[Keys], split: int | None, window: WindowSpec | None = None) -> Plan:
        """`keys` has for each input what tells its rows apart; `window` is that of rows to be aggregated."""
        inputs = [ungrouped(plan.child)] if isinstance(plan, Aggregate) and plan.keys else list(plan.children)
        flows: list[Flow] = []
        sides: list[Plan] = []
        has_table = any(map(tree.is_static, inputs))
        for child, key in zip(inputs, keys, strict=True):
            if tree.is_static(child):
                sides.append(child)
                continue
            flow = self.as_flow(child)
            sides.append(Side(len(flows), flow.columns, () if has_table else key, flow.may_be_open))
            flows.append(flow)
        found = [s for s in sides if isinstance(s, Side)]
        presence = None
        if has_table or (isinstance(plan, Aggregate) and not plan.keys):
            presence = len(flows)
            flows.append(self._presence())
            found.append(Side(presence, (), (), flows[-1].may_be_open))
        over = _over(plan, sides)
        if window is not None and isinstance(plan, Aggregate):
            over = framed(plan, found[0], window, self.agreed)
        return self._output(operators.Sweep(plan, tuple(flows), over, tuple(found), presence, split))

    def _presence(self) -> Presence:
        """When some window of the query shows something."""
        rows = union([Input(WindowRows(index), VALIDITY) for index in range(len(self.windows))])
        return Presence(rows, any(is_keyed(w.window) for w in self.windows))

    def _split(self, plan: Plan, child: Plan, length: int) -> Plan:
        """What is open at a cut ends there, so nothing waits longer for an end that is not known."""
        around, self._pieces = self._pieces, length
        rows = self.as_flow(child)
        self._pieces = around
        return self._output(operators.Split(plan, (rows,), length))

    def _output(self, operator: Operator) -> Plan:
        self.operators.append(operator)
        return Input(OperatorRows(len(self.operators) - 1), operator.schema.fields)


def _unordered(plan: Plan) -> Plan:
    """An answer at every instant is ordered by its validity."""
    match plan:
        case Order(child, limit=None, offset=0):
            return _unordered(child)
        case Map(Order(child, limit=None, offset=0), columns):
            return Map(child, columns)
    return plan


def _may_be_open(plan: Plan) -> bool:
    """May it give rows of which nobody knows yet when they end?"""
    match plan:
        case Window(_, window):
            return is_keyed(window)
        case Filter() | Map() | Unfold() | Union() | Order(limit=None, offset=0):
            return any(map(_may_be_open, plan.children))
        case Join(left, right, kind):
            beside = tree.is_static(left) or tree.is_static(right)
            return (beside or kind is JoinKind.INNER) and (_may_be_open(left) or _may_be_open(right))
    return False


def _is_flow(plan: Plan) -> bool:
    """Is every row of it a row of one window, as long as that is valid?"""
    match plan:
        case Window():
            return True
        case Filter(child) | Map(child) | Unfold(child) | Order(child, limit=None, offset=0):
            return _is_flow(child)
        case Union(inputs):
            return all(map(_is_flow, inputs))
        case Join(left, right, kind):
            beside = tree.is_static(right) and kind in _KEEPS_LEFT and _is_flow(left)
            return beside or (tree.is_static(left) and kind in _KEEPS_RIGHT and _is_flow(right))
    return False


def _below_window(plan: Plan, index: int) -> Plan:
    """What stands below a window, over its leaf."""
    match plan:
        case Stream(alias=alias, columns=columns):
            rows = Input(WindowRows(index), (*columns, *VALIDITY), alias)
            validity = (Named(f.name, scalar.column(f"{alias}.{f.name}"), f.type) for f in VALIDITY)
            return Map(rows, (*rows.schema.passing(plan.schema.names), *validity))
        case Map(child, columns):
            below = _below_window(child, index)
            return Map(below, (*columns, *below.schema.passing((FROM, TO))))
        case Filter(child):
            return Filter(_below_window(child, index), plan.predicate)
    raise PlanError(f"{plan.head()} below a window")


def _over(plan: Plan, sides: Sequence[Plan]) -> Plan:
    """The operator over its sides."""
    if isinstance(plan, Aggregate) and plan.keys:
        return replace(plan, child=Group(sides[0], plan.keys))
    return plan.with_children(sides)


def _keys_apart(plan: Plan) -> list[Keys]:
    """For each input what tells rows apart that never meet in the operator."""
    match plan:
        case SetOperation(left, right):
            return [left.schema.passing(), right.schema.passing()]
        case Over(child, functions):
            parts = [{c.name for c in f.value.args.get("partition_by") or () if _is_column(c)} for f in functions]
            common = set.intersection(*parts)
            return [child.schema.passing(n for n in child.schema.names if n in common)]
    return [()] * len(plan.children)


def _equal_keys(plan: Join) -> list[Keys]:
    """The columns that a condition compares for equality."""
    found: list[tuple[Named, Named]] = []
    for part in () if plan.condition is None else scalar.conjuncts(plan.condition):
        if isinstance(part, exp.EQ | exp.NullSafeEQ) and _is_column(part.this) and _is_column(part.expression):
            names = (part.this.name, part.expression.name)
            left, right = names if names[0] in plan.left.schema else names[::-1]
            if left in plan.left.schema and right in plan.right.schema:
                found.append((plan.left.schema.passing([left])[0], plan.right.schema.passing([right])[0]))
    same = [(a, b) for a, b in found if a.type == b.type]
    return [tuple(a for a, _ in same), tuple(b for _, b in same)]


def _is_column(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column)
