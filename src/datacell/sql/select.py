"""SELECT: from the FROM clause up to the select list, in the order in which SQL gives the clauses their meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Distinct, Filter, Map, SortKey
from datacell.algebra.schema import Named
from datacell.errors import did_you_mean
from datacell.sql.analytic import SelectExpressions
from datacell.sql.context import Context, Typed
from datacell.sql.expressions import Expressions, operand
from datacell.sql.grouping import MOST_SETS, GroupedExpressions, Sets, aggregates, cube, grouping_sets, rollup
from datacell.sql.relations import BindDerived, Ctes, Relations
from datacell.sql.scope import Scope, Visible
from datacell.sql.sorting import ordered, position, sort_key, sortable
from datacell.sql.subqueries import Bound, Subqueries

_ELEMENTS = (exp.GroupingSets, exp.Rollup, exp.Cube)


@dataclass(frozen=True)
class Item:
    """An element of the select list: its name, and its node or the column that a star stands for."""

    name: str
    node: exp.Expr


class SelectBinder:
    """Binds one SELECT. `alias` is the name under which an enclosing FROM knows it, if any."""

    def __init__(
        self,
        context: Context,
        node: exp.Select,
        parent: Scope | None,
        alias: str | None,
        ctes: Ctes,
        derived: BindDerived,
        subqueries: Subqueries,
    ) -> None:
        self.context, self.node, self.alias = context, node, alias
        self.subqueries = subqueries
        self.relations = Relations(context, parent, ctes, derived, subqueries)

    def bind(self) -> Bound:
        if not self.node.expressions:
            raise self.context.error("SELECT names no columns", self.node, "write SELECT *, or name columns")
        plan, scope = self.relations.bind(self.node)
        rows = Expressions(self.context, scope, plan, "WHERE", self.subqueries)
        where = self.node.args.get("where")
        rows.later = {e.alias.lower() for e in self.node.expressions if isinstance(e, exp.Alias)}
        if where is not None:
            self._filter(rows, where.this)
        rows.later = set()
        items = list(self._items(scope))
        self.having = self._having(scope)
        binder = self._list_binder(rows, items)
        if self.having is not None:
            binder.clause = "HAVING"
            self._filter(binder, self.having)
            binder.clause = "SELECT"
        return self._projected(binder, items)

    # Clauses

    def _filter(self, binder: Expressions, condition: exp.Expr) -> None:
        """Plain conditions first; those that need a subquery see only the rows that are left."""
        parts = list(scalar.conjuncts(condition))
        plain = [part for part in parts if part.find(exp.Query) is None]
        if plain:
            binder.plan = Filter(binder.plan, scalar.conjoin([binder.predicate(part) for part in plain]))
        for part in parts:
            if part.find(exp.Query) is not None and not self.subqueries.condition(binder, part):
                predicate = binder.predicate(part)
                binder.plan = Filter(binder.plan, predicate)

    def _having(self, scope: Scope) -> exp.Expr | None:
        """HAVING is decided before the select list is computed: names that the list gives stand for its expressions."""
        clause = self.node.args.get("having")
        aliases = {e.alias.lower(): e.this for e in self.node.expressions if isinstance(e, exp.Alias)}

        def meant(node: exp.Expr) -> exp.Expr:
            is_alias = isinstance(node, exp.Column) and len(node.parts) == 1 and not scope.find(node.name)
            named = aliases.get(node.name.lower()) if is_alias else None
            return node if named is None else operand(named.copy())

        return None if clause is None else clause.this.transform(meant)

    def _items(self, scope: Scope) -> Iterator[Item]:
        for node in self.node.expressions:
            if isinstance(node, exp.Star):
                yield from self._starred(node, scope.star())
            elif isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
                relation = scope.relation(node.table)
                if relation is None:
                    hint = did_you_mean(node.table, [r.alias for r in scope.relations if r.alias])
                    raise self.context.error(f"there is no table or stream {node.table} in this FROM", node, hint)
                yield from self._starred(node.this, iter(relation.columns))
            else:
                yield Item(_name(node), node)

    def _starred(self, star: exp.Expr, columns: Iterator[Visible]) -> Iterator[Item]:
        if not self.node.args.get("from_"):
            raise self.context.error("* without FROM", star, "name a stream or a table: SELECT * FROM …")
        if star.args.get("replace") or star.args.get("rename"):
            raise self.context.error("* takes only EXCEPT", star, "name the columns")
        found = list(columns)
        dropped = {e.name.lower() for e in star.args.get("except_") or ()}
        for name in star.args.get("except_") or ():
            if not any(c.name.lower() == name.name.lower() for c in found):
                hint = did_you_mean(name.name, [c.name for c in found])
                raise self.context.error(f"there is no column {name.name} to leave out", name, hint)
        left = [c for c in found if c.name.lower() not in dropped]
        if not left:
            raise self.context.error("* leaves no column", star, "leave out fewer")
        yield from (Item(column.name, _star_column(column, star)) for column in left)

    def _list_binder(self, rows: Expressions, items: list[Item]) -> SelectExpressions:
        windows = {w.name.lower(): w for w in self.node.args.get("windows") or ()}
        order = self.node.args.get("order")
        others = [*(o.this for o in order.expressions)] if order is not None else []
        qualify = self.node.args.get("qualify")
        others += [] if qualify is None else [qualify.this]
        others += [] if self.having is None else [self.having]
        nodes = [*(i.node for i in items), *others]
        group = self.node.args.get("group")
        if group is None and self.having is None and not any(True for n in nodes for _ in aggregates(n)):
            return SelectExpressions(self.context, rows.scope, rows.plan, "SELECT", self.subqueries, windows)
        keys, sets = self._keys(rows, items, group)
        grouped = GroupedExpressions(rows, keys, sets, windows)
        aliases = {i.name.lower(): i.node for i in items if isinstance(i.node, exp.Alias)}
        grouped.collect([_unaliased(n, aliases, rows.scope) for n in nodes])
        return grouped

    # GROUP BY

    def _keys(self, rows: Expressions, items: list[Item], group: exp.Group | None) -> tuple[list[Named], Sets]:
        keys: list[Named] = []
        if group is None:
            return keys, []
        rows.clause = "GROUP BY"
        if group.args.get("all"):
            nodes = [i.node for i in items if not any(True for _ in aggregates(i.node))]
            for node in nodes:
                self._key(rows, items, node, keys)
            return keys, []
        listed = [e for e in group.expressions if not isinstance(e, _ELEMENTS)]
        own = [self._key(rows, items, node, keys) for node in listed]
        elements = [e for e in group.expressions if isinstance(e, _ELEMENTS)]
        trailing = [e for kind in ("grouping_sets", "rollup", "cube") for e in group.args.get(kind) or ()]
        parts = [self._sets(rows, items, element, keys, own) for element in (*elements, *trailing)]
        self._check_sets(prod(map(len, parts)), group)
        return keys, grouping_sets([] if trailing else own, parts)

    def _check_sets(self, number: int, node: exp.Expr) -> None:
        if number > MOST_SETS:
            raise self.context.error(f"this makes {number} groupings, more than {MOST_SETS}", node, "group by less")

    def _sets(
        self, rows: Expressions, items: list[Item], element: exp.Expr, keys: list[Named], own: list[int]
    ) -> list[list[int]]:
        members = [[self._key(rows, items, n, keys) for n in _members(e)] for e in element.expressions]
        if isinstance(element, exp.GroupingSets):
            return members
        members = members or [[i] for i in own]
        if isinstance(element, exp.Rollup):
            return rollup(members)
        self._check_sets(2 ** len(members), element)
        return cube(members)

    def _key(self, rows: Expressions, items: list[Item], node: exp.Expr, keys: list[Named]) -> int:
        """The position of a grouping key, added if it is new: an ordinal, an alias or an expression."""
        item = self._item_meant(rows.scope, items, node)
        bound = rows.bind(item.node if item is not None else node)
        value = bound.value.unnest()
        for index, key in enumerate(keys):
            if key.value == value:
                return index
        is_column = isinstance(value, exp.Column) and not scalar.is_outer(value)
        wish = value.name if is_column else item.name if item is not None else _name(node)
        keys.append(Named(wish if is_column else self.context.names.fresh(wish), value, bound.type))
        return len(keys) - 1

    def _item_meant(self, scope: Scope, items: list[Item], node: exp.Expr) -> Item | None:
        if isinstance(node, exp.Literal) and node.is_int:
            return self._ordinal(items, node)
        if isinstance(node, exp.Column) and len(node.parts) == 1 and not scope.find(node.name):
            return next((i for i in items if i.name.lower() == node.name.lower()), None)
        return None

    def _ordinal(self, items: list[Item], node: exp.Literal) -> Item:
        return items[position(self.context, node, len(items))]

    # The select list, DISTINCT, ORDER BY

    def _projected(self, binder: SelectExpressions, items: list[Item]) -> Bound:
        outputs = []
        for item in items:
            value = binder.bind(item.node)
            binder.aliases.setdefault(item.name.lower(), value)
            outputs.append((item.name, value))
        qualify = self.node.args.get("qualify")
        binder.clause = "QUALIFY"
        condition = None if qualify is None else binder.predicate(qualify.this)
        binder.clause = "SELECT"
        columns = self._named(outputs)
        visible = tuple(Visible(name, c.name, c.type) for (name, _), c in zip(outputs, columns, strict=True))
        keys, hidden = self._sort_keys(binder, items, columns)
        plan = binder.plan_with_analytics()
        if condition is not None:
            plan = Filter(plan, condition)
        plan = Map(plan, (*columns, *hidden))
        if self.node.args.get("distinct"):
            if hidden:
                order = self.node.args["order"]
                hint = "select it too, or leave DISTINCT out"
                raise self.context.error("with DISTINCT, ORDER BY may use only what is selected", order, hint)
            plan = Distinct(plan)
        plan = ordered(self.context, self.node, plan, keys)
        return Bound(Map(plan, plan.schema.passing([c.name for c in columns])) if hidden else plan, visible)

    def _named(self, outputs: list[tuple[str, Typed]]) -> tuple[Named, ...]:
        if self.alias is None:
            return tuple(Named(name, value.value, value.type) for name, value in self._without_repetition(outputs))
        return tuple(
            Named(self.context.names.fresh(f"{self.alias}.{name}"), value.value, value.type) for name, value in outputs
        )

    def _without_repetition(self, outputs: list[tuple[str, Typed]]) -> list[tuple[str, Typed]]:
        seen: set[str] = set()
        for (name, _), node in zip(outputs, _positions(self.node, outputs), strict=True):
            if name.lower() in seen:
                hint = "name the columns instead of *" if node.is_star else f"rename one: … AS {name}_2"
                raise self.context.error(f"two columns are called {name}", node, hint)
            seen.add(name.lower())
        return outputs

    def _sort_keys(
        self, binder: SelectExpressions, items: list[Item], columns: tuple[Named, ...]
    ) -> tuple[list[SortKey], list[Named]]:
        order = self.node.args.get("order")
        keys: list[SortKey] = []
        hidden: list[Named] = []
        binder.clause = "ORDER BY"
        for node in order.expressions if order is not None else ():
            target = self._sort_target(binder, items, columns, hidden, node.this)
            keys.append(sort_key(node, scalar.column(target)))
        return keys, hidden

    def _sort_target(
        self,
        binder: SelectExpressions,
        items: list[Item],
        columns: tuple[Named, ...],
        hidden: list[Named],
        node: exp.Expr,
    ) -> str:
        """The column to sort by: one of the select list, or one carried along only for sorting."""
        if isinstance(node, exp.Literal) and node.is_int:
            return columns[position(self.context, node, len(items))].name
        if isinstance(node, exp.Column) and len(node.parts) == 1:
            for item, column in zip(items, columns, strict=True):
                if item.name.lower() == node.name.lower():
                    sortable(self.context, node, Typed(column.value, column.type))
                    return column.name
        value = sortable(self.context, node, binder.bind(node))
        found = next((c for c in columns if c.value == value.value), None)
        if found is not None:
            return found.name
        hidden.append(Named(self.context.names.fresh("sort_key"), value.value, value.type))
        return hidden[-1].name


def _star_column(column: Visible, star: exp.Expr) -> exp.Expr:
    """A column that a star stands for: already resolved, and blamed on the star."""
    node = scalar.column(column.column)
    node.meta.update(star.meta, visible=column)
    return node


def _name(node: exp.Expr) -> str:
    if isinstance(node, exp.Alias):
        return node.alias
    if isinstance(node, exp.Column):
        return node.name
    if isinstance(node, exp.Dot):
        return str(node.expression.name)
    return scalar.show(node).lower() if len(scalar.show(node)) <= 60 else "value"


def _members(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Tuple):
        return list(node.expressions)
    return [node.this] if isinstance(node, exp.Paren) else [node]


def _unaliased(node: exp.Expr, aliases: Mapping[str, exp.Expr], scope: Scope) -> exp.Expr:
    """HAVING and ORDER BY may name a select item: look into the item for aggregates."""
    if isinstance(node, exp.Column) and len(node.parts) == 1 and not scope.find(node.name):
        return aliases.get(node.name.lower(), node)
    return node


def _positions(node: exp.Select, outputs: list[tuple[str, Typed]]) -> list[exp.Expr]:
    """The nodes that repeated names are blamed on; a star stands for many, and only one star can be told apart."""
    nodes = node.expressions
    stars = [i for i, e in enumerate(nodes) if e.is_star]
    if len(stars) != 1:
        return nodes if not stars else [nodes[stars[-1]]] * len(outputs)
    (star,) = stars
    return [*nodes[:star], *[nodes[star]] * (len(outputs) - len(nodes) + 1), *nodes[star + 1 :]]
