"""What an aggregate by parts keeps from one advance to the next."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datacell.algebra.schema import Field, Schema
from datacell.algebra.types import BIGINT
from datacell.engines.arrow import arrow_schema
from datacell.intervals.aggregate_columns import BLOCK, Columns
from datacell.intervals.validity import AT, TO
from datacell.runtime.streams.batch import positions


class AggregateState:
    """The partial rows of blocks that have not ended, the ends that have not come, and the open segment of each key."""

    def __init__(self, columns: Columns) -> None:
        self.no_partials = _empty((*columns.partial, BLOCK))
        self.no_totals = _empty((*columns.totals, Field(AT, BIGINT)))
        self.open = _empty(columns.open)
        self._partials = [self.no_partials]
        self._ends = _empty(columns.ends)
        """In order."""

    def closed_blocks(self, starts: pa.Table, block: int | None) -> pa.Table:
        """New partial rows have come: what there is of the blocks before this one, which is not kept any more."""
        self._partials.append(starts)
        if block is None:
            return self.no_partials
        rows = pa.concat_tables(self._partials)
        is_closed = positions(rows[BLOCK.name]) < block
        self._partials = [rows.filter(pa.array(~is_closed))]
        return rows.filter(pa.array(is_closed))

    def add_ends(self, ends: pa.Table) -> None:
        both = pa.concat_tables([self._ends, ends.select(self._ends.schema.names)])
        self._ends = both.take(pc.sort_indices(both, sort_keys=[(TO, "ascending")]))

    def ends_until(self, now: int) -> pa.Table:
        """The ends that have come, which are not kept any more."""
        count = int(np.searchsorted(positions(self._ends[TO]), now, side="right"))
        come, self._ends = self._ends.slice(0, count), self._ends.slice(count)
        return come

    def __len__(self) -> int:
        return sum(map(len, self._partials)) + len(self._ends) + len(self.open)


def _empty(fields: Sequence[Field]) -> pa.Table:
    return arrow_schema(Schema(tuple(fields))).empty_table()
