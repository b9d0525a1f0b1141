"""A leaf over a sliding window: what is known of it before any row has come, and the rows of its relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from datacell.algebra.blocks import Blocks, blocks
from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.schema import Field
from datacell.algebra.window import Landmark, WindowSpec, micros
from datacell.engines.arrow import arrow_schema, arrow_type
from datacell.incremental import cuts
from datacell.incremental.merge import AT
from datacell.incremental.relations import SLICE, Leaf, Shown
from datacell.runtime.windows.chunks import Chunk
from datacell.runtime.windows.slices import Slices
from datacell.runtime.windows.sliding.pieces import Piece


@dataclass(frozen=True)
class SlidingLeaf:
    """Leaf number `number`: its window and columns, the slides of the whole query, and the type of its boundaries."""

    number: int
    window: WindowSpec
    slides: Sequence[int]
    schema: pa.Schema
    time: Field

    @classmethod
    def of(cls, leaf: Leaf, number: int, slides: Sequence[int], time: Field) -> SlidingLeaf:
        assert isinstance(leaf, Shown)
        assert leaf.window is not None
        return cls(number, leaf.window, slides, arrow_schema(leaf.schema), time)

    @cached_property
    def blocks(self) -> Blocks:
        return blocks(self.window)

    @cached_property
    def at(self) -> pa.Field:
        """The column that says which boundary shows a row."""
        return pa.field(AT, arrow_type(self.time.type))

    def boundaries(self, ends: Positions) -> pa.Array:
        """Values of that column."""
        return pa.array(ends, pa.int64()).cast(self.at.type)

    def starts(self, start: int, end: int) -> Positions:
        """Where windows begin, between two positions."""
        return np.array(cuts.starts(self.window, self.slides, start - 1, end), dtype=np.int64)

    def nothing(self) -> pa.Table:
        return self.schema.empty_table()


class LeafRows:
    """The rows of a kept relation under the leaf's names, in pieces that know their slices."""

    def __init__(self, leaf: SlidingLeaf, relation: Slices) -> None:
        self.leaf, self.relation = leaf, relation
        window = leaf.window
        self._since = micros(window.since) if isinstance(window, Landmark) and window.since else None

    def between(self, start: int, stop: int) -> list[Piece]:
        """The rows of the slices from one position to another."""
        live = [c for c in self.relation.chunks if c.latest >= start and c.oldest < stop]
        found = [self.piece(chunk).between(start, stop) for chunk in live]
        return [piece for piece in found if len(piece)]

    def of_block(self, block: int) -> list[Piece]:
        return [piece for chunk in self.relation.chunks for piece, number in self.by_block(chunk) if number == block]

    def by_block(self, chunk: Chunk) -> list[tuple[Piece, int]]:
        """The rows of a chunk, by the number of their block."""
        piece, blocks = self.piece(chunk), self.leaf.blocks
        if self._since is not None:
            piece = piece.between(self._since, FOREVER)
        if not len(piece):
            return []
        first, last = blocks.number(piece.oldest), blocks.number(piece.latest)
        if first == last:
            return [(piece, first)]
        numbers = blocks.numbers(piece.at)
        return [(piece.where(numbers == k), k) for k in np.unique(numbers).tolist()]

    def piece(self, chunk: Chunk) -> Piece:
        rows = chunk.rows.drop_columns([SLICE]).rename_columns(self.leaf.schema.names)
        return Piece(rows, chunk.rows[SLICE], chunk.oldest, chunk.latest)
