"""SELECT: from the FROM clause up to the select list, in the order in which SQL gives the clauses their meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Distinct, Filter, Map, SortKey
from datacell.algebra.schema import Named
from datacell.algebra.types import has_text
from datacell.sql.bind.analytic import SelectExpressions
from datacell.sql.bind.coercing import operand
from datacell.sql.bind.context import Context, Typed
from datacell.sql.bind.expressions import Expressions
from datacell.sql.bind.generators import generated, is_generator
from datacell.sql.bind.group_keys import GroupKeys
from datacell.sql.bind.grouping import GroupedExpressions, aggregates
from datacell.sql.bind.relations import BindDerived, Ctes, Relations
from datacell.sql.bind.scope import Scope, Visible, numbered
from datacell.sql.bind.select_items import Item, resolved, select_items
from datacell.sql.bind.sorting import ordered, position, sort_key, sortable
from datacell.sql.bind.subqueries import Bound, Subqueries


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
            rows.compares = len(scope.relations) == 1
            self._filter(rows, where.this)
        rows.later = set()
        items = self._with_made(rows, list(select_items(self.context, self.node, scope)))
        self.having = self._having(scope)
        binder = self._list_binder(rows, items)
        if self.having is not None:
            binder.clause = "HAVING"
            self._filter(binder, self.having)
            binder.clause = "SELECT"
        return self._projected(binder, items)

    def _with_made(self, rows: Expressions, items: list[Item]) -> list[Item]:
        """A function of the select list that makes rows makes them of those that WHERE leaves."""
        makers = [i for i, item in enumerate(items) if is_generator(_bare(item.node))]
        if not makers:
            return items
        node = self.node
        grouped = any(map(node.args.get, ("group", "having"))) or any(True for i in items for _ in aggregates(i.node))
        if len(makers) > 1 or grouped or any(i.node.find(exp.Window) is not None for i in items):
            raise self.context.unsupported("rows are made here beside something else", items[makers[0]].node)
        item = items[makers[0]]
        names = [item.name] if isinstance(item.node, exp.Alias) else []
        names = [c.name for c in item.node.expressions] if isinstance(item.node, exp.Aliases) else names
        made = generated(rows, _bare(item.node), outer=False, names=names)
        rows.plan = made.plan
        found = [Item(column.name, resolved(column, item.node)) for column in made.columns]
        return [*items[: makers[0]], *found, *items[makers[0] + 1 :]]

    # Clauses

    def _filter(self, binder: Expressions, condition: exp.Expr) -> None:
        """Plain conditions first; those that need a subquery see only the rows that are left."""
        parts = list(scalar.conjuncts(condition))
        plain = [part for part in parts if part.find(exp.Query) is None]
        if plain:
            binder.plan = Filter(binder.plan, scalar.conjoin([binder.predicate(part) for part in plain]))
        binder.compares = False
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
        keys, sets = GroupKeys(rows, items).bind(group)
        if sets and not keys:
            if len(sets) > 1:
                raise self.context.unsupported("several groupings without keys", self.node.args["group"])
            sets = []  # GROUPING SETS (()) is one group, also of no rows
        grouped = GroupedExpressions(rows, keys, sets, windows)
        aliases = {i.name.lower(): i.node for i in items if isinstance(i.node, exp.Alias)}
        grouped.collect([_unaliased(n, aliases, rows.scope) for n in nodes])
        return grouped

    # The select list, DISTINCT, ORDER BY

    def _projected(self, binder: SelectExpressions, items: list[Item]) -> Bound:
        outputs = []
        for item in items:
            value = self._value(binder, item.node)
            binder.aliases.setdefault(item.name.lower(), value)
            outputs.append((item.name, value))
        qualify = self.node.args.get("qualify")
        binder.clause = "QUALIFY"
        condition = None if qualify is None else binder.predicate(qualify.this)
        binder.clause = "SELECT"
        columns = self._named(outputs)
        shown = self.context.called if self.alias is None and self.context.called else [name for name, _ in outputs]
        visible = tuple(
            Visible(name, c.name, c.type, of=item.of) for name, c, item in zip(shown, columns, items, strict=False)
        )
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

    def _value(self, binder: SelectExpressions, node: exp.Expr) -> Typed:
        """An element of the list. Text that has to do with a collation may be shown at the end, but not used again."""
        binder.compares = type(binder) is SelectExpressions and node.find(exp.Query, exp.Window) is None
        binder.collated, binder.shown = None, _bare(node)
        value = binder.bind(node)
        ends = self.node.parent is None and not any(map(self.node.args.get, ("distinct", "order", "qualify")))
        if binder.collated is not None and has_text(value.type) and not ends:
            raise self.context.unsupported("text with a collation, which Spark compares", binder.collated)
        binder.compares, binder.shown = False, None
        return value

    def _named(self, outputs: list[tuple[str, Typed]]) -> tuple[Named, ...]:
        names = [name for name, _ in outputs]
        if self.alias is None:
            chosen = numbered(self.context.called if len(self.context.called) == len(outputs) else names)
        else:
            chosen = tuple(self.context.names.fresh(f"{self.alias}.{name}") for name in names)
        return tuple(Named(name, value.value, value.type) for name, (_, value) in zip(chosen, outputs, strict=True))

    def _sort_keys(
        self, binder: SelectExpressions, items: list[Item], columns: tuple[Named, ...]
    ) -> tuple[list[SortKey], list[Named]]:
        order = self.node.args.get("order")
        keys: list[SortKey] = []
        hidden: list[Named] = []
        binder.clause = "ORDER BY"
        for node in _sorted_by(order, columns, items, binder):
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


def _bare(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Alias | exp.Aliases) else node


def _sorted_by(
    order: exp.Order | None, columns: Sequence[Named], items: Sequence[Item], binder: Expressions
) -> list[exp.Expr]:
    """The keys of ORDER BY; ALL stands for every column of the answer."""
    found = list(order.expressions) if order is not None else []
    if len(found) != 1 or not isinstance(found[0].this, exp.Var) or found[0].this.name.upper() != "ALL":
        return found
    if any(item.name.lower() == "all" for item in items) or binder.scope.find("all"):
        raise binder.context.unsupported("a column is called all", found[0])
    (every,) = found
    keys = [every.copy() for _ in columns]
    for number, key in enumerate(keys, 1):
        key.set("this", exp.Literal.number(number))
    return keys


def _unaliased(node: exp.Expr, aliases: Mapping[str, exp.Expr], scope: Scope) -> exp.Expr:
    """HAVING and ORDER BY may name a select item: look into the item for aggregates."""
    if isinstance(node, exp.Column) and len(node.parts) == 1 and not scope.find(node.name):
        return aliases.get(node.name.lower(), node)
    return node
