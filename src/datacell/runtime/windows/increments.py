"""Evaluation by increments: slices are made as rows come, boundaries are answered from what they gave.

A batch becomes part of the slices before the basket takes it, so rows that only partial results are needed of are
never stored. While a slice is open its rows may wait in the basket: how many chunks a slice is absorbed in adapts
itself (`runtime.eagerness`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.plan import Plan
from datacell.algebra.query import TIME_COLUMNS, Timing
from datacell.algebra.schema import Schema
from datacell.algebra.window import Landmark, WindowSpec, micros
from datacell.engines.arrow import arrow_schema
from datacell.incremental import boundaries, cuts, lift, merge
from datacell.incremental.boundaries import FOREVER, Boundary, Positions, shown_during
from datacell.incremental.merge import ROWS, shown_table
from datacell.incremental.relations import (
    BORN,
    DIES,
    SLICE,
    Kept,
    Latest,
    Leaf,
    Pairs,
    Shown,
    Split,
    View,
    fields,
    projection,
)
from datacell.runtime.evaluation import Held, Runner
from datacell.runtime.streams.basket import Axis, Basket, Batch, Need
from datacell.runtime.windows.chunking import Eagerness
from datacell.runtime.windows.delta_join import KeptSide, PairedSide, Pairing, Side, shown_at, with_times
from datacell.runtime.windows.merging import Merging
from datacell.runtime.windows.slices import Made, Sliced, Slices, slices

COMPACTED_FROM = 32
"""Chunks of a relation from which on it is worth to look whether they can be combined."""


class Increments:
    """The relations of a split query at work."""

    strategy = "incremental"

    def __init__(self, split: Split, directory: Path, baskets: Mapping[str, Basket], run: Runner) -> None:
        self.split, self.baskets, self.run = split, baskets, run
        query = split.query
        self.windows = tree.windows(query.plan)
        self.streams = [tree.stream_of(w) for w in self.windows]
        self.by_rows = query.timing is Timing.ARRIVALS
        self.axis = Axis.NUMBER if self.by_rows else Axis.TIME
        (self.time,) = TIME_COLUMNS[query.timing]
        self.instants = arrow_schema(lift.instants_schema(self.time.type))
        self.fragments = {many: lift.lift_rest(split, many, run.engine.covers) for many in (False, True)}
        self._of_rows_alone = {
            number
            for number, r in enumerate(split.relations)
            if isinstance(r, Kept) and tree.table_names(r.plan) == {lift.basket(r.stream)}
        }
        """The relations whose slices are made of the stream's rows and of nothing else."""
        self._asks_when = lift.BOUNDARIES in tree.table_names(self.fragments[False])
        """Does it matter which boundary it is, when there is only one?"""
        self.kept: dict[int, Slices] = {}
        self.pairs: dict[int, Pairing] = {}
        self.eagerness = {stream: Eagerness() for stream in set(self.streams)}
        for number, relation in enumerate(split.relations):
            if isinstance(relation, Kept):
                schema = arrow_schema(Schema((*relation.columns, *fields(SLICE))))
                last = baskets[relation.stream].last_batch
                self.kept[number] = Slices(directory / str(number), schema, last)
            else:
                self.pairs[number] = self._pairing(relation)
        slides = tree.slides(query.plan)
        self.merged = {
            index: Merging(leaf, index, self.kept[leaf.relation], slides, self.time, run)
            for index, leaf in enumerate(split.leaves)
            if isinstance(leaf, Shown) and leaf.is_merged
        }
        self.compacting = {n: plan for n in self.kept if (plan := self._compacting_plan(n)) is not None}
        """How the rows of a relation become fewer, where they can."""
        self._compacted = dict.fromkeys(self.kept, 0)
        self._spent, self._answered = 0.0, 0
        """Seconds since the last batch came, and boundaries that were answered since."""
        self._expired = -FOREVER

    # Rows come

    def ahead(self, stream: str, batch: Batch) -> Made:
        """Slices of rows that will not wait, where they are made of nothing else; row windows need their numbers."""
        if self.by_rows or not len(batch.rows) or not self.eagerness[stream].is_new(self._cut(stream, batch)):
            return {}
        return {
            number: self._sliced(relation, [batch])
            for number, relation in self._kept_of(stream)
            if relation.cuts is not None and number in self._of_rows_alone
        }

    def absorb(self, stream: str, batch: Batch, ahead: Made) -> None:
        """Make slices of the rows that have come, unless the open slice may wait for more."""
        started = perf_counter()
        if self.eagerness[stream].is_due(len(batch.rows), self._cut(stream, batch)):
            self._flush(stream, batch, ahead)
        self._spent = perf_counter() - started

    def _flush(self, stream: str, batch: Batch | None = None, ahead: Made | None = None) -> None:
        for number, relation in self._kept_of(stream):
            self._absorb(relation, self.kept[number], batch, (ahead or {}).get(number))
        self.eagerness[stream].absorbed()

    def _absorb(self, relation: Kept, kept: Slices, batch: Batch | None, ahead: Sliced | None) -> None:
        basket = self.baskets[relation.stream]
        kept.forget_after(basket.last_batch)
        waiting = [b for b in basket.batches if b.number > kept.through]
        if batch is not None:
            waiting.append(batch)
        if waiting:
            made = ahead if ahead is not None and waiting == [batch] else self._sliced(relation, waiting)
            kept.put(waiting[-1].number, waiting[-1].extent(Axis.NUMBER)[1] + 1, made)

    def _sliced(self, relation: Kept, batches: Sequence[Batch]) -> Sliced:
        """What the rows of these batches give to a relation."""
        extents = [self._extent(relation, b) for b in batches]
        first, last = min(e[0] for e in extents), max(e[1] for e in extents)
        rows = batches[0].rows if len(batches) == 1 else pa.concat_tables([b.rows for b in batches])
        if first == last and relation.alone is not None:
            made = self._made(relation, relation.alone, rows)
            made = made.append_column(SLICE, pa.array(np.full(len(made), first)))
            return Sliced(made, first, last, np.array([] if self.by_rows else [first], dtype=np.int64))
        found = [self._slices(relation, b) for b in batches]
        at = found[0] if len(found) == 1 else np.concatenate(found)
        made = self._made(relation, relation.plan, rows.append_column(SLICE, pa.array(at)))
        return Sliced(made, first, last, at[:0] if self.by_rows else np.unique(at))

    def _extent(self, relation: Kept, batch: Batch) -> tuple[int, int]:
        """The first and the last slice that a batch has rows of."""
        first, last = batch.extent(self.axis)
        return (first, last) if relation.cuts is None else (relation.cuts.slice(first), relation.cuts.slice(last))

    def _slices(self, relation: Kept, batch: Batch) -> Positions:
        """For each row of a batch its slice."""
        at = batch.positions(self.axis)
        return at if relation.cuts is None else relation.cuts.slices(at)

    def _made(self, relation: Kept, plan: Plan, rows: pa.Table) -> pa.Table:
        passed = projection(plan)
        if passed is None:
            return self.run(plan, {lift.basket(relation.stream): rows})
        return rows.select(list(passed.values())).rename_columns(list(passed))

    def _kept_of(self, stream: str) -> list[tuple[int, Kept]]:
        """The relations that are kept of a stream, with their numbers."""
        found = enumerate(self.split.relations)
        return [(n, r) for n, r in found if isinstance(r, Kept) and r.stream == stream]

    def _cut(self, stream: str, batch: Batch) -> int:
        """The last slice that the batch has rows of: when it is a new one, the slices before it are full."""
        return self._extent(self._kept_of(stream)[0][1], batch)[1]

    # Boundaries are due

    def positions(self) -> list[Positions]:
        if self.by_rows:
            return [np.empty(0, dtype=np.int64) for _ in self.windows]
        occupied = {stream: self._occupied(stream) for stream in set(self.streams)}
        return [occupied[stream] for stream in self.streams]

    def _occupied(self, stream: str) -> Positions:
        number, relation = self._kept_of(stream)[0]
        kept = self.kept[number]
        waiting = [b.times for b in self.baskets[stream].batches if b.number > kept.through]
        assert relation.cuts is not None
        return np.unique(np.concatenate([kept.occupied(), *(relation.cuts.slices(w) for w in waiting)]))

    def answer(self, due: Sequence[Boundary]) -> pa.Table:
        started = perf_counter()
        for stream in set(self.streams):
            self._flush(stream)
        for pairing in self.pairs.values():
            pairing.update()
        many = len(due) > 1
        inputs = {lift.BOUNDARIES: self._boundaries(due)} if many or self._asks_when else {}
        for index, leaf in enumerate(self.split.leaves):
            inputs |= self._leaf(index, leaf, due)
        answer = self.run(self.fragments[many], inputs)
        for merging in self.merged.values():
            merging.wait()
        self._spent += perf_counter() - started
        self._answered += len(due)
        return answer

    def _leaf(self, index: int, leaf: Leaf, due: Sequence[Boundary]) -> dict[str, pa.Table]:
        if index in self.merged:
            window = self._window_number(leaf)
            shown = [b.shown[window] for b in due]
            if len(due) == 1:
                return {shown_table(index): self.merged[index].one(*shown[0])}
            return self.merged[index].many(shown, [b.end for b in due])
        rows = self._timed(leaf)
        return {shown_table(index): shown_at(rows, due[0].end) if len(due) == 1 else rows}

    def _window_number(self, leaf: Leaf) -> int:
        """The number of the query's window that a leaf sees a relation through; all equal ones show the same."""
        relation = self.split.relations[leaf.relation]
        assert isinstance(relation, Kept)
        return next(
            i
            for i, (w, stream) in enumerate(zip(self.windows, self.streams, strict=True))
            if w.window == leaf.window and stream == relation.stream
        )

    def _timed(self, leaf: Leaf) -> pa.Table:
        """All live rows that a leaf reads, knowing when they are shown."""
        names = [f.name for f in leaf.columns]
        if leaf.relation in self.pairs:
            rows = self.pairs[leaf.relation].rows
            return rows.rename_columns([*names, *rows.schema.names[len(names) :]])
        rows = self.kept[leaf.relation].rows()
        at = slices(rows)
        if isinstance(leaf, Latest):
            born, _ = shown_during(leaf.window, at)
            return rows.rename_columns([*names, SLICE]).append_column(BORN, pa.array(born))
        view = View(leaf.relation, leaf.window, leaf.columns)
        return with_times(rows, view, arrow_schema(Schema((*leaf.columns, *fields(BORN, DIES)))), at)

    def _boundaries(self, due: Sequence[Boundary]) -> pa.Table:
        ends = [b.end for b in due]
        return pa.table([pa.array(ends, field.type) for field in self.instants], schema=self.instants)

    # Rows go

    def oldest_needed(self, stream: str, boundary: int) -> list[Need]:  # noqa: ARG002
        """Of raw rows only those that wait to be absorbed."""
        return [(Axis.NUMBER, min(self.kept[number].next_row for number, _ in self._kept_of(stream)))]

    def expire(self, boundary: int) -> None:
        if boundary == self._expired:
            return
        started = perf_counter()
        self._expired = boundary
        for number, relation in enumerate(self.split.relations):
            if isinstance(relation, Kept):
                self._expire(number, relation, boundary)
            else:
                self.pairs[number].expire(boundary)
        if self._answered:
            for eagerness in self.eagerness.values():
                eagerness.answered(self._spent + perf_counter() - started, self._answered)
        self._answered = 0

    def _expire(self, number: int, relation: Kept, boundary: int) -> None:
        first = 0 if self.by_rows else -FOREVER
        windows = [w.window for w, s in zip(self.windows, self.streams, strict=True) if s == relation.stream]
        oldest = min(boundaries.oldest_needed(w, max(boundary, first)) for w in windows)
        kept = self.kept[number]
        kept.expire(oldest)
        if self._is_worth_compacting(number):
            for merging in self.merged.values():
                if merging.relation is kept:
                    merging.take_up()
            kept.compact(lambda rows: self._compact(number, rows, boundary), oldest)
            self._compacted[number] = len(kept.chunks)

    def _is_worth_compacting(self, number: int) -> bool:
        """Are there many more chunks than last time, and does combining make their rows fewer?"""
        kept, leaves = self.kept[number], self._leaves_of(number)
        few = len(kept.chunks) < max(COMPACTED_FROM, 2 * self._compacted[number])
        if few or number not in self.compacting:
            return False
        self._compacted[number] = len(kept.chunks)
        if any(isinstance(leaf, Latest) or self._grows(leaf) for leaf in leaves):
            return True
        return len(kept.chunks) > 2 * len(np.unique(slices(kept.rows())))

    def _grows(self, leaf: Leaf) -> bool:
        return leaf.window is not None and not cuts.blocks(leaf.window).slides

    def _compact(self, number: int, rows: pa.Table, boundary: int) -> pa.Table:
        """Fewer rows that give the same answers after this boundary."""
        leaf = self._leaves_of(number)[0]
        if isinstance(leaf, Latest):
            old = slices(rows) <= boundary // leaf.window.slide * leaf.window.slide
            last = self.run(self.compacting[number], {ROWS: rows.filter(pa.array(old))}).select(rows.schema.names)
            return pa.concat_tables([last, rows.filter(pa.array(~old))])
        if len({other.window for other in self._leaves_of(number)}) == 1 and self._grows(leaf):
            rows = _coarser(rows, leaf.window, boundary)
        return self.run(self.compacting[number], {ROWS: rows})

    def _leaves_of(self, number: int) -> list[Leaf]:
        return [leaf for leaf in self.split.leaves if leaf.relation == number]

    def state(self) -> Held:
        chunks = max(e.chunks for e in self.eagerness.values())
        rows = sum(k.size() for k in self.kept.values()) + sum(len(p.rows) for p in self.pairs.values())
        return Held(chunks, rows)

    def _compacting_plan(self, number: int) -> Plan | None:
        relation = self.split.relations[number]
        latest = [leaf for leaf in self._leaves_of(number) if isinstance(leaf, Latest)]
        if latest:
            window = latest[0].window
            if any(leaf.window != window for leaf in latest):
                return None
            names = dict(zip(latest[0].schema.names, (f.name for f in relation.columns), strict=True))
            return lift.last_rows_of(relation.columns, [names[k] for k in window.partition], window.count)
        if relation.combination is None:
            return None
        return merge.folding(relation.columns, relation.combination, SLICE)

    def _pairing(self, relation: Pairs) -> Pairing:
        return Pairing(relation, self._side(relation.left), self._side(relation.right), self.run)

    def _side(self, view: View) -> Side:
        if view.relation in self.kept:
            return KeptSide(view, self.kept[view.relation])
        return PairedSide(view, self.pairs[view.relation])


def _coarser(rows: pa.Table, window: WindowSpec | None, boundary: int) -> pa.Table:
    """Rows that every later boundary of their block shows become rows of the first slice that the block shows."""
    assert window is not None
    blocks, at = cuts.blocks(window), slices(rows)
    born, dies = shown_during(window, at)
    visible = born < dies
    rows, at, shown = rows.filter(pa.array(visible)), at[visible], born[visible] <= boundary
    if not shown.any():
        return rows
    begin = at[shown].min() if blocks.size is None else blocks.numbers(at) * blocks.size + blocks.offset
    if isinstance(window, Landmark) and window.since is not None:
        begin = np.maximum(begin, micros(window.since))
    index = rows.schema.get_field_index(SLICE)
    return rows.set_column(index, SLICE, pa.array(np.where(shown, begin, at)))
