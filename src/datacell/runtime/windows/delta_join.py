"""Pairing at work: what two relations join to, each pair of rows met once.

Each side is seen as rows that know when they are shown. What is new on one side meets all of the other; a pair is kept
until no boundary shows it. The pairs are made from slices and can be made again: they are not saved.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pyarrow as pa

from datacell.algebra.schema import Schema
from datacell.engines.arrow import arrow_schema
from datacell.incremental import merge
from datacell.incremental.boundaries import FOREVER, Positions, shown_during
from datacell.incremental.delta_join import SIDES
from datacell.incremental.merge import ROWS
from datacell.incremental.relations import BORN, DIES, SLICE, Pairs, View, fields
from datacell.runtime.evaluation import Runner
from datacell.runtime.windows.slices import Slices

MOST_PIECES = 16
FEW_DEAD = 0.8
"""As long as more than this share of the rows is alive, the others are not worth to be taken out."""


class Side(Protocol):
    """One side of a pair: rows that know when they are shown, those that were met already and those that were not."""

    met: pa.Table

    def new(self) -> pa.Table: ...

    def meet(self, rows: pa.Table) -> None: ...

    def expire(self, boundary: int) -> None: ...


class _Meeting:
    """Rows that were met stay until they are shown no more."""

    def __init__(self, columns: Schema) -> None:
        self.schema = arrow_schema(Schema((*columns, *fields(BORN, DIES))))
        self.met = self.schema.empty_table()
        self._look_at = -FOREVER

    def meet(self, rows: pa.Table) -> None:
        self.met = joined([self.met, rows])

    def expire(self, boundary: int) -> None:
        """Looks again when so many rows have died that taking them out is worth it."""
        if boundary >= self._look_at:
            self.met = alive(self.met, boundary)
            dies = column(self.met, DIES)
            self._look_at = int(np.quantile(dies, 1 - FEW_DEAD, method="lower")) if len(dies) else boundary + 1


class KeptSide(_Meeting):
    """A kept relation under a window."""

    def __init__(self, view: View, relation: Slices) -> None:
        super().__init__(Schema(view.columns))
        self.view, self.relation = view, relation
        self._seen = -1

    def new(self) -> pa.Table:
        chunks = self.relation.after(self._seen)
        self._seen = self.relation.through
        found = [with_times(c.rows, self.view, self.schema, c.slices) for c in chunks]
        return pa.concat_tables([self.schema.empty_table(), *found])


class PairedSide(_Meeting):
    """Pairs that meet others in turn."""

    def __init__(self, view: View, pairs: Pairing) -> None:
        super().__init__(Schema(view.columns))
        self._waiting: list[pa.Table] = []
        pairs.readers.append(self._waiting)

    def new(self) -> pa.Table:
        found = [rows.rename_columns(self.schema.names) for rows in self._waiting]
        self._waiting.clear()
        return pa.concat_tables([self.schema.empty_table(), *found])


class Pairing:
    """The live pairs of two sides."""

    def __init__(self, pairs: Pairs, left: Side, right: Side, run: Runner) -> None:
        self.pairs, self.left, self.right, self.run = pairs, left, right, run
        self.schema = arrow_schema(Schema((*pairs.columns, *fields(BORN, DIES))))
        self.folding = None
        if pairs.combination is not None:
            self.folding = merge.folding(pairs.columns, pairs.combination, BORN, DIES)
        self.readers: list[list[pa.Table]] = []
        """Where new pairs wait for those that they meet in turn."""
        self.rows = self.schema.empty_table()
        self._folded = 0

    def update(self) -> None:
        """Let what has come meet what was there."""
        left, right = self.left.new(), self.right.new()
        if not len(left) and not len(right):
            return
        everything = joined([self.right.met, right])
        inputs = dict(zip(SIDES, (left, everything, self.left.met, right), strict=True))
        self.left.meet(left)
        self.right.meet(right)
        made = self.run(self.pairs.plan, inputs).select(self.schema.names)
        for waiting in self.readers:
            waiting.append(made)
        self.rows = joined([self.rows, made])

    def expire(self, boundary: int) -> None:
        """Let go of what no later boundary shows, and combine what they all show together."""
        self.left.expire(boundary)
        self.right.expire(boundary)
        self.rows = alive(self.rows, boundary)
        if self.folding is not None and len(self.rows) > max(self.run.engine.call_worth, 2 * self._folded):
            born = np.where(column(self.rows, BORN) <= boundary, -FOREVER, column(self.rows, BORN))
            index = self.rows.schema.get_field_index(BORN)
            inputs = {ROWS: self.rows.set_column(index, BORN, pa.array(born))}
            self.rows = self.run(self.folding, inputs).select(self.schema.names)
            self._folded = len(self.rows)


def joined(tables: list[pa.Table]) -> pa.Table:
    """The rows of all tables; not in too many pieces, each of which costs an engine something."""
    found = pa.concat_tables(tables)
    pieces = max((c.num_chunks for c in found.columns), default=0)
    return found.combine_chunks() if pieces > MOST_PIECES else found


def with_times(rows: pa.Table, view: View, schema: pa.Schema, slices: Positions) -> pa.Table:
    """The rows that some boundary shows, under the view's names, knowing when."""
    assert view.window is not None
    born, dies = shown_during(view.window, slices)
    plain = rows.drop_columns([SLICE]).rename_columns([f.name for f in view.columns])
    timed = plain.append_column(BORN, pa.array(born)).append_column(DIES, pa.array(dies))
    shown = born < dies
    return (timed if shown.all() else timed.filter(pa.array(shown))).cast(schema)


def alive(rows: pa.Table, boundary: int) -> pa.Table:
    """The rows that some boundary after this one shows; a few others may stay, which no boundary shows."""
    live = column(rows, DIES) > boundary + 1
    return rows if live.sum() > FEW_DEAD * len(rows) else rows.filter(pa.array(live)).combine_chunks()


def shown_at(rows: pa.Table, boundary: int) -> pa.Table:
    """The rows that a boundary shows, without saying when."""
    shown = column(rows, BORN) <= boundary
    if DIES in rows.schema.names:
        shown &= boundary < column(rows, DIES)
    return (rows if shown.all() else rows.filter(pa.array(shown))).drop_columns(
        [c for c in (BORN, DIES) if c in rows.schema.names]
    )


def column(rows: pa.Table, name: str) -> Positions:
    return np.asarray(rows[name].to_numpy(), dtype=np.int64)
