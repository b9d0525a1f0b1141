"""FROM: its items, joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar, types
from datacell.algebra.plan import Apply, Filter, Join, JoinKind, Map, Plan
from datacell.algebra.schema import Named
from datacell.errors import did_you_mean
from datacell.sql.bind.coercing import coerced, comparison_type, needs_cast
from datacell.sql.bind.context import Context, Typed
from datacell.sql.bind.expressions import Expressions
from datacell.sql.bind.generators import generated, is_generator
from datacell.sql.bind.pivots import check_pivoted, said_plainly
from datacell.sql.bind.refusals import refuse_clauses
from datacell.sql.bind.scope import Relation, Scope, Visible
from datacell.sql.bind.sources import BindDerived as BindDerived
from datacell.sql.bind.sources import Ctes as Ctes
from datacell.sql.bind.sources import From, Sources

_APPLIED = {JoinKind.RIGHT: JoinKind.LEFT}
_SIDES = {"": JoinKind.INNER, "LEFT": JoinKind.LEFT, "RIGHT": JoinKind.RIGHT, "FULL": JoinKind.FULL}


class Relations(Sources):
    """Binds the FROM clause of one SELECT."""

    def bind(self, select: exp.Select) -> From:
        source = select.args.get("from_")
        if source is None:
            return self.one_row(), Scope((), self.parent)
        plan, scope = self.item(source.this)
        for join in select.args.get("joins") or ():
            plan, scope = self._join(plan, scope, join)
        for view in select.args.get("laterals") or ():
            plan, scope = self._made(plan, scope, view, bool(view.args.get("outer")))
        return plan, scope

    def _made(self, plan: Plan, scope: Scope, node: exp.Lateral, outer: bool) -> From:
        """A row beside each of the rows that a function makes of it."""
        alias = node.args.get("alias")
        names = [c.name for c in alias.columns] if alias is not None else []
        binder = Expressions(self.context, scope, plan, "LATERAL VIEW", self.subqueries)
        made = generated(binder, node.this, outer, names)
        return made.plan, scope.beside(Relation(node.alias or None, made.columns))

    def item(self, node: exp.Expr) -> From:
        match node:
            case exp.Table() | exp.Subquery() if node.args.get("pivots"):
                return self._pivoted(node)
            case exp.Table():
                return self._with_joins(node, self.table(node))
            case exp.Subquery() | exp.Values():
                return self._with_joins(node, self.subquery(node))
            case exp.Lateral(this=exp.Subquery() as inner):
                alone = exp.Subquery(this=inner.this, alias=node.args.get("alias"))
                alone.meta.update(node.meta)
                return self._with_joins(node, self.subquery(alone))
            case exp.Paren():
                return self.item(node.this)
        raise self.context.unsupported(
            f"{node.sql(dialect='spark')[:40]} cannot stand in FROM", node, "use a name or a subquery"
        )

    def _pivoted(self, node: exp.Expr) -> From:
        pivot, *more = node.args["pivots"]
        bare = node.copy()
        joins = bare.args.pop("joins", None)
        bare.set("pivots", None)
        if more:
            raise self.context.unsupported("PIVOT of a PIVOT is not supported", more[0])
        _, scope = self.item(bare)
        query = said_plainly(self.context, bare, pivot, [c.name for c in scope.star()])
        bound = self.subquery(exp.Subquery(this=query, alias=pivot.args.get("alias") or bare.args.get("alias")))
        others = len(query.args["group"].expressions) if query.args.get("group") else 0
        check_pivoted(self.context, pivot, [c.type for c in list(bound[1].star())[others:]])
        for join in joins or ():
            bound = self._join(*bound, join)
        return bound

    def _with_joins(self, node: exp.Expr, bound: From) -> From:
        refuse_clauses(self.context, node)
        for join in node.args.get("joins") or ():
            bound = self._join(*bound, join)
        return bound

    # Joins

    def _join(self, plan: Plan, scope: Scope, node: exp.Join) -> From:
        if isinstance(node.this, exp.Lateral):
            return self._lateral(plan, scope, node)
        right_plan, right_scope = self.item(node.this)
        kind = self._kind(node)
        both = scope.beside(*right_scope.relations)
        using = self._using(node, scope, right_scope)
        if using:
            return self._join_using(plan, scope, right_plan, right_scope, kind, using, node)
        visible = both if kind.keeps_right else scope
        on = node.args.get("on")
        if on is not None and on.find(exp.Query) is not None:
            if kind is JoinKind.INNER:
                return self._filtered(Join(plan, right_plan), both, on), visible
            if kind is not JoinKind.FULL:
                return self._applied((plan, scope), (right_plan, right_scope), kind, on), visible
        condition, left = self._on(node, both, plan, right_plan)
        return Join(left, right_plan, kind, condition), visible

    def _filtered(self, rows: Plan, scope: Scope, on: exp.Expr) -> Plan:
        """The condition of an inner join may as well be asked of its pairs, and there may be subqueries in it."""
        binder = Expressions(self.context, scope, rows, "ON", self.subqueries)
        parts = list(scalar.conjuncts(on))
        plain = [binder.predicate(part) for part in parts if part.find(exp.Query) is None]
        if plain and isinstance(rows, Join):
            binder.plan = replace(rows, condition=scalar.conjoin(plain))
        elif plain:
            binder.plan = Filter(rows, scalar.conjoin(plain))
        for part in parts:
            if part.find(exp.Query) is not None and not self.subqueries.condition(binder, part):
                predicate = binder.predicate(part)
                binder.plan = Filter(binder.plan, predicate)
        return binder.plan

    def _applied(self, left: From, right: From, kind: JoinKind, on: exp.Expr) -> Plan:
        """The other joins but FULL: each row of the side that is kept is met by the rows of the other side for which
        the condition holds."""
        (kept, around), (other, scope) = (right, left) if kind is JoinKind.RIGHT else (left, right)
        inside = Scope(scope.relations, Scope(around.relations, self.parent))
        found = self._filtered(other, inside, on)
        return Apply(kept, Map(found, found.schema.passing(other.schema.names)), _APPLIED.get(kind, kind))

    def _kind(self, node: exp.Join) -> JoinKind:
        if node.kind in ("SEMI", "ANTI"):
            return JoinKind[node.kind]
        if node.method not in ("", "NATURAL"):
            raise self.context.unsupported(f"{node.method} join is not supported", node.this)
        return _SIDES[node.side]

    def _on(self, node: exp.Join, scope: Scope, left: Plan, right: Plan) -> tuple[exp.Expr | None, Plan]:
        on = node.args.get("on")
        if on is None:
            if node.kind in ("SEMI", "ANTI"):
                return exp.true(), left
            if node.side in ("LEFT", "RIGHT", "FULL"):
                raise self.context.error("this join has no condition", node.this, "add ON …")
            return None, left
        binder = Expressions(self.context, scope, Join(left, right), "ON", self.subqueries)
        condition = binder.predicate(on)
        if not isinstance(binder.plan, Join):
            raise self.context.unsupported("a subquery cannot stand in ON", on, "move it to WHERE")
        return condition, left

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
            own = [a.column for a, _ in pairs]
            others = tuple(_hiding(r, own) for r in left_scope.relations)
            return joined, Scope((Relation(None, tuple(a for a, _ in pairs)), *others), self.parent)
        merged = [b if kind is JoinKind.RIGHT else a for a, b in pairs]
        if kind is JoinKind.FULL:
            joined, merged = self._coalesced(joined, pairs)
        hidden = [v.column for pair in pairs for v in pair]
        relations = (*left_scope.relations, *right_scope.relations)
        rest = tuple(_hiding(r, hidden) for r in relations)
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
        for side in (a, b):
            if types.is_collated(side.type):
                raise self.context.unsupported(f"{side.name} is {side.type}, which Spark compares", node.this)
        target = comparison_type(a.type, b.type)
        if target is None:
            raise self.context.error(f"{a.name} is {a.type} on one side and {b.type} on the other", node.this)
        sides = [Typed(scalar.column(v.column), v.type) for v in (a, b)]
        values = [coerced(s, target) if needs_cast(s.type, target) else s.value for s in sides]
        return exp.EQ(this=values[0], expression=values[1])

    def _lateral(self, plan: Plan, scope: Scope, node: exp.Join) -> From:
        lateral = node.this
        makes = any(map(is_generator, lateral.find_all(exp.Anonymous)))
        if (
            node.side == "LEFT" and makes and not _is_written(self.context, node.args.get("on"))
        ):  # Spark's is an inner one
            raise self.context.unsupported("rows are made by a LEFT JOIN without ON", lateral)
        if is_generator(lateral.this) and not _is_condition(node.args.get("on")) and node.side in ("", "LEFT"):
            return self._made(plan, scope, lateral, node.side == "LEFT")
        inner = lateral.this.this if isinstance(lateral.this, exp.Subquery) else _all_of(lateral.this)
        kind = self._kind(node)
        if kind not in (JoinKind.INNER, JoinKind.LEFT):
            raise self.context.error(f"LATERAL cannot be a {kind.value} join", lateral)
        visible = lateral.alias or None
        bound = self.derived(inner, scope, self.context.names.fresh(visible or "subquery"), self.ctes)
        both = scope.beside(self.relation(visible, bound, [lateral]))
        on = node.args.get("on")
        condition = None
        if on is not None:
            binder = Expressions(self.context, both, Join(plan, bound.plan), "ON", self.subqueries)
            condition = binder.predicate(on)
        return Apply(plan, bound.plan, kind, condition), both


def _all_of(function: exp.Expr) -> exp.Select:
    """The rows that a function makes, as a query."""
    return exp.select("*").from_(exp.Table(this=function.copy()), copy=False)


def _is_written(context: Context, on: exp.Expr | None) -> bool:
    """The parser adds ON TRUE where nothing is said."""
    if not isinstance(on, exp.Boolean):
        return on is not None
    place = context.source.at(on)
    return place.text[place.start : place.end].upper() == "TRUE"


def _is_condition(on: exp.Expr | None) -> bool:
    return not (on is None or (isinstance(on, exp.Boolean) and on.this))


def _hiding(relation: Relation, hidden: Sequence[str]) -> Relation:
    """The relation with columns that only its name leads to; they come first, as in Spark."""
    order = {column: place for place, column in enumerate(hidden)}
    first = sorted((c for c in relation.columns if c.column in order), key=lambda c: order[c.column])
    others = (c for c in relation.columns if c.column not in order)
    return replace(relation, columns=(*(replace(c, qualified_only=True) for c in first), *others))
