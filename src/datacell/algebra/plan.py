"""The operators of the temporal algebra, as frozen nodes that check themselves.

Every operator but the window is snapshot-reducible: at each instant it does to the snapshots of its inputs what its SQL
namesake does to tables. Basic operators: filter σ, map µ, product and join ⋈, distinct δ, difference −, group γ,
aggregate α, union ∪, window ω. Derived ones are defined by them, for any inputs A and B:

- semi join      A ⋉ B      = the rows of A that match some row of B
- anti join      A ▷ B      = A − (A ⋉ B)
- intersection   A ∩ B      = A − (A − B)
- max-union      A ∪max B   = (A − B) ∪ (B − A) ∪ (A ∩ B)
- strict difference         = δ(A) without the rows equal to some row of B

Two operators change no snapshot, only how validities are cut: *coalesce* joins equal rows that follow each other
without a gap, *split* cuts rows in pieces.

*Over* and *unfold* work on rows as they are, within one snapshot.

An invalid plan cannot be constructed: a node raises `PlanError` if its inputs do not fit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import cached_property
from typing import Any, Self

from sqlglot import exp

from datacell.algebra import duration, scalar
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.types import BIGINT
from datacell.algebra.window import Rows, WindowSpec
from datacell.errors import PlanError


class JoinKind(Enum):
    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"
    SEMI = "semi"
    ANTI = "anti"

    @property
    def keeps_right(self) -> bool:
        """Does the result have the right side's columns?"""
        return self not in (JoinKind.SEMI, JoinKind.ANTI)


@dataclass(frozen=True)
class SortKey:
    value: exp.Expr
    descending: bool = False
    nulls_first: bool = True

    def __str__(self) -> str:
        direction = " desc" if self.descending else ""
        usual = self.nulls_first != self.descending
        nulls = "" if usual else f" nulls {'first' if self.nulls_first else 'last'}"
        return f"{scalar.show(self.value)}{direction}{nulls}"


@dataclass(frozen=True)
class Plan(ABC):
    """An operator with its inputs."""

    @cached_property
    @abstractmethod
    def schema(self) -> Schema:
        """The columns of the result."""

    @abstractmethod
    def head(self) -> str:
        """The operator in one line, without its inputs."""

    @cached_property
    def children(self) -> tuple[Plan, ...]:
        return tuple(child for f in fields(self) for child in _plans(getattr(self, f.name)))

    def with_children(self, children: Sequence[Plan]) -> Self:
        """The same operator over other inputs; the same object if they are the same."""
        if all(new is old for new, old in zip(children, self.children, strict=True)):
            return self
        rest = iter(children)
        changes: dict[str, Plan | tuple[Plan, ...]] = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, Plan):
                changes[f.name] = next(rest)
            elif f.name == "inputs":
                changes[f.name] = tuple(next(rest) for _ in value)
        return replace(self, **changes)

    def expressions(self) -> Iterable[exp.Expr]:
        """The scalar expressions of this operator alone."""
        return ()

    def map_expressions(self, change: Callable[[exp.Expr], exp.Expr]) -> Self:
        """The same operator over other expressions."""
        return replace(self, **{f.name: _mapped(getattr(self, f.name), change) for f in fields(self)})

    @property
    def grouping(self) -> tuple[Named, ...]:
        """The keys by which the rows are grouped, where an aggregate may use them."""
        return ()

    @cached_property
    def outer(self) -> frozenset[str]:
        """Columns of enclosing queries that this plan reads."""
        own = frozenset[str]().union(*(scalar.outer_columns(e) for e in self.expressions()))
        return own.union(*(child.outer for child in self.children))


def _plans(value: object) -> tuple[Plan, ...]:
    if isinstance(value, Plan):
        return (value,)
    return tuple(v for v in value if isinstance(v, Plan)) if isinstance(value, tuple) else ()


def _mapped(value: Any, change: Callable[[exp.Expr], exp.Expr]) -> Any:
    match value:
        case exp.Expr():
            return change(value)
        case Named() | SortKey():
            return replace(value, value=change(value.value))
        case tuple():
            return tuple(_mapped(item, change) for item in value)
    return value


def _require_columns(node: Plan, expressions: Iterable[exp.Expr], available: Iterable[str]) -> None:
    known = frozenset(available)
    for expression in expressions:
        missing = scalar.columns(expression) - known
        if missing:
            raise PlanError(
                f"{type(node).__name__.lower()} reads {min(missing)}, its input has {', '.join(sorted(known))}"
            )


def _require_same_schema(node: Plan, *inputs: Plan) -> None:
    first = inputs[0].schema
    for other in inputs[1:]:
        if other.schema != first:
            raise PlanError(f"{type(node).__name__.lower()} of different schemas: {first} and {other.schema}")


# Sources


@dataclass(frozen=True)
class Stream(Plan):
    """The rows of a stream, each valid from its timestamp on, forever."""

    name: str
    alias: str
    columns: tuple[Field, ...]

    @cached_property
    def schema(self) -> Schema:
        return Schema(tuple(Field(f"{self.alias}.{f.name}", f.type) for f in self.columns))

    def head(self) -> str:
        return f"stream {self.name}{_alias(self)} ({_names(self.columns)})"


@dataclass(frozen=True)
class Table(Plan):
    """The rows of a table, valid at every instant."""

    name: str
    alias: str
    columns: tuple[Field, ...]

    @cached_property
    def schema(self) -> Schema:
        return Schema(tuple(Field(f"{self.alias}.{f.name}", f.type) for f in self.columns))

    def head(self) -> str:
        return f"table {self.name}{_alias(self)} ({_names(self.columns)})"


@dataclass(frozen=True)
class Values(Plan):
    """Constant rows, valid at every instant."""

    columns: tuple[Field, ...]
    rows: tuple[tuple[exp.Expr, ...], ...]

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise PlanError("values of different lengths")
        _require_columns(self, self.expressions(), ())

    @cached_property
    def schema(self) -> Schema:
        return Schema(self.columns)

    def expressions(self) -> Iterable[exp.Expr]:
        return (value for row in self.rows for value in row)

    def head(self) -> str:
        shown = ", ".join(f"({', '.join(map(scalar.show, row))})" for row in self.rows[:3])
        return f"values {shown}" + (", …" if len(self.rows) > 3 else "")


@dataclass(frozen=True)
class Window(Plan):
    """ω: sets the validity of a stream's rows. Below it the rows never expire, so windows do not nest."""

    child: Plan
    window: WindowSpec

    def __post_init__(self) -> None:
        if any(isinstance(node, Window) for node in descendants(self.child)):
            raise PlanError("a window over a window")
        if isinstance(self.window, Rows):
            _require_columns(self, map(scalar.column, self.window.partition), self.child.schema.names)

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    @property
    def grouping(self) -> tuple[Named, ...]:
        return self.child.grouping

    def head(self) -> str:
        return f"window {self.window}"


# One input


@dataclass(frozen=True)
class Filter(Plan):
    """σ: the rows for which the predicate is true."""

    child: Plan
    predicate: exp.Expr

    def __post_init__(self) -> None:
        _require_columns(self, self.expressions(), self.child.schema.names)

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    def expressions(self) -> Iterable[exp.Expr]:
        return (self.predicate,)

    def head(self) -> str:
        return f"filter {scalar.show(self.predicate)}"


@dataclass(frozen=True)
class Map(Plan):
    """µ: computes new records from old ones, one for one."""

    child: Plan
    columns: tuple[Named, ...]

    def __post_init__(self) -> None:
        if not self.columns:
            raise PlanError("a map without columns")
        _require_columns(self, self.expressions(), self.child.schema.names)

    @cached_property
    def schema(self) -> Schema:
        return Schema(tuple(c.field for c in self.columns))

    def expressions(self) -> Iterable[exp.Expr]:
        return (c.value for c in self.columns)

    def head(self) -> str:
        return f"map {', '.join(map(str, self.columns))}"


@dataclass(frozen=True)
class Distinct(Plan):
    """δ: every row once."""

    child: Plan

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    def head(self) -> str:
        return "distinct"


@dataclass(frozen=True)
class Group(Plan):
    """γ: splits a stream into one per key; the rows stay as they are. Only an aggregate may read it."""

    child: Plan
    keys: tuple[Named, ...]

    def __post_init__(self) -> None:
        _require_columns(self, self.expressions(), self.child.schema.names)

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    @property
    def grouping(self) -> tuple[Named, ...]:
        return self.keys

    def expressions(self) -> Iterable[exp.Expr]:
        return (k.value for k in self.keys)

    def head(self) -> str:
        return f"group by {', '.join(map(str, self.keys))}"


@dataclass(frozen=True)
class Aggregate(Plan):
    """α: one row per group of its input, or exactly one row if the input is not grouped."""

    child: Plan
    aggregates: tuple[Named, ...]

    def __post_init__(self) -> None:
        if not self.keys and not self.aggregates:
            raise PlanError("an aggregate without keys and aggregates")
        _require_columns(self, self.expressions(), self.child.schema.names)

    @property
    def keys(self) -> tuple[Named, ...]:
        return self.child.grouping

    @cached_property
    def schema(self) -> Schema:
        return Schema(tuple(c.field for c in (*self.keys, *self.aggregates)))

    def expressions(self) -> Iterable[exp.Expr]:
        return (a.value for a in self.aggregates)

    def head(self) -> str:
        return f"aggregate {', '.join(map(str, self.aggregates))}".rstrip()


@dataclass(frozen=True)
class Over(Plan):
    """Analytic functions: every row keeps its place and gains columns computed over its partition."""

    child: Plan
    functions: tuple[Named, ...]

    def __post_init__(self) -> None:
        _require_columns(self, self.expressions(), self.child.schema.names)
        if not all(isinstance(f.value, exp.Window) for f in self.functions):
            raise PlanError("an analytic function without OVER")

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema + Schema(tuple(f.field for f in self.functions))

    def expressions(self) -> Iterable[exp.Expr]:
        return (f.value for f in self.functions)

    def head(self) -> str:
        return f"over {', '.join(map(str, self.functions))}"


@dataclass(frozen=True)
class Unfold(Plan):
    """Every row once for each whole number from `start` to before `stop`, which it gains as a column."""

    child: Plan
    start: exp.Expr
    stop: exp.Expr
    name: str

    def __post_init__(self) -> None:
        _require_columns(self, self.expressions(), self.child.schema.names)

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema + Schema((Field(self.name, BIGINT),))

    def expressions(self) -> Iterable[exp.Expr]:
        return (self.start, self.stop)

    def head(self) -> str:
        return f"unfold {scalar.show(self.start)} to {scalar.show(self.stop)} as {self.name}"


@dataclass(frozen=True)
class Order(Plan):
    """The rows in order, and of these only `limit` after the first `offset` where a limit is given."""

    child: Plan
    keys: tuple[SortKey, ...]
    limit: int | None = None
    offset: int = 0

    def __post_init__(self) -> None:
        _require_columns(self, self.expressions(), self.child.schema.names)
        if self.offset < 0 or (self.limit is not None and self.limit < 0):
            raise PlanError("a negative limit or offset")

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    def expressions(self) -> Iterable[exp.Expr]:
        return (k.value for k in self.keys)

    def head(self) -> str:
        limit = "" if self.limit is None else f" limit {self.limit}"
        offset = f" offset {self.offset}" if self.offset else ""
        keys = f"order by {', '.join(map(str, self.keys))}" if self.keys else ""
        return f"{keys}{limit}{offset}".strip()


class Coalescing(Enum):
    """Is it asked for, or done as long as it makes rows clearly fewer?"""

    ALWAYS = "coalesce"
    WHILE_WORTH_IT = "coalesce while worth it"


@dataclass(frozen=True)
class Coalesce(Plan):
    """The same snapshots in as few rows as possible: one that ends where an equal one begins is continued by it."""

    child: Plan
    when: Coalescing = Coalescing.ALWAYS

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    def head(self) -> str:
        return self.when.value


@dataclass(frozen=True)
class SplitEvery(Plan):
    """The same snapshots in pieces that end at every multiple of a length of time."""

    child: Plan
    length: int

    def __post_init__(self) -> None:
        if self.length <= 0:
            raise PlanError(f"rows cannot be split every {self.length} microseconds")

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    def head(self) -> str:
        return f"split every {duration.show(self.length)}"


# Two and more inputs


@dataclass(frozen=True)
class Join(Plan):
    """⋈: pairs of rows that satisfy the condition; without one, the product ×."""

    left: Plan
    right: Plan
    kind: JoinKind = JoinKind.INNER
    condition: exp.Expr | None = None

    def __post_init__(self) -> None:
        _require_columns(self, self.expressions(), (self.left.schema + self.right.schema).names)

    @cached_property
    def schema(self) -> Schema:
        return self.left.schema + self.right.schema if self.kind.keeps_right else self.left.schema

    def expressions(self) -> Iterable[exp.Expr]:
        return () if self.condition is None else (self.condition,)

    def head(self) -> str:
        if self.condition is None:
            return "product" if self.kind is JoinKind.INNER else f"{self.kind.value} join"
        return f"{self.kind.value} join on {scalar.show(self.condition)}"


@dataclass(frozen=True)
class Apply(Plan):
    """The dependent join: for every row of the left the right is evaluated anew, and may read the row as ``outer``.

    It stands for subqueries until they are unnested into joins, which is always possible.
    """

    left: Plan
    right: Plan
    kind: JoinKind
    condition: exp.Expr | None = None

    def __post_init__(self) -> None:
        if self.kind in (JoinKind.RIGHT, JoinKind.FULL):
            raise PlanError(f"apply cannot be a {self.kind.value} join")
        _require_columns(self, self.expressions(), (self.left.schema + self.right.schema).names)

    @cached_property
    def schema(self) -> Schema:
        return self.left.schema + self.right.schema if self.kind.keeps_right else self.left.schema

    def expressions(self) -> Iterable[exp.Expr]:
        return () if self.condition is None else (self.condition,)

    @cached_property
    def outer(self) -> frozenset[str]:
        return super().outer - frozenset(self.left.schema.names)

    @property
    def correlation(self) -> tuple[str, ...]:
        """The columns of the left that the right reads, in the left's order."""
        return tuple(name for name in self.left.schema.names if name in self.right.outer)

    def head(self) -> str:
        reads = f" reading {', '.join(self.correlation)}" if self.correlation else ""
        on = "" if self.condition is None else f" on {scalar.show(self.condition)}"
        return f"{self.kind.value} apply{on}{reads}"


@dataclass(frozen=True)
class Union(Plan):
    """∪: the rows of all inputs, multiplicities added (UNION ALL)."""

    inputs: tuple[Plan, ...]

    def __post_init__(self) -> None:
        if len(self.inputs) < 2:
            raise PlanError("a union of fewer than two inputs")
        _require_same_schema(self, *self.inputs)

    @cached_property
    def schema(self) -> Schema:
        return self.inputs[0].schema

    def head(self) -> str:
        return "union"


@dataclass(frozen=True)
class SetOperation(Plan):
    """Two inputs of one schema, combined by multiplicity; rows compare as DISTINCT compares them, NULL equals NULL."""

    left: Plan
    right: Plan

    def __post_init__(self) -> None:
        _require_same_schema(self, self.left, self.right)

    @cached_property
    def schema(self) -> Schema:
        return self.left.schema


class Difference(SetOperation):
    """−: multiplicities subtracted (EXCEPT ALL)."""

    def head(self) -> str:
        return "difference"


class StrictDifference(SetOperation):
    """The distinct rows of the left that the right has not at all (EXCEPT)."""

    def head(self) -> str:
        return "strict difference"


class Intersection(SetOperation):
    """∩: the lesser of the two multiplicities (INTERSECT ALL)."""

    def head(self) -> str:
        return "intersection"


class MaxUnion(SetOperation):
    """∪max: the greater of the two multiplicities."""

    def head(self) -> str:
        return "max-union"


def descendants(plan: Plan) -> Iterable[Plan]:
    """The plan and all below it, parents first."""
    yield plan
    for child in plan.children:
        yield from descendants(child)


def _alias(source: Stream | Table) -> str:
    return "" if source.alias == source.name else f" as {source.alias}"


def _names(columns: Iterable[Field]) -> str:
    return ", ".join(f.name for f in columns)
