"""A delta join at work: each pair of rows of two relations is found once, when the second of them comes.

Each side is seen as rows that know between which boundaries they are visible. What is new on one side is joined with
all of the other; a pair is kept until no boundary shows it. Pairs are made from slices and can be made again: they are
not saved.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
import pyarrow as pa

from datacell.algebra.plan import Plan
from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.schema import Field, Schema
from datacell.engines.arrow import arrow_schema
from datacell.incremental.boundaries import shown_during
from datacell.incremental.inputs import ROWS
from datacell.incremental.plans import compacted
from datacell.incremental.relations import SLICE, VISIBLE_FROM, VISIBLE_TO, Pairs, View, fields, name
from datacell.runtime.delta_join import BothSides, JoinedRows, live_after, together
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.batch import positions
from datacell.runtime.windows.slices import Slices


class NewRows(Protocol):
    """One side of a join: where its rows come from."""

    schema: pa.Schema

    def new(self) -> pa.Table:
        """The rows that have come since this was last asked."""


class KeptSide:
    """A kept relation under a window."""

    def __init__(self, view: View, relation: Slices) -> None:
        self.schema = _visible(view.columns)
        self.view, self.relation = view, relation
        self._seen = -1

    def new(self) -> pa.Table:
        chunks = self.relation.after(self._seen)
        self._seen = self.relation.through
        found = [with_visibility(c.rows, self.view, self.schema, c.slices) for c in chunks]
        return pa.concat_tables([self.schema.empty_table(), *found])


class PairedSide:
    """Pairs that are joined with others in turn."""

    def __init__(self, view: View, pairs: DeltaJoin) -> None:
        self.schema = _visible(view.columns)
        self._waiting: list[pa.Table] = []
        pairs.readers.append(self._waiting)

    def new(self) -> pa.Table:
        found = [rows.rename_columns(self.schema.names) for rows in self._waiting]
        self._waiting.clear()
        return pa.concat_tables([self.schema.empty_table(), *found])


class DeltaJoin:
    """The visible pairs of two sides."""

    def __init__(
        self, number: int, pairs: Pairs, compaction: Plan | None, left: NewRows, right: NewRows, plans: Plans
    ) -> None:
        self.left, self.right = left, right
        self.schema = _visible(pairs.columns)
        joined = (JoinedRows(side.schema, VISIBLE_TO) for side in (left, right))
        self._sides = BothSides(plans.prepare(name(number), pairs.plan), *joined)
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
        made = self._sides.new_pairs(left, right).select(self.schema.names)
        for waiting in self.readers:
            waiting.append(made)
        self.rows = together([self.rows, made])

    def expire(self, boundary: int) -> None:
        """Let go of what no later boundary shows, and combine what they all show together."""
        self._sides.expire(boundary + 1)
        self.rows = live_after(self.rows, VISIBLE_TO, boundary + 1)
        if self._fold is not None and len(self.rows) > max(self._fold.call_overhead_rows, 2 * self._folded):
            since = positions(self.rows[VISIBLE_FROM])
            index = self.rows.schema.get_field_index(VISIBLE_FROM)
            same = pa.array(np.where(since <= boundary, -FOREVER, since))
            folded = self._fold({ROWS: self.rows.set_column(index, VISIBLE_FROM, same)})
            self.rows = folded.select(self.schema.names)
            self._folded = len(self.rows)


def with_visibility(rows: pa.Table, view: View, schema: pa.Schema, slices: Positions) -> pa.Table:
    """The rows that some boundary shows, under the view's names, with the boundaries between which it does."""
    assert view.window is not None
    since, until = shown_during(view.window, slices)
    plain = rows.drop_columns([SLICE]).rename_columns([f.name for f in view.columns])
    timed = plain.append_column(VISIBLE_FROM, pa.array(since)).append_column(VISIBLE_TO, pa.array(until))
    shown = since < until
    return (timed if shown.all() else timed.filter(pa.array(shown))).cast(schema)


def visible_at(rows: pa.Table, boundary: int) -> pa.Table:
    """The rows that a boundary shows, without saying when."""
    shown = positions(rows[VISIBLE_FROM]) <= boundary
    if VISIBLE_TO in rows.schema.names:
        shown &= boundary < positions(rows[VISIBLE_TO])
    extra = [c for c in (VISIBLE_FROM, VISIBLE_TO) if c in rows.schema.names]
    return (rows if shown.all() else rows.filter(pa.array(shown))).drop_columns(extra)


def _visible(columns: Iterable[Field]) -> pa.Schema:
    return arrow_schema(Schema((*columns, *fields(VISIBLE_FROM, VISIBLE_TO))))
