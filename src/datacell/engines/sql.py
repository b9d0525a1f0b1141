"""A fragment as SQL: one SELECT per operator, nested; sqlglot prints it in the engine's dialect.

Names are always quoted and unique within a plan, so no reference needs a qualifier and none can be taken for SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from datacell.algebra import scalar, tree, types
from datacell.algebra.plan import (
    Aggregate,
    Apply,
    Coalesce,
    Difference,
    Distinct,
    Filter,
    Group,
    Input,
    Intersection,
    Join,
    JoinKind,
    Map,
    MaxUnion,
    Opaque,
    Order,
    Over,
    Plan,
    SplitEvery,
    Spread,
    Stream,
    StrictDifference,
    Table,
    Unfold,
    Union,
    Values,
    descendants,
)
from datacell.algebra.schema import Field, Named, Schema
from datacell.errors import PlanError

_JOIN_TYPES = {
    JoinKind.INNER: "inner",
    JoinKind.LEFT: "left",
    JoinKind.RIGHT: "right",
    JoinKind.FULL: "full",
    JoinKind.SEMI: "left semi",
    JoinKind.ANTI: "left anti",
}
Columns = Mapping[str, types.Type]


@dataclass(frozen=True)
class Dialect:
    """How an engine spells: sqlglot's name for it, its form of an expression, its name of a type.

    `spell` is given the expression, the types of the columns it may read, and its own type where that is declared.
    """

    name: str
    spell: Callable[[exp.Expr, Columns, types.Type | None], exp.Expr]
    type: Callable[[types.Type], exp.DataType]


def text(plan: Plan, dialect: Dialect, names: Mapping[tree.Key, str] | None = None) -> str:
    """The SQL of a fragment, whose inputs have these names in the engine."""
    return query(plan, dialect, names).sql(dialect=dialect.name, comments=False, normalize_functions=False)


def query(plan: Plan, dialect: Dialect, names: Mapping[tree.Key, str] | None = None) -> exp.Query:
    """The SQL of a fragment as a tree."""
    return _Compiler(dialect, names or {}).query(plan)


def sources(plan: Plan) -> dict[tree.Key, Schema]:
    """The inputs of a fragment, with the columns that it reads of each."""
    found: dict[tree.Key, dict[str, Field]] = {}
    for node in descendants(plan):
        if isinstance(node, Stream | Table | Input):
            found.setdefault(tree.key(node), {}).update({f.name: f for f in node.columns})
    return {key: Schema(tuple(columns.values())) for key, columns in found.items()}


@dataclass(frozen=True)
class RowWise:
    """A fragment that does the same with every row of its one input: which rows pass, and what becomes of them."""

    condition: str | None
    columns: tuple[str, ...]


def row_wise(plan: Plan, dialect: Dialect) -> RowWise | None:
    """The fragment as expressions over its input, if it only filters and maps."""
    below = plan.child if isinstance(plan, Map) else plan
    source = below.child if isinstance(below, Filter) else below
    if not isinstance(source, Input):
        return None
    names = dict(zip(source.schema.names, (f.name for f in source.columns), strict=True))
    spelling = _Spelling(dialect)

    def own(node: exp.Expr) -> exp.Expr:
        return scalar.replace(node, lambda n: scalar.column(names[n.name]) if isinstance(n, exp.Column) else None)

    def shown(node: exp.Expr) -> str:
        return node.sql(dialect=dialect.name, comments=False, normalize_functions=False)

    mapped = plan.columns if isinstance(plan, Map) else map(_passed, plan.schema)
    columns = [_alias(spelling.spell(own(c.value), Schema(source.columns), c.type), c.name) for c in mapped]
    condition = spelling.spell(own(below.predicate), Schema(source.columns)) if isinstance(below, Filter) else None
    return RowWise(None if condition is None else shown(condition), tuple(map(shown, columns)))


def _passed(column: Field) -> Named:
    return Named(column.name, scalar.column(column.name), column.type)


@dataclass(frozen=True)
class _Spelling:
    """Expressions in a dialect. `enclosing` are the columns that the right side of an apply reads from its left."""

    dialect: Dialect
    enclosing: Columns = field(default_factory=dict)

    def inside(self, left: Schema) -> _Spelling:
        """On the right side of an apply."""
        return replace(self, enclosing={**self.enclosing, **_types(left)})

    def spell(self, node: exp.Expr, over: Schema, type_: types.Type | None = None) -> exp.Expr:
        if node.find(exp.Placeholder) is not None:
            raise PlanError(f"{scalar.show(node)} needs its boundary")

        def unqualified(found: exp.Expr) -> exp.Expr | None:
            return scalar.column(found.name) if scalar.is_outer(found) else None

        return self.dialect.spell(scalar.replace(node, unqualified), {**self.enclosing, **_types(over)}, type_)

    def named(self, columns: Iterable[Named], over: Schema) -> list[exp.Expr]:
        return [_alias(self.spell(c.value, over, c.type), c.name) for c in columns]

    def values(self, plan: Values, alias: str) -> exp.Query:
        """One row is a SELECT, several are a list of VALUES under this alias."""
        rows = [[self._constant(v, f) for v, f in zip(row, plan.columns, strict=True)] for row in plan.rows]
        if len(rows) < 2:
            nothing = [self._cast(exp.Null(), f.type) for f in plan.columns]
            named = zip(rows[0] if rows else nothing, plan.columns, strict=True)
            select = exp.select(*(_alias(value, f.name) for value, f in named))
            return select if rows else select.where(exp.false(), copy=False)
        columns = exp.TableAlias(this=exp.to_identifier(alias), columns=[_identifier(f.name) for f in plan.columns])
        listed = exp.Values(expressions=[exp.Tuple(expressions=row) for row in rows], alias=columns)
        return exp.select(*_names(plan.schema)).from_(listed, copy=False)

    def _constant(self, value: exp.Expr, column: Field) -> exp.Expr:
        spelled = self.spell(value, Schema(()), column.type)
        return spelled if column.type == types.NULL else self._cast(spelled, column.type)

    def _cast(self, value: exp.Expr, t: types.Type) -> exp.Expr:
        return exp.TryCast(this=value, to=self.dialect.type(t))


class _Compiler:
    """Plans to queries. Every subquery gets an alias of its own."""

    def __init__(self, dialect: Dialect, inputs: Mapping[tree.Key, str]) -> None:
        self.spelling, self.inputs = _Spelling(dialect), inputs
        self.aliases = 0

    def query(self, plan: Plan) -> exp.Query:
        match plan:
            case Stream() | Table() | Input():
                key = tree.key(plan)
                return _source(plan, self.inputs.get(key, str(key)))
            case Values():
                return self.spelling.values(plan, self._fresh_alias())
            case Filter(child, predicate):
                return self._rows(child).where(self.spelling.spell(predicate, child.schema), copy=False)
            case Map(Filter(child, predicate), columns) if not isinstance(child, Group):
                selected = self._from(child).select(*self.spelling.named(columns, child.schema))
                return selected.where(self.spelling.spell(predicate, child.schema), copy=False)
            case Map(Order(child) as order, columns) if _keeps_names(columns, child.schema):
                return self._ordered(self._from(child).select(*self.spelling.named(columns, child.schema)), order)
            case Map(child, columns):
                return self._from(child).select(*self.spelling.named(columns, child.schema))
            case Distinct(child):
                return self._rows(child).distinct()
            case Coalesce(child) | SplitEvery(child) | Spread(child):  # a snapshot shows neither cuts nor tasks
                return self.query(child)
            case Aggregate():
                return self._aggregate(plan)
            case Over(child, functions):
                return self._rows(child).select(*self.spelling.named(functions, child.schema))
            case Unfold():
                return self._unfold(plan)
            case Order(child):
                return self._ordered(self._rows(child), plan)
            case Join():
                return self._join(plan)
            case Apply():
                return self._apply(plan)
            case Union(inputs):
                return self._union(inputs)
            case Difference(left, right):
                return self._set_operation(exp.Except, left, right, distinct=False)
            case StrictDifference(left, right):
                return self._set_operation(exp.Except, left, right, distinct=True)
            case Intersection(left, right):
                return self._set_operation(exp.Intersect, left, right, distinct=False)
            case MaxUnion(left, right):
                return self._union((Difference(left, right), Difference(right, left), Intersection(left, right)))
            case Opaque():
                return self._opaque(plan)
        raise PlanError(f"{plan.head()} is no relational operator: no engine runs it")

    def _rows(self, plan: Plan) -> exp.Select:
        """SELECT all columns."""
        return self._from(plan).select(*_names(plan.schema), copy=False)

    def _from(self, plan: Plan) -> exp.Select:
        return exp.select().from_(self._subquery(plan), copy=False)

    def _subquery(self, plan: Plan) -> exp.Expr:
        alias = self._fresh_alias()
        return self.query(plan).subquery(alias, copy=False)

    def _fresh_alias(self) -> str:
        self.aliases += 1
        return f"t{self.aliases}"

    def _aggregate(self, plan: Aggregate) -> exp.Select:
        child = plan.child.child if isinstance(plan.child, Group) else plan.child
        columns = (*plan.keys, *plan.aggregates)
        select = self._from(child).select(*self.spelling.named(columns, child.schema))
        varying = [k for k in plan.keys if scalar.columns(k.value) or scalar.outer_columns(k.value)]
        if varying:
            return select.group_by(*(self.spelling.spell(k.value, child.schema, k.type) for k in varying), copy=False)
        if plan.keys:  # constant keys make one group, but none where there are no rows
            select = select.having(exp.GT(this=scalar.call("count", exp.Star()), expression=exp.Literal.number(0)))
        return select

    def _unfold(self, plan: Unfold) -> exp.Select:
        start, stop = (self.spelling.spell(bound, plan.child.schema) for bound in plan.expressions())
        last = exp.Sub(this=exp.paren(stop), expression=exp.Literal.number(1))
        numbers = exp.Explode(this=exp.GenerateSeries(start=start, end=last))
        select = self._rows(plan.child).select(exp.alias_(numbers, _identifier(plan.name)))
        return select.where(exp.LT(this=start.copy(), expression=stop.copy()), copy=False)

    def _ordered(self, select: exp.Select, plan: Order) -> exp.Select:
        keys = [
            exp.Ordered(this=self.spelling.spell(k.value, plan.schema), desc=k.descending, nulls_first=k.nulls_first)
            for k in plan.keys
        ]
        select = select.order_by(*keys, copy=False) if keys else select
        if plan.limit is not None:
            select = select.limit(plan.limit, copy=False)
        return select.offset(plan.offset, copy=False) if plan.offset else select

    def _join(self, plan: Join) -> exp.Select:
        left = self._from(plan.left).select(*_names(plan.schema))
        right = self._subquery(plan.right)
        if plan.condition is None and plan.kind is JoinKind.INNER:
            return left.join(right, join_type="cross", copy=False)
        condition = self._condition(plan)
        return left.join(right, on=condition, join_type=_JOIN_TYPES[plan.kind], copy=False)

    def _opaque(self, plan: Opaque) -> exp.Select:
        """The text stands as it is; its columns are named by position, because it may give one name to several."""
        inputs = (self.query(child).sql(self.spelling.dialect.name, comments=False) for child in plan.inputs)
        columns = [_identifier(name) for name in plan.schema.names]
        alias = exp.TableAlias(this=exp.to_identifier(self._fresh_alias()), columns=columns)
        written = exp.Table(this=exp.Var(this=f"({plan.text(tuple(inputs))}\n)"), alias=alias)
        return exp.select(*_names(plan.schema)).from_(written, copy=False)

    def _condition(self, plan: Join | Apply) -> exp.Expr:
        if plan.condition is None:
            return exp.true()
        return self.spelling.spell(plan.condition, plan.left.schema + plan.right.schema)

    def _apply(self, plan: Apply) -> exp.Select:
        left = self._from(plan.left).select(*_names(plan.schema))
        condition = self._condition(plan)
        outside = self.spelling
        self.spelling = outside.inside(plan.left.schema)
        right = self._subquery(plan.right)
        self.spelling = outside
        if plan.kind.keeps_right:
            alias = right.args["alias"].pop()
            lateral = exp.Lateral(this=right, alias=alias)
            return left.join(lateral, on=condition, join_type=plan.kind.value, copy=False)
        matching = exp.Exists(this=exp.select("1").from_(right, copy=False).where(condition, copy=False))
        return left.where(exp.Not(this=matching) if plan.kind is JoinKind.ANTI else matching, copy=False)

    def _union(self, inputs: Sequence[Plan]) -> exp.Query:
        return _all([self._rows(i) for i in inputs])

    def _set_operation(self, kind: type[exp.SetOperation], left: Plan, right: Plan, distinct: bool) -> exp.Query:
        return kind(this=self._rows(left), expression=self._rows(right), distinct=distinct)


def table(name: str) -> exp.Table:
    """A table by its possibly dotted name."""
    parts = [exp.Identifier(this=part, quoted=True) for part in name.split(".")]
    return exp.Table(**dict(zip(("this", "db", "catalog"), reversed(parts), strict=False)))


def _source(plan: Stream | Table | Input, name: str) -> exp.Select:
    pairs = zip(plan.columns, plan.schema.names, strict=True)
    return exp.select(*(_alias(scalar.column(f.name), shown) for f, shown in pairs)).from_(table(name), copy=False)


def _all(queries: Sequence[exp.Query]) -> exp.Query:
    combined, *rest = queries
    for other in rest:
        combined = exp.Union(this=combined, expression=other, distinct=False)
    return combined


def _names(schema: Schema) -> list[exp.Column]:
    return [scalar.column(name) for name in schema.names]


def _types(schema: Schema) -> dict[str, types.Type]:
    return {f.name: f.type for f in schema}


def _alias(value: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(value, _identifier(name), copy=False)


def _identifier(name: str) -> exp.Identifier:
    return exp.Identifier(this=name, quoted=True)


def _with_times(node: exp.Expr) -> exp.Expr:
    """sqlglot's Spark has no type TIME, and writes TIMESTAMP instead. A literal needs no cast."""

    def named(found: exp.Expr) -> exp.Expr | None:
        if isinstance(found, exp.Cast) and _is_time(found.to) and isinstance(found.this, exp.Literal):
            return exp.var(f"TIME {found.this.sql('spark')}")
        return exp.DataType(this=exp.DType.USERDEFINED, kind=str(types.of_sqlglot(found))) if _is_time(found) else None

    return scalar.replace(node, named) if any(map(_is_time, node.find_all(exp.DataType))) else node


def _is_time(node: exp.Expr) -> bool:
    return isinstance(node, exp.DataType) and node.this == exp.DType.TIME


def _type(t: types.Type) -> exp.DataType:
    found = _with_times(types.to_sqlglot(t))
    assert isinstance(found, exp.DataType)
    return found


SPARK = Dialect("spark", lambda node, _columns, _type: _with_times(node), _type)


def _keeps_names(columns: Sequence[Named], below: Schema) -> bool:
    """Does no new column take the name of an old one? Then ORDER BY can mean only the old ones."""
    return all(c.passes_through or c.name not in below for c in columns)
