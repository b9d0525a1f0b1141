"""Both sides of a delta join, in whichever way a query is evaluated: what was joined, and what is new.

Each pair is found when the second of its rows comes (`algebra.delta_join`). A row is let go of when no later one can
be visible together with it.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from datacell.algebra.delta_join import Side
from datacell.algebra.positions import FOREVER
from datacell.runtime.plans.prepared import PreparedPlan
from datacell.runtime.streams.batch import positions

MOST_PIECES = 16
"""Of a table: each costs an engine something."""

FEW_EXPIRED = 0.8
"""As long as more than this share of the rows is live, taking the others out is not worth it."""


class JoinedRows:
    """The rows of one side that were joined; the column `ends` says up to where they are visible."""

    def __init__(self, schema: pa.Schema, ends: str) -> None:
        self.schema, self._ends = schema, ends
        self.rows = schema.empty_table()
        self._look_at = -FOREVER

    def add(self, rows: pa.Table) -> None:
        self.rows = together([self.rows, rows])

    def expire(self, position: int) -> None:
        """Let go of rows that end here or earlier, once so many of them have that it is worth it."""
        if position < self._look_at:
            return
        self.rows = live_after(self.rows, self._ends, position)
        ends = positions(self.rows[self._ends])
        self._look_at = int(np.quantile(ends, 1 - FEW_EXPIRED, method="lower")) if len(ends) else position + 1


class BothSides:
    """The left and the right side of a join."""

    def __init__(self, join: PreparedPlan, left: JoinedRows, right: JoinedRows) -> None:
        self._join, self.left, self.right = join, left, right

    def new_pairs(self, left: pa.Table, right: pa.Table) -> pa.Table:
        """The pairs that new rows are in, which from now on were there."""
        old = self.left.rows
        self.left.add(left)
        self.right.add(right)
        return self._join(
            {Side.LEFT_NEW: left, Side.RIGHT_ALL: self.right.rows, Side.LEFT_OLD: old, Side.RIGHT_NEW: right}
        )

    def expire(self, position: int) -> None:
        """Let go of rows that end here or earlier."""
        self.left.expire(position)
        self.right.expire(position)

    def __len__(self) -> int:
        return len(self.left.rows) + len(self.right.rows)


def together(tables: list[pa.Table]) -> pa.Table:
    """The rows of all tables, not in too many pieces."""
    found = pa.concat_tables(tables)
    pieces = max((c.num_chunks for c in found.columns), default=0)
    return found.combine_chunks() if pieces > MOST_PIECES else found


def live_after(rows: pa.Table, ends: str, position: int) -> pa.Table:
    """The rows that end after this position; a few others may stay."""
    live = positions(rows[ends]) > position
    return rows if live.sum() > FEW_EXPIRED * len(rows) else rows.filter(pa.array(live)).combine_chunks()
