"""A query that is not understood here: a database that does answers it as it is written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from datacell.algebra.plan.node import Plan
from datacell.algebra.schema import Field, Schema
from datacell.errors import PlanError

LONGEST = 100
"""Characters of the text that are shown."""


@dataclass(frozen=True)
class Opaque(Plan):
    """A text with a gap for each input: input number i stands, as a query, between piece i and piece i + 1.

    As every operator it does to the snapshots of its inputs what its text does to tables. The text sees the columns of
    an input under their names there; the columns of the answer are named by position. `why` says what is not
    understood, and where.
    """

    inputs: tuple[Plan, ...]
    pieces: tuple[str, ...]
    columns: tuple[Field, ...]
    why: str

    def __post_init__(self) -> None:
        if len(self.pieces) != len(self.inputs) + 1:
            raise PlanError(f"{len(self.pieces)} pieces of text around {len(self.inputs)} inputs")

    @cached_property
    def schema(self) -> Schema:
        return Schema(self.columns)

    def head(self) -> str:
        text = " ".join("…".join(self.pieces).split())
        return f"opaque: {text if len(text) <= LONGEST else f'{text[:LONGEST]}…'}"

    def text(self, inputs: tuple[str, ...]) -> str:
        """The whole text with these in its gaps."""
        return "".join(p for pair in zip(self.pieces, (*inputs, ""), strict=True) for p in pair)
