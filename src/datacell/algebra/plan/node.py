"""What every operator is: frozen, with a schema, inputs and a one-line print; and what operators check with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.schema import Named, Schema
from datacell.errors import PlanError


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


def require_columns(node: Plan, expressions: Iterable[exp.Expr], available: Iterable[str]) -> None:
    known = frozenset(available)
    for expression in expressions:
        missing = scalar.columns(expression) - known
        if missing:
            raise PlanError(
                f"{type(node).__name__.lower()} reads {min(missing)}, its input has {', '.join(sorted(known))}"
            )


def require_same_schema(node: Plan, *inputs: Plan) -> None:
    first = inputs[0].schema
    for other in inputs[1:]:
        if other.schema != first:
            raise PlanError(f"{type(node).__name__.lower()} of different schemas: {first} and {other.schema}")


def descendants(plan: Plan) -> Iterable[Plan]:
    """The plan and all below it, parents first."""
    waiting = [plan]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))
