"""What FROM can name: streams with their windows, tables, named subqueries, subqueries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from datacell.algebra import scalar
from datacell.algebra.definitions import StreamDefinition
from datacell.algebra.plan import Map, Plan, Stream, Table, Unfold, Values, Window
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT, BOOLEAN, INT, is_collated, uncollated
from datacell.algebra.window import LatestBy, WindowSpec, columns_read, renamed
from datacell.errors import SqlError, StreamRuleError, counted, did_you_mean
from datacell.sql.bind.context import Context
from datacell.sql.bind.expressions import Expressions
from datacell.sql.bind.generators import generated, is_generator
from datacell.sql.bind.scope import Relation, Scope, Visible
from datacell.sql.bind.sorting import whole_number
from datacell.sql.bind.subqueries import Bound, Subqueries
from datacell.sql.text.parsing import parse_expression
from datacell.sql.text.pipes import PIPED
from datacell.sql.text.windows import PlacedWindow
from datacell.sql.types.coercion import is_orderable

ENDS = "ends key′"
"""The column that says whether a row only ends its key."""

From = tuple[Plan, Scope]
Ctes = dict[str, tuple[exp.CTE, "Ctes"]]
"""The named subqueries in sight, each with those that were in sight where it was defined."""

BindDerived = Callable[[exp.Expr, Scope | None, str, Ctes], Bound]

MOST_NAMES = 20_000
"""A named subquery is planned again wherever it is read, so a few lines can ask for a plan without end."""


class Sources(ABC):
    """Binds single items of a FROM clause."""

    def __init__(
        self, context: Context, parent: Scope | None, ctes: Ctes, derived: BindDerived, subqueries: Subqueries
    ) -> None:
        self.context, self.parent, self.ctes, self.derived = context, parent, ctes, derived
        self.subqueries = subqueries

    @abstractmethod
    def item(self, node: exp.Expr) -> From:
        """An item with the joins that stand in its parentheses."""

    def table(self, node: exp.Table) -> From:
        if is_generator(node.this):
            return self._rows_made(node)
        if isinstance(node.this, exp.Anonymous) and node.this.name.lower() == "range":
            return self._numbers(node)
        if not isinstance(node.this, exp.Identifier):
            hint = "the table functions are TUMBLE, HOP, CUMULATE and SESSION"
            raise self.context.unsupported(f"there is no table function {node.this.name}", node.this, hint)
        name = ".".join(part.name for part in node.parts)
        placed = self.context.windows.get(node.this.meta.get("start", -1))
        if name.lower() in self.ctes:
            self._no_window(placed, f"{name} is a subquery")
            return self._cte(node, name)
        stream = self.context.catalog.stream(name)
        if stream is not None and self.context.continuous:
            self.context.read_windows.add(node.this.meta.get("start", -1))
            return self._stream(node, stream, placed)
        columns = stream.compared if stream is not None else self.context.catalog.table(name)
        if columns is None:
            raise self._unknown(node, name)
        if self.context.continuous and self.context.catalog.is_derived(name):
            hint = f"INSERT INTO a stream what {name} selects"
            raise self.context.rule(f"{name} is an answer that changes, not a stream", node.this, hint)
        self._no_window(placed, f"{name} is a table")
        fixed = self.context.continuous and self.context.catalog.definition(name).is_fixed
        return self._source(node, columns, lambda alias, fields: Table(name, alias, fields, fixed))

    def _unknown(self, node: exp.Table, name: str) -> SqlError:
        if self.context.catalog.is_table(name):
            problem = f"the columns of {name} are not known before Spark makes it"
            return self.context.error(problem, node.this, "list its columns in CREATE TABLE")
        meant = did_you_mean(name, [*self.context.catalog.names(), *self.ctes])
        return self.context.error(f"there is no stream or table {name}", node.this, meant)

    def _no_window(self, placed: PlacedWindow | None, reason: str) -> None:
        if placed is not None:
            raise StreamRuleError(
                f"a window belongs to a stream, {reason}", place=placed.place, hint="remove the window"
            )

    def _stream(self, node: exp.Table, stream: StreamDefinition, placed: PlacedWindow | None) -> From:
        window = placed_window(self.context, stream, placed)

        def make(alias: str, fields: tuple[Field, ...]) -> Plan:
            self.context.stream_nodes[alias] = node.this
            return windowed(self.context, Stream(stream.name, alias, fields), window, placed)

        return self._source(node, stream.compared, make, window)

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
        plan = make(alias, tuple(Field(f.name, uncollated(f.type)) for f in fields))
        called = self._renamed(node, [f.name for f in fields])
        columns = tuple(
            Visible(name, column, f.type) for name, column, f in zip(called, plan.schema.names, fields, strict=False)
        )  # a window may have columns of its own after those of the stream
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

    def subquery(self, node: exp.Expr) -> From:
        inner = node.this if isinstance(node, exp.Subquery) else node
        joins = isinstance(inner, exp.Subquery) and (inner.alias or inner.args.get("joins"))
        if (isinstance(inner, exp.Table) or joins) and not node.alias:
            return self.item(inner)
        if isinstance(inner, exp.Table) or joins:
            inner = _selected(inner)
        return self._derived(inner, node.alias or None, [node], self.ctes, self.parent)

    def _derived(
        self, query: exp.Expr, visible: str | None, naming: list[exp.Expr], ctes: Ctes, parent: Scope | None
    ) -> From:
        wish = "piped" if visible == PIPED else visible or "subquery"
        bound = self.derived(query, parent, self.context.names.fresh(wish), ctes)
        if visible == PIPED:
            return bound.plan, Scope(tuple(_relations(bound.columns)), self.parent)
        return bound.plan, Scope((self.relation(visible, bound, naming),), self.parent)

    def relation(self, visible: str | None, bound: Bound, naming: list[exp.Expr]) -> Relation:
        """A subquery as a relation; what names it may rename its columns."""
        called = [c.name for c in bound.columns]
        for node in naming:
            called = self._renamed(node, called)
        columns = (replace(c, name=name) for c, name in zip(bound.columns, called, strict=True))
        return Relation(visible, tuple(columns))

    def _rows_made(self, node: exp.Table) -> From:
        """``explode(array(1, 2)) AS t (x)``: what a function makes of constants."""
        binder = Expressions(self.context, Scope((), self.parent), self.one_row(), "FROM", self.subqueries)
        alias = node.args.get("alias")
        made = generated(binder, node.this, outer=False, names=[c.name for c in alias.columns] if alias else [])
        columns = [c.column for c in made.columns]
        plan = Map(made.plan, made.plan.schema.passing(columns))
        return plan, Scope((Relation(node.alias or None, made.columns),), self.parent)

    def _numbers(self, node: exp.Table) -> From:
        """``range(stop)``, ``range(start, stop)``, ``range(start, stop, step)`` of written numbers."""
        given = [whole_number(argument) for argument in node.this.expressions]
        bounds = [n for n in given if n is not None]
        if not 1 <= len(bounds) == len(given) <= 3 or bounds[2:] == [0]:
            raise self.context.unsupported("a range of what is computed cannot stand here", node.this)
        start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
        names, at = self.context.names, self.context.names.fresh("pos")
        count = max(0, -(-(stop - start) // step))
        unfolded = Unfold(self.one_row(), _bigint(0), _bigint(count), at)
        value = exp.Add(this=_bigint(start), expression=exp.Mul(this=scalar.column(at), expression=_bigint(step)))
        column = Named(names.fresh("id"), value, BIGINT)
        (called,) = self._renamed(node, ["id"])
        visible = Visible(called, column.name, BIGINT)
        return Map(unfolded, (column,)), Scope((Relation(node.alias or None, (visible,)),), self.parent)

    def one_row(self) -> Plan:
        name = self.context.names.fresh("one")
        return Values((Field(name, INT),), ((exp.Literal.number(1),),))


def _relations(columns: Sequence[Visible]) -> Iterator[Relation]:
    """What stars have taken from relations is still theirs."""
    for name, found in groupby(columns, key=lambda column: column.of):
        yield Relation(name, tuple(replace(column, of=None) for column in found))


def _selected(item: exp.Expr) -> exp.Select:
    """An item of FROM as a query, which may be given a name."""
    query = exp.select("*").from_(item.copy(), copy=False)
    query.expressions[0].meta.update(item.meta)
    query.meta.update(item.meta)
    return query


def _bigint(number: int) -> exp.Expr:
    return exp.cast(exp.Literal.number(number), "bigint")


def placed_window(context: Context, stream: StreamDefinition, placed: PlacedWindow | None) -> WindowSpec | None:
    """A window as it is over a stream, checked."""
    if placed is None:
        return None
    names, kinds = {f.name.lower(): f.name for f in stream.fields}, {f.name.lower(): f.type for f in stream.compared}
    if placed.descriptor is not None and placed.descriptor.text.lower() != (stream.event_time or "").lower():
        own = f"its event time is {stream.event_time}" if stream.event_time else "declare WATERMARK FOR a column"
        problem = f"{placed.descriptor.text} is not the event time of {stream.name}"
        raise context.source.rule(problem, placed.descriptor, own)
    for token in placed.partition:
        if token.text.lower() not in names:
            hint = did_you_mean(token.text, names.values())
            raise context.source.rule(f"{stream.name} has no column {token.text}", token, hint)
        if not is_orderable(kinds[token.text.lower()]) or is_collated(kinds[token.text.lower()]):
            problem = f"{token.text} is {kinds[token.text.lower()]}, which does not tell keys apart"
            raise context.source.rule(problem, token)
    return renamed(placed.window, {c: names[c.lower()] for c in columns_read(placed.window)})


def windowed(context: Context, source: Stream, window: WindowSpec | None, placed: PlacedWindow | None) -> Plan:
    """A stream under its window; a condition that ends keys is one more column below it."""
    if window is None or placed is None:
        return source
    named = renamed(window, {c: f"{source.alias}.{c}" for c in columns_read(window)})
    if not isinstance(named, LatestBy) or not placed.ends:
        return Window(source, named)
    condition = _condition(context, source, placed.ends)
    ends = Named(context.names.fresh(f"{source.alias}.{ENDS}"), condition, BOOLEAN)
    return Window(Map(source, (*source.schema.passing(), ends)), replace(named, ends=ends.name))


def _condition(context: Context, source: Stream, tokens: Sequence[Token]) -> exp.Expr:
    """A condition over the rows of a stream alone."""

    def no_subquery(node: exp.Expr, scope: Scope) -> Bound:
        raise context.error("a subquery cannot stand in DELETE WHEN", node)

    stream = context.catalog.stream(source.name)
    assert stream is not None
    kinds = {f.name: f.type for f in stream.compared}
    named = [(f, replace(c, type=kinds[f.name])) for f, c in zip(source.columns, source.schema.fields, strict=True)]
    scope = Scope((Relation(source.alias, tuple(Visible(f.name, c.name, f.type) for f, c in named)),))
    binder = Expressions(context, scope, source, "DELETE WHEN", Subqueries(context, no_subquery))
    condition = binder.predicate(parse_expression(context.source, tokens))
    if scalar.reads_boundary(condition):
        raise context.source.rule("DELETE WHEN depends on the row alone, not on a window", tokens[0])
    return condition
