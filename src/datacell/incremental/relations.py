"""What an incremental query keeps, and how the rest of its plan reads it.

*Kept* relations hold, slice by slice, what a fragment made of a stream's rows. *Pairs* hold what two kept relations
join to; a pair of rows is shown from when the younger is until the older is not. The rest of the plan has *leaves*
that stand for what is shown of a relation at a boundary.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from datacell.algebra import tree
from datacell.algebra.decompose import Decomposition
from datacell.algebra.plan import Plan
from datacell.algebra.query import Query
from datacell.algebra.schema import Field, Schema
from datacell.algebra.types import BIGINT
from datacell.algebra.window import Rows, WindowSpec
from datacell.incremental.cuts import Cuts

SLICE, VISIBLE_FROM, VISIBLE_TO = "slice′", "visible_from′", "visible_to′"
"""Columns of relations beside their own: the slice of a row; the boundaries between which a row is visible."""


@dataclass(frozen=True)
class Combination:
    """Rows that agree on `keys` may be combined into one, by their partial aggregates."""

    keys: tuple[str, ...]
    decompositions: tuple[Decomposition, ...]


@dataclass(frozen=True)
class Kept:
    """Of a stream: `plan` over its rows, which know their slices, gives rows that know theirs.

    It does to all slices at once what `work` says is done to each; that is for readers.
    """

    stream: str
    work: Plan
    plan: Plan
    alone: Plan | None
    """The same over the rows of only one slice, where that can be said without naming it."""
    columns: tuple[Field, ...]
    combination: Combination | None
    cuts: Cuts | None
    """None if every row is a slice of its own: then `slice` is its position."""


@dataclass(frozen=True)
class View:
    """A relation as one side of a pair sees it: through a window, unless its rows know when they are shown."""

    relation: int
    window: WindowSpec | None
    columns: tuple[Field, ...]


@dataclass(frozen=True)
class Pairs:
    """Of two relations: `plan` over what is new and what was there gives rows that know when they are shown.

    All its rows together are what `work` says of the two relations; that is for readers.
    """

    left: View
    right: View
    work: Plan
    plan: Plan
    columns: tuple[Field, ...]
    combination: Combination | None


Relation = Kept | Pairs


@dataclass(frozen=True)
class Shown(Plan):
    """What is shown of a relation at a boundary; of combinable rows, some whose combination is that of all."""

    relation: int
    window: WindowSpec | None
    columns: tuple[Field, ...]
    combination: Combination | None
    why: str

    @cached_property
    def schema(self) -> Schema:
        return Schema(self.columns)

    @property
    def is_merged(self) -> bool:
        """Can it be put together from running combinations?"""
        return self.combination is not None and self.window is not None

    def head(self) -> str:
        return name(self.relation) if self.window is None else f"{name(self.relation)} under {self.window}"


@dataclass(frozen=True)
class Latest(Plan):
    """The last rows of each key of a kept relation, at a boundary."""

    relation: int
    window: Rows
    columns: tuple[Field, ...]
    why: str

    @cached_property
    def schema(self) -> Schema:
        return Schema(self.columns)

    def head(self) -> str:
        return f"{name(self.relation)} under {self.window}"


Leaf = Shown | Latest


@dataclass(frozen=True)
class Split:
    """A query cut in two: relations that are kept up as rows come, and the rest, evaluated at boundaries."""

    query: Query
    """As it was; `rest` has leaves instead of what the relations do."""
    rest: Plan
    relations: tuple[Relation, ...]

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        return tuple(node for node in tree.descendants(self.rest) if isinstance(node, Shown | Latest))

    def in_driver(self, number: int) -> str | None:
        """Why a relation is kept in the driver, however large it is; None if it need not be."""
        relation = self.relations[number]
        if any(isinstance(r, Pairs) for r in self.relations):
            return "rows are joined there as they come"
        return "rows are numbered there" if isinstance(relation, Kept) and relation.cuts is None else None


def name(number: int) -> str:
    """What a relation is called where people read of it."""
    return f"relation {number + 1}"


def fields(*names: str) -> tuple[Field, ...]:
    """Columns of positions and boundaries."""
    return tuple(Field(name, BIGINT) for name in names)
