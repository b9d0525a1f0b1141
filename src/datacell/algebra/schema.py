"""Names and types of a relation's columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.types import Type
from datacell.errors import PlanError


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a relation."""

    name: str
    type: Type

    def __str__(self) -> str:
        return f"{self.name} {self.type}"


@dataclass(frozen=True, slots=True)
class Named:
    """A column that an operator computes: its name, the expression, the expression's type."""

    name: str
    value: exp.Expr
    type: Type

    @property
    def field(self) -> Field:
        return Field(self.name, self.type)

    @property
    def passes_through(self) -> bool:
        return isinstance(self.value, exp.Column) and self.value.name == self.name and not scalar.is_outer(self.value)

    def __str__(self) -> str:
        return self.name if self.passes_through else f"{self.name} = {scalar.show(self.value)}"


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a relation, in order; no name twice."""

    fields: tuple[Field, ...]

    def __post_init__(self) -> None:
        twice = [name for name, count in Counter(self.names).items() if count > 1]
        if twice:
            raise PlanError(f"column {twice[0]} appears twice")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f.name for f in self.fields)

    @property
    def types(self) -> tuple[Type, ...]:
        return tuple(f.type for f in self.fields)

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __add__(self, other: Schema) -> Schema:
        return Schema(self.fields + other.fields)

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.fields))})"

    def field(self, name: str) -> Field:
        found = next((f for f in self.fields if f.name == name), None)
        if found is None:
            raise PlanError(f"there is no column {name} in {self}")
        return found

    def type(self, name: str) -> Type:
        return self.field(name).type

    def passing(self, names: Iterable[str] | None = None) -> tuple[Named, ...]:
        """Columns that hand these names on unchanged; all of them if none are given."""
        return tuple(Named(n, scalar.column(n), self.type(n)) for n in (self.names if names is None else names))
