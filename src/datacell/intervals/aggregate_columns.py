"""What a decomposed aggregate reads and keeps: relations over its keys and partial aggregates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from datacell.algebra import scalar, types
from datacell.algebra.combining import combining
from datacell.algebra.decompose import Decomposition
from datacell.algebra.partial import combined
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT
from datacell.intervals.flow import NamedSlot
from datacell.intervals.validity import BEGINS, TO, VALIDITY

BLOCK = Field("block′", BIGINT)
"""The number of the block that a row begins in, or an event falls in."""

COUNT = Named("count′", scalar.call("count", exp.Star()), BIGINT)
_COUNTED = Decomposition((COUNT,), (combined("sum", COUNT),), COUNT)
"""How many rows are valid: a key is there as long as one is."""


class AggregateSlot(NamedSlot):
    """Rows as they come, and partial rows of them; what happens to segments; and segments that are closed."""

    ROWS = "rows"
    PRESENT = "rows present"
    CLOSED_BLOCKS = "partial rows of closed blocks"
    STARTS = "starts"
    ENDS = "ends"
    TOTALS = "totals of closed blocks"
    OPEN = "open segments"
    CUT_POINTS = "cut points"
    CLOSED = "closed segments"


def back(name: str) -> str:
    """The name of a part as it is left of the block before."""
    return f"{name} back"


@dataclass(frozen=True)
class Columns:
    """The keys and decomposed aggregates, over rows with these columns."""

    keys: tuple[Named, ...]
    aggregates: tuple[Decomposition, ...]
    rows: tuple[Field, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the keys."""
        return tuple(k.name for k in self.keys)

    @cached_property
    def decompositions(self) -> tuple[Decomposition, ...]:
        return (*self.aggregates, _COUNTED)

    @cached_property
    def values(self) -> tuple[Named, ...]:
        """The columns of partial rows, as calls that combine them."""
        return combining(self.decompositions)

    @cached_property
    def partial(self) -> tuple[Field, ...]:
        """Of partial rows: one for each key and validity."""
        return (*self._keys, *self._fronts, *VALIDITY)

    @cached_property
    def ends(self) -> tuple[Field, ...]:
        """Of an instant at which rows end: what is left of their block."""
        return (*self._keys, *self._backs, Field(TO, BIGINT))

    @cached_property
    def totals(self) -> tuple[Field, ...]:
        """Of a whole block, which is the back that the next one begins with."""
        return (*self._keys, *self._backs, BLOCK)

    @cached_property
    def open(self) -> tuple[Field, ...]:
        """Of the open segment of a key: what is valid in it, by front and back, and since when."""
        return (*self._keys, *self._fronts, *self._backs, Field(BEGINS, BIGINT))

    def of_back(self, value: Named) -> exp.Expr:
        """What combines a part, over what is left of it."""
        return scalar.substitute(value.value, {v.name: scalar.column(back(v.name)) for v in self.values})

    @cached_property
    def _keys(self) -> tuple[Field, ...]:
        return tuple(k.field for k in self.keys)

    @cached_property
    def _fronts(self) -> tuple[Field, ...]:
        return tuple(v.field for v in self.values)

    @cached_property
    def _backs(self) -> tuple[Field, ...]:
        return tuple(Field(back(v.name), v.type) for v in self.values)


def null(field: Field) -> Named:
    return Named(field.name, exp.TryCast(this=exp.Null(), to=types.to_sqlglot(field.type)), field.type)
