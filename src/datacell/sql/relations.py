"""FROM: names of streams and tables, subqueries, joins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar, types
from datacell.algebra.plan import Apply, Join, JoinKind, Map, Plan, Stream, Table, Values, Window
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import INT
from datacell.algebra.window import Rows, WindowSpec
from datacell.errors import SqlError, counted, did_you_mean
from datacell.sql.catalog import StreamDefinition
from datacell.sql.context import Context, Typed
from datacell.sql.expressions import Expressions, coerced, comparison_type, needs_cast
from datacell.sql.refusals import refuse_clauses
from datacell.sql.scope import Relation, Scope, Visible
from datacell.sql.subqueries import Bound, Subqueries
from datacell.sql.windows import PlacedWindow

From = tuple[Plan, Scope]
Ctes = dict[str, tuple[exp.CTE, "Ctes"]]
"""The named subqueries in sight, each with those that were in sight where it was defined."""

BindDerived = Callable[[exp.Expr, Scope | None, str, Ctes], Bound]

MOST_NAMES = 20_000
"""A named subquery is planned anew wherever it is read, so a few lines can ask for a plan without end."""

_SIDES = {"": JoinKind.INNER, "LEFT": JoinKind.LEFT, "RIGHT": JoinKind.RIGHT, "FULL": JoinKind.FULL}


class Relations:
    """Binds the FROM clause of one SELECT."""

    def __init__(
        self, context: Context, parent: Scope | None, ctes: Ctes, derived: BindDerived, subqueries: Subqueries
    ) -> None:
        self.context, self.parent, self.ctes, self.derived = context, parent, ctes, derived
        self.subqueries = subqueries

    def bind(self, select: exp.Select) -> From:
        source = select.args.get("from_")
        if source is None:
            return self._one_row(), Scope((), self.parent)
        plan, scope = self.item(source.this)
        for join in select.args.get("joins") or ():
            plan, scope = self._join(plan, scope, join)
        return plan, scope

    def item(self, node: exp.Expr) -> From:
        match node:
            case exp.Table():
                return self._with_joins(node, self._table(node))
            case exp.Subquery() | exp.Values():
                return self._with_joins(node, self._subquery(node))
            case exp.Paren():
                return self.item(node.this)
        raise self.context.error(
            f"{node.sql(dialect='spark')[:40]} cannot stand in FROM", node, "use a name or a subquery"
        )

    def _with_joins(self, node: exp.Expr, bound: From) -> From:
        refuse_clauses(self.context, node)
        for join in node.args.get("joins") or ():
            bound = self._join(*bound, join)
        return bound

    # Names

    def _table(self, node: exp.Table) -> From:
        if not isinstance(node.this, exp.Identifier):
            hint = "the table functions are TUMBLE, HOP and CUMULATE"
            raise self.context.error(f"there is no table function {node.this.name}", node.this, hint)
        name = ".".join(part.name for part in node.parts)
        placed = self.context.windows.get(node.this.meta.get("start", -1))
        if name.lower() in self.ctes:
            self._no_window(placed, f"{name} is a subquery")
            return self._cte(node, name)
        stream = self.context.catalog.stream(name)
        if stream is not None and self.context.continuous:
            self.context.read_windows.add(node.this.meta.get("start", -1))
            return self._stream(node, stream, placed)
        columns = stream.fields if stream is not None else self.context.catalog.table(name)
        if columns is None:
            raise self._unknown(node, name)
        if self.context.continuous and self.context.catalog.is_derived(name):
            hint = f"INSERT INTO a stream what {name} selects"
            raise self.context.error(f"{name} is an answer that changes, not a stream", node.this, hint)
        self._no_window(placed, f"{name} is a table")
        return self._source(node, columns, lambda alias, fields: Table(name, alias, fields))

    def _unknown(self, node: exp.Table, name: str) -> SqlError:
        if self.context.catalog.is_table(name):
            problem = f"the columns of {name} are not known before Spark makes it"
            return self.context.error(problem, node.this, "list its columns in CREATE TABLE")
        meant = did_you_mean(name, [*self.context.catalog.names(), *self.ctes])
        return self.context.error(f"there is no stream or table {name}", node.this, meant)

    def _no_window(self, placed: PlacedWindow | None, reason: str) -> None:
        if placed is not None:
            raise SqlError(f"a window belongs to a stream, {reason}", place=placed.place, hint="remove the window")

    def _stream(self, node: exp.Table, stream: StreamDefinition, placed: PlacedWindow | None) -> From:
        window = self._window(stream, placed)

        def make(alias: str, fields: tuple[Field, ...]) -> Plan:
            self.context.stream_nodes[alias] = node.this
            source = Stream(stream.name, alias, fields)
            return source if window is None else Window(source, _qualified(window, alias))

        return self._source(node, stream.fields, make, window)

    def _window(self, stream: StreamDefinition, placed: PlacedWindow | None) -> WindowSpec | None:
        if placed is None:
            return None
        names = {f.name.lower(): f.name for f in stream.fields}
        if placed.descriptor is not None and placed.descriptor.text.lower() != (stream.event_time or "").lower():
            own = f"its event time is {stream.event_time}" if stream.event_time else "declare WATERMARK FOR a column"
            problem = f"{placed.descriptor.text} is not the event time of {stream.name}"
            raise self.context.source.error(problem, placed.descriptor, own)
        if not isinstance(placed.window, Rows):
            return placed.window
        for token in placed.partition:
            if token.text.lower() not in names:
                hint = did_you_mean(token.text, names.values())
                raise self.context.source.error(f"{stream.name} has no column {token.text}", token, hint)
        return replace(placed.window, partition=tuple(names[c.lower()] for c in placed.window.partition))

    def _source(
        self,
        node: exp.Table,
        fields: tuple[Field, ...],
        make: Callable[[str, tuple[Field, ...]], Plan],
        window: WindowSpec | None = None,
    ) -> From:
        visible = node.alias or node.name
        if len(self.context.names) > MOST_NAMES:
            raise self.context.error("this query reads too many things", node.this, "WITH names that use others add up")
        alias = self.context.names.fresh(visible)
        plan = make(alias, fields)
        called = self._renamed(node, [f.name for f in fields])
        columns = tuple(
            Visible(name, column, f.type) for name, column, f in zip(called, plan.schema.names, fields, strict=True)
        )
        return plan, Scope((Relation(visible, columns, window),), self.parent)

    def _renamed(self, node: exp.Expr, names: list[str]) -> list[str]:
        alias = node.args.get("alias")
        if alias is None or not alias.columns:
            return names
        wanted = [c.name for c in alias.columns]
        if len(wanted) != len(names):
            raise self.context.error(f"{counted(len(wanted), 'name')} for {counted(len(names), 'column')}", alias)
        return wanted

    def _cte(self, node: exp.Table, name: str) -> From:
        cte, outside = self.ctes[name.lower()]
        self.context.read_ctes.add(id(cte))
        return self._derived(cte.this, node.alias or node.name, [cte, node], outside, None)

    def _subquery(self, node: exp.Expr) -> From:
        visible = node.alias or "subquery"
        inner = node.this if isinstance(node, exp.Subquery) else node
        if isinstance(inner, exp.Table):
            return self.item(inner)
        return self._derived(inner, visible, [node], self.ctes, self.parent)

    def _derived(self, query: exp.Expr, visible: str, naming: list[exp.Expr], ctes: Ctes, parent: Scope | None) -> From:
        bound = self.derived(query, parent, self.context.names.fresh(visible), ctes)
        return bound.plan, Scope((self._relation(visible, bound, naming),), self.parent)

    def _relation(self, visible: str, bound: Bound, naming: list[exp.Expr]) -> Relation:
        """A subquery as a relation; what names it may rename its columns."""
        called = [c.name for c in bound.columns]
        for node in naming:
            called = self._renamed(node, called)
        columns = (replace(c, name=name) for c, name in zip(bound.columns, called, strict=True))
        return Relation(visible, tuple(columns))

    def _one_row(self) -> Plan:
        name = self.context.names.fresh("one")
        return Values((Field(name, INT),), ((exp.Literal.number(1),),))

    # Joins

    def _join(self, plan: Plan, scope: Scope, node: exp.Join) -> From:
        if isinstance(node.this, exp.Lateral):
            return self._lateral(plan, scope, node)
        right_plan, right_scope = self.item(node.this)
        self._distinct_aliases(scope, right_scope, node)
        kind = self._kind(node)
        both = scope.beside(*right_scope.relations)
        using = self._using(node, scope, right_scope)
        if using:
            return self._join_using(plan, scope, right_plan, right_scope, kind, using, node)
        condition, left = self._on(node, both, plan, right_plan)
        visible = both if kind.keeps_right else scope
        return Join(left, right_plan, kind, condition), visible

    def _kind(self, node: exp.Join) -> JoinKind:
        if node.kind in ("SEMI", "ANTI"):
            return JoinKind[node.kind]
        if node.method not in ("", "NATURAL"):
            raise self.context.error(f"{node.method} join is not supported", node.this)
        return _SIDES[node.side]

    def _on(self, node: exp.Join, scope: Scope, left: Plan, right: Plan) -> tuple[exp.Expr | None, Plan]:
        on = node.args.get("on")
        if on is None:
            if node.side in ("LEFT", "RIGHT", "FULL") or node.kind in ("SEMI", "ANTI"):
                raise self.context.error("this join has no condition", node.this, "add ON …")
            return None, left
        binder = Expressions(self.context, scope, Join(left, right), "ON", self.subqueries)
        condition = binder.predicate(on)
        if not isinstance(binder.plan, Join):
            raise self.context.error("a subquery cannot stand in ON", on, "move it to WHERE")
        return condition, left

    def _distinct_aliases(self, left: Scope, right: Scope, node: exp.Join) -> None:
        for relation in right.relations:
            if relation.alias and left.relation(relation.alias):
                where = node.this.args.get("alias") or node.this
                hint = f"give one of them another name: … AS {relation.alias}_2"
                raise self.context.error(f"{relation.alias} appears twice in FROM", where, hint)

    def _using(self, node: exp.Join, left: Scope, right: Scope) -> list[str]:
        if node.method == "NATURAL":
            names = {n.lower() for n in right.column_names()}
            return [n for n in left.column_names() if n.lower() in names]
        return [c.name for c in node.args.get("using") or ()]

    def _join_using(
        self,
        left: Plan,
        left_scope: Scope,
        right: Plan,
        right_scope: Scope,
        kind: JoinKind,
        names: list[str],
        node: exp.Join,
    ) -> From:
        pairs = [(self._only(left_scope, n, node, "left"), self._only(right_scope, n, node, "right")) for n in names]
        condition = scalar.conjoin([self._equal(a, b, node) for a, b in pairs])
        joined: Plan = Join(left, right, kind, condition)
        if not kind.keeps_right:
            return joined, left_scope
        merged = [b if kind is JoinKind.RIGHT else a for a, b in pairs]
        if kind is JoinKind.FULL:
            joined, merged = self._coalesced(joined, pairs)
        hidden = {v.column for pair in pairs for v in pair}
        relations = (*left_scope.relations, *right_scope.relations)
        rest = tuple(replace(r, columns=tuple(_hide(c, hidden) for c in r.columns)) for r in relations)
        return joined, Scope((Relation(None, tuple(merged)), *rest), self.parent)

    def _coalesced(self, joined: Plan, pairs: list[tuple[Visible, Visible]]) -> tuple[Plan, list[Visible]]:
        added = []
        for a, b in pairs:
            type_ = types.common(a.type, b.type) or a.type
            sides = [coerced(Typed(scalar.column(v.column), v.type), type_) for v in (a, b)]
            added.append(Named(self.context.names.fresh(a.name), scalar.call("coalesce", *sides), type_))
        merged = [Visible(a.name, n.name, n.type) for (a, _), n in zip(pairs, added, strict=True)]
        return Map(joined, (*joined.schema.passing(), *added)), merged

    def _only(self, scope: Scope, name: str, node: exp.Join, side: str) -> Visible:
        found = scope.find(name)
        if len(found) != 1:
            problem = "is ambiguous on" if found else "is missing on"
            where = next((c for c in node.args.get("using") or () if c.name == name), node.this)
            hint = did_you_mean(name, scope.column_names())
            raise self.context.error(f"column {name} {problem} the {side} side of the join", where, hint)
        return found[0]

    def _equal(self, a: Visible, b: Visible, node: exp.Join) -> exp.Expr:
        target = comparison_type(a.type, b.type)
        if target is None:
            raise self.context.error(f"{a.name} is {a.type} on one side and {b.type} on the other", node.this)
        sides = [Typed(scalar.column(v.column), v.type) for v in (a, b)]
        values = [coerced(s, target) if needs_cast(s.type, target) else s.value for s in sides]
        return exp.EQ(this=values[0], expression=values[1])

    def _lateral(self, plan: Plan, scope: Scope, node: exp.Join) -> From:
        lateral = node.this
        if not isinstance(lateral.this, exp.Subquery):
            raise self.context.error("LATERAL needs a subquery here", lateral, "write LATERAL (SELECT …) AS name")
        kind = self._kind(node)
        if kind not in (JoinKind.INNER, JoinKind.LEFT):
            raise self.context.error(f"LATERAL cannot be a {kind.value} join", lateral)
        visible = lateral.alias or "subquery"
        bound = self.derived(lateral.this.this, scope, self.context.names.fresh(visible), self.ctes)
        both = scope.beside(self._relation(visible, bound, [lateral]))
        on = node.args.get("on")
        condition = None
        if on is not None:
            binder = Expressions(self.context, both, Join(plan, bound.plan), "ON", self.subqueries)
            condition = binder.predicate(on)
        return Apply(plan, bound.plan, kind, condition), both


def _hide(column: Visible, hidden: set[str]) -> Visible:
    return replace(column, qualified_only=True) if column.column in hidden else column


def _qualified(window: WindowSpec, alias: str) -> WindowSpec:
    if not isinstance(window, Rows):
        return window
    return replace(window, partition=tuple(f"{alias}.{c}" for c in window.partition))
