"""A delta join at work: each pair of rows of two relations is found once, when the second of them comes.

Each side is seen as rows that know between which boundaries they are visible. What is new on one side is joined with
all of the other; a pair is kept until no boundary shows it. Pairs are made from slices and can be made again: they are
not saved.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pyarrow as pa

from datacell.algebra.plan import Plan
from datacell.algebra.schema import Schema
from datacell.algebra.tree import Key
from datacell.engines.arrow import arrow_schema
from datacell.incremental.boundaries import FOREVER, Positions, shown_during
from datacell.incremental.inputs import ROWS
from datacell.incremental.meeting import SIDES
from datacell.incremental.plans import compacted
from datacell.incremental.relations import SLICE, VISIBLE_FROM, VISIBLE_TO, Pairs, View, fields, name
from datacell.runtime.plans.plans import Plans
from datacell.runtime.windows.slices import Slices

MOST_PIECES = 16
FEW_EXPIRED = 0.8
"""As long as more than this share of the rows is visible, taking the others out is not worth it."""


class Side(Protocol):
    """One side of a join: the rows that were joined already, and those that were not."""

    joined: pa.Table

    def new(self) -> pa.Table: ...

    def add(self, rows: pa.Table) -> None: ...

    def expire(self, boundary: int) -> None: ...


class _Joined:
    """Rows that were joined stay until no boundary shows them."""

    def __init__(self, columns: Schema) -> None:
        self.schema = arrow_schema(Schema((*columns, *fields(VISIBLE_FROM, VISIBLE_TO))))
        self.joined = self.schema.empty_table()
        self._look_at = -FOREVER

    def add(self, rows: pa.Table) -> None:
        self.joined = together([self.joined, rows])

    def expire(self, boundary: int) -> None:
        """Looks again when so many rows have expired that taking them out is worth it."""
        if boundary >= self._look_at:
            self.joined = visible_after(self.joined, boundary)
            until = column(self.joined, VISIBLE_TO)
            self._look_at = int(np.quantile(until, 1 - FEW_EXPIRED, method="lower")) if len(until) else boundary + 1


class KeptSide(_Joined):
    """A kept relation under a window."""

    def __init__(self, view: View, relation: Slices) -> None:
        super().__init__(Schema(view.columns))
        self.view, self.relation = view, relation
        self._seen = -1

    def new(self) -> pa.Table:
        chunks = self.relation.after(self._seen)
        self._seen = self.relation.through
        found = [with_visibility(c.rows, self.view, self.schema, c.slices) for c in chunks]
        return pa.concat_tables([self.schema.empty_table(), *found])


class PairedSide(_Joined):
    """Pairs that are joined with others in turn."""

    def __init__(self, view: View, pairs: DeltaJoin) -> None:
        super().__init__(Schema(view.columns))
        self._waiting: list[pa.Table] = []
        pairs.readers.append(self._waiting)

    def new(self) -> pa.Table:
        found = [rows.rename_columns(self.schema.names) for rows in self._waiting]
        self._waiting.clear()
        return pa.concat_tables([self.schema.empty_table(), *found])


class DeltaJoin:
    """The visible pairs of two sides."""

    def __init__(
        self, number: int, pairs: Pairs, compaction: Plan | None, left: Side, right: Side, plans: Plans
    ) -> None:
        self.left, self.right = left, right
        self.schema = arrow_schema(Schema((*pairs.columns, *fields(VISIBLE_FROM, VISIBLE_TO))))
        self._join = plans.prepare(name(number), pairs.plan)
        self._fold = None if compaction is None else plans.prepare(compacted(number), compaction)
        self.readers: list[list[pa.Table]] = []
        """Where new pairs wait for those that they are joined with in turn."""
        self.rows = self.schema.empty_table()
        self._folded = 0

    def update(self) -> None:
        """Join what has come with what was there."""
        left, right = self.left.new(), self.right.new()
        if not len(left) and not len(right):
            return
        everything = together([self.right.joined, right])
        inputs: dict[Key, pa.Table] = dict(zip(SIDES, (left, everything, self.left.joined, right), strict=True))
        self.left.add(left)
        self.right.add(right)
        made = self._join(inputs).select(self.schema.names)
        for waiting in self.readers:
            waiting.append(made)
        self.rows = together([self.rows, made])

    def expire(self, boundary: int) -> None:
        """Let go of what no later boundary shows, and combine what they all show together."""
        self.left.expire(boundary)
        self.right.expire(boundary)
        self.rows = visible_after(self.rows, boundary)
        if self._fold is not None and len(self.rows) > max(self._fold.call_overhead_rows, 2 * self._folded):
            since = column(self.rows, VISIBLE_FROM)
            index = self.rows.schema.get_field_index(VISIBLE_FROM)
            same = pa.array(np.where(since <= boundary, -FOREVER, since))
            folded = self._fold({ROWS: self.rows.set_column(index, VISIBLE_FROM, same)})
            self.rows = folded.select(self.schema.names)
            self._folded = len(self.rows)


def together(tables: list[pa.Table]) -> pa.Table:
    """The rows of all tables; not in too many pieces, each of which costs an engine something."""
    found = pa.concat_tables(tables)
    pieces = max((c.num_chunks for c in found.columns), default=0)
    return found.combine_chunks() if pieces > MOST_PIECES else found


def with_visibility(rows: pa.Table, view: View, schema: pa.Schema, slices: Positions) -> pa.Table:
    """The rows that some boundary shows, under the view's names, with the boundaries between which it does."""
    assert view.window is not None
    since, until = shown_during(view.window, slices)
    plain = rows.drop_columns([SLICE]).rename_columns([f.name for f in view.columns])
    timed = plain.append_column(VISIBLE_FROM, pa.array(since)).append_column(VISIBLE_TO, pa.array(until))
    shown = since < until
    return (timed if shown.all() else timed.filter(pa.array(shown))).cast(schema)


def visible_after(rows: pa.Table, boundary: int) -> pa.Table:
    """The rows that some boundary after this one shows; a few others may stay, which no boundary shows."""
    live = column(rows, VISIBLE_TO) > boundary + 1
    return rows if live.sum() > FEW_EXPIRED * len(rows) else rows.filter(pa.array(live)).combine_chunks()


def visible_at(rows: pa.Table, boundary: int) -> pa.Table:
    """The rows that a boundary shows, without saying when."""
    shown = column(rows, VISIBLE_FROM) <= boundary
    if VISIBLE_TO in rows.schema.names:
        shown &= boundary < column(rows, VISIBLE_TO)
    extra = [c for c in (VISIBLE_FROM, VISIBLE_TO) if c in rows.schema.names]
    return (rows if shown.all() else rows.filter(pa.array(shown))).drop_columns(extra)


def column(rows: pa.Table, name: str) -> Positions:
    return np.asarray(rows[name].to_numpy(), dtype=np.int64)
