"""Merging at work: which rows of a kept relation a window shows, as few of them as possible.

A window is the end of one block and the beginning of the next. Of the present block there is the *front*, the
combination of all that was shown so far, and the rows since. The block before is full. The places where a window may
still begin in it are grouped in *stretches*: for each stretch there is the combination of all that comes after it, and
for the present stretch there are the *suffixes*, one combination for each place. So no slide has to wait until those
of a whole block are made. All of it is made from the slices and can be made again: it is not saved.

With many boundaries at once the combinations run over the boundaries; over more than two blocks they run over the
slices themselves, which then costs no more than the boundaries do.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from math import ceil, isqrt

import numpy as np
import pyarrow as pa

from datacell.algebra.schema import Field
from datacell.algebra.types import BIGINT
from datacell.algebra.window import Landmark, micros
from datacell.engines.arrow import arrow_schema, arrow_type
from datacell.incremental import cuts, merge
from datacell.incremental.boundaries import FOREVER, Positions
from datacell.incremental.merge import AT, ROWS, members_table, shown_table, spans_table, steps_table
from datacell.incremental.relations import SLICE, Shown
from datacell.runtime.evaluation import Runner
from datacell.runtime.windows.pieces import Piece, joined, where
from datacell.runtime.windows.slices import Chunk, Slices
from datacell.runtime.windows.steps import Steps

FEW_BLOCKS, MOST_PIECES = 2, 8
_BESIDE = ThreadPoolExecutor(1, "beside")


@dataclass
class _Front:
    """The present block: what was folded, or is being folded, and rows that were not yet."""

    block: int
    _folded: pa.Table | Future[pa.Table]
    pieces: list[Piece]

    @property
    def folded(self) -> pa.Table:
        if isinstance(self._folded, Future):
            self._folded = self._folded.result()
        return self._folded

    def fold(self, folding: Future[pa.Table], later: list[Piece]) -> None:
        self._folded, self.pieces = folding, later


@dataclass
class _Full:
    """A full block: where windows may begin in it, and for each stretch of these places what comes after it, combined.

    Rows that came when that had been made are stragglers.
    """

    block: int
    starts: Positions
    stretch: int
    _after: list[pa.Table] | Future[list[pa.Table]]
    stragglers: list[Piece] = field(default_factory=list)

    @property
    def after(self) -> list[pa.Table]:
        if isinstance(self._after, Future):
            self._after = self._after.result()
        return self._after

    def stretch_of(self, start: int) -> int:
        index = int(np.searchsorted(self.starts, start))
        assert self.starts[index] == start, "a window begins where none was expected"
        return index // self.stretch

    def starts_of(self, stretch: int) -> Positions:
        return self.starts[stretch * self.stretch : (stretch + 1) * self.stretch]


@dataclass
class _Suffixes:
    """A stretch of a full block: for each start all rows from there on, combined; and stragglers."""

    block: int
    starts: Positions
    ends: Positions
    rows: pa.Table
    stragglers: list[Piece] = field(default_factory=list)

    def at(self, start: int) -> pa.Table:
        index = int(np.searchsorted(self.starts, start))
        begin = int(self.ends[index - 1]) if index else 0
        return self.rows.slice(begin, int(self.ends[index]) - begin)


class Merging:
    """What a leaf shows of a kept relation with combinable rows."""

    def __init__(
        self, leaf: Shown, number: int, relation: Slices, slides: Sequence[int], time: Field, run: Runner
    ) -> None:
        assert leaf.combination is not None
        assert leaf.window is not None
        self.leaf, self.number, self.relation, self.slides, self.time = leaf, number, relation, slides, time
        self.window = leaf.window
        self.run, self.worth, self.covers = run, run.engine.call_worth, run.engine.covers
        self.blocks = cuts.blocks(self.window)
        self.since = micros(leaf.window.since) if isinstance(leaf.window, Landmark) and leaf.window.since else None
        self.schema = arrow_schema(leaf.schema)
        self.folding = merge.folding(leaf.columns, leaf.combination)
        self.suffixing = merge.running(leaf.columns, leaf.combination, 0, Field(AT, BIGINT), folds=True)
        self._front: _Front | None = None
        self._full: _Full | None = None
        self._next_full: _Full | None = None
        self._suffixes: _Suffixes | None = None
        self._seen = -1

    # One boundary

    def one(self, start: int, stop: int) -> pa.Table:
        """Rows whose combination is the window's."""
        self.take_up()
        if start >= stop:
            return self.schema.empty_table()
        block = self.blocks.number(stop - 1)
        found = []
        if self.blocks.slides and start < self.blocks.start(block):
            full = self._full_block(block - 1, start)
            suffixes = self._suffixes_of(full, full.stretch_of(start))
            found += [suffixes.at(start), *(p.between(start, FOREVER).rows for p in suffixes.stragglers)]
        front = self._front_of(block)
        found += [front.folded, *(p.between(-FOREVER, stop).rows for p in front.pieces)]
        shown = pa.concat_tables(found).combine_chunks()
        self._fold(front, stop)
        self._fill_ahead(block, 1)
        return shown

    # Many boundaries

    def many(self, shown: Sequence[tuple[int, int]], ends: Sequence[int]) -> dict[str, pa.Table]:
        """The inputs of the running combination: rows with their steps, members, and rows that are ready."""
        self.take_up()
        starts, stops = (np.array(side, dtype=np.int64) for side in zip(*shown, strict=True))
        numbers = self.blocks.numbers(stops - 1)
        asked = _Asked(starts, stops, numbers, np.flatnonzero(starts < stops), np.array(ends, dtype=np.int64))
        steps = Steps(self.schema)
        if len(np.unique(numbers[asked.valid])) > FEW_BLOCKS:
            self._from_slices(asked, steps)
            ready: list[pa.Table] = []
        else:
            ready = self._from_front(asked, steps)
        at = pa.field(AT, arrow_type(self.time.type))
        empty = self.schema.empty_table().append_column(at, pa.array([], at.type))
        inputs = {shown_table(self.number): pa.concat_tables([empty, *ready]), steps_table(self.number): steps.rows()}
        if not self.covers:
            return inputs | {members_table(self.number): steps.members(at)}
        spans, members = steps.cover(at)
        return inputs | {spans_table(self.number): spans, members_table(self.number): members}

    def _from_front(self, asked: _Asked, steps: Steps) -> list[pa.Table]:
        ready = []
        for block in np.unique(asked.blocks[asked.valid]).tolist():
            mine = asked.valid[asked.blocks[asked.valid] == block]
            front = self._front_of(block)
            end = int(mine[-1]) + 1
            steps.add(front.folded, end, np.full(len(front.folded), mine[0]))
            for piece in front.pieces:
                born = np.searchsorted(asked.stops[mine], piece.at, side="right")
                seen = born < len(mine)
                steps.add(where(piece.rows, seen), end, mine[born[seen]])
            steps.ask(mine, asked.ends[mine], end)
            if self.blocks.slides:
                ready += self._ready(asked, mine[asked.starts[mine] < self.blocks.start(block)], block - 1, steps)
            self._fold(front, int(asked.stops[mine[-1]]))
            self._fill_ahead(block, len(mine))
        return ready

    def _ready(self, asked: _Asked, mine: Positions, block: int, steps: Steps) -> list[pa.Table]:
        """What boundaries show of the block before theirs: few are looked up, many run backward."""
        if not len(mine):
            return []
        full = self._full_block(block, int(asked.starts[mine[0]]), len(mine))
        first, last = (full.stretch_of(int(asked.starts[mine[i]])) for i in (0, -1))
        if last > first:
            self._run_backward(full, last, asked, mine, steps)
            return []
        suffixes = self._suffixes_of(full, last)
        for piece in suffixes.stragglers:
            self._backward(piece, asked, mine, steps)
        if suffixes.stragglers:
            steps.ask(_back(mine), asked.ends[mine], -mine[0])
        found = [suffixes.at(start) for start in asked.starts[mine].tolist()]
        at = np.repeat(asked.ends[mine], [len(rows) for rows in found])
        kind = arrow_type(self.time.type)
        return [pa.concat_tables(found).append_column(AT, pa.array(at, pa.int64()).cast(kind))]

    def _run_backward(self, full: _Full, last: int, asked: _Asked, mine: Positions, steps: Steps) -> None:
        """Rows of the asked stretches at their steps, and what comes after the last of them at the first step."""
        for piece in self._between(int(asked.starts[mine[0]]), self._end(full, last)):
            self._backward(piece, asked, mine, steps)
        for rows in self._after(full, last):
            steps.add(rows, -mine[0], np.full(len(rows), _back(mine)[-1]))
        steps.ask(_back(mine), asked.ends[mine], -mine[0])

    def _backward(self, piece: Piece, asked: _Asked, mine: Positions, steps: Steps) -> None:
        last = np.searchsorted(asked.starts[mine], piece.at, side="right") - 1
        seen = last >= 0
        steps.add(where(piece.rows, seen), -mine[0], _back(mine[last[seen]]))

    def _from_slices(self, asked: _Asked, steps: Steps) -> None:
        """Forward within the block of each boundary, backward within the block before it."""
        valid = asked.valid
        starts, stops, blocks = asked.starts[valid], asked.stops[valid], asked.blocks[valid]
        begins = np.array([self.blocks.start(int(b)) for b in blocks], dtype=np.int64)
        before = valid[starts < begins] if self.blocks.slides else valid[:0]
        for chunk in self.relation.chunks:
            rows, at = self._piece(chunk).rows, chunk.slices
            own = self.blocks.numbers(at)
            born = np.searchsorted(stops, at, side="right")
            inside = born < len(valid)
            inside[inside] = blocks[born[inside]] == own[inside]
            inside &= at >= starts[0]
            ends = valid[np.searchsorted(blocks, own[inside], side="right") - 1] + 1
            steps.add(where(rows, inside), ends, valid[born[inside]])
            if len(before):
                last = np.searchsorted(asked.starts[before], at, side="right") - 1
                inside = last >= 0
                inside[inside] = asked.blocks[before[last[inside]]] - 1 == own[inside]
                ends = -before[np.searchsorted(asked.blocks[before] - 1, own[inside])]
                steps.add(where(rows, inside), ends, _back(before[last[inside]]))
        steps.ask(valid, asked.ends[valid], valid[np.searchsorted(blocks, blocks, side="right") - 1] + 1)
        steps.ask(
            _back(before), asked.ends[before], -before[np.searchsorted(asked.blocks[before], asked.blocks[before])]
        )
        self._forget()

    # State

    def wait(self) -> None:
        """Until nothing is being made beside the answer."""
        if self._front is not None:
            _ = self._front.folded
        if self._next_full is not None:
            _ = self._next_full.after

    def _forget(self) -> None:
        """Make front and suffixes anew when they are asked for."""
        self._front = self._full = self._next_full = self._suffixes = None
        self._seen = self.relation.through

    def take_up(self) -> None:
        """Add the chunks that have come to what was made of those before. Then chunks may be combined."""
        for chunk in self.relation.after(self._seen):
            for piece, block in self._by_block(chunk):
                if self._front is not None and block == self._front.block:
                    self._front.pieces.append(piece)
                for full in (self._full, self._next_full, self._suffixes):
                    if full is not None and block == full.block:
                        full.stragglers.append(piece)
        self._seen = self.relation.through

    def _by_block(self, chunk: Chunk) -> list[tuple[Piece, int]]:
        piece = self._piece(chunk)
        if self.since is not None:
            piece = piece.between(self.since, FOREVER)
        if not len(piece):
            return []
        first, last = self.blocks.number(piece.oldest), self.blocks.number(piece.latest)
        if first == last:
            return [(piece, first)]
        numbers = self.blocks.numbers(piece.at)
        return [(piece.where(numbers == k), k) for k in np.unique(numbers).tolist()]

    def _of_block(self, block: int) -> list[Piece]:
        return [piece for chunk in self.relation.chunks for piece, number in self._by_block(chunk) if number == block]

    def _front_of(self, block: int) -> _Front:
        if self._front is None or self._front.block != block:
            self._front = _Front(block, self.schema.empty_table(), self._of_block(block))
        return self._front

    def _fold(self, front: _Front, stop: int) -> None:
        """Combine what every later window shows, once it is worth a call; it is done while the answer is."""
        if self.blocks.size is not None and stop >= self.blocks.start(front.block + 1):
            return
        if len(front.pieces) > MOST_PIECES:
            front.pieces = [joined(front.pieces)]
        if sum(map(len, front.pieces)) <= max(self.worth, 4 * len(front.folded)):
            return
        older = [p.between(-FOREVER, stop) for p in front.pieces]
        if sum(map(len, older)) <= self.worth:
            return
        inputs = {ROWS: pa.concat_tables([front.folded, *(p.rows for p in older)])}
        later = [p.between(stop, FOREVER) for p in front.pieces]
        front.fold(_BESIDE.submit(self.run, self.folding, inputs), [p for p in later if len(p)])

    def _full_block(self, block: int, start: int, asked: int = 1) -> _Full:
        if self._next_full is not None and self._next_full.block == block:
            self._full, self._next_full, self._suffixes = self._next_full, None, None
        if self._full is None or self._full.block != block or start < self._full.starts[0]:
            self._full, self._suffixes = self._filled(block, start, asked), None
        return self._full

    def _fill_ahead(self, block: int, asked: int) -> None:
        """Once the last slice of a block has come, its stretches will be asked for: make them beside the answer."""
        made = self._next_full or self._full
        if not self.blocks.slides or (made is not None and made.block >= block):
            return
        if any(c.latest >= self.blocks.start(block + 1) - self.slides[0] for c in self.relation.chunks[-1:]):
            filled = self._filled(block, self.blocks.start(block), asked)
            self._next_full = filled if len(filled.starts) else None

    def _filled(self, block: int, start: int, asked: int) -> _Full:
        """Equal stretches: as many starts in each as there are; or as are worth a call, if few are asked at once."""
        end = self.blocks.start(block + 1)
        starts = np.array(cuts.starts(self.window, self.slides, start - 1, end), dtype=np.int64)
        pieces = self._between(start, end)
        stretch = max(1, isqrt(len(starts)))
        if asked <= stretch:
            stretch = max(stretch, len(starts) * self.worth // max(1, sum(map(len, pieces))))
        stretch = max(1, ceil(len(starts) / max(1, len(starts) // stretch)))
        firsts = starts[stretch::stretch]
        if not len(firsts):
            return _Full(block, starts, stretch, [self.schema.empty_table()])
        return _Full(block, starts, stretch, _BESIDE.submit(self._afters, pieces, firsts))

    def _afters(self, pieces: list[Piece], firsts: Positions) -> list[pa.Table]:
        """For each stretch, which the next one's first start ends, what comes after it."""
        runs = self._suffixed(pieces, firsts)
        return [*(runs.at(first) for first in firsts.tolist()), self.schema.empty_table()]

    def _suffixes_of(self, full: _Full, stretch: int) -> _Suffixes:
        starts = full.starts_of(stretch)
        if self._suffixes is None or self._suffixes.block != full.block or self._suffixes.starts[0] != starts[0]:
            pieces = self._between(int(starts[0]), self._end(full, stretch))
            self._suffixes = self._suffixed(pieces, starts, self._after(full, stretch), full.block)
        return self._suffixes

    def _suffixed(
        self, pieces: list[Piece], starts: Positions, after: Sequence[pa.Table] = (), block: int = 0
    ) -> _Suffixes:
        """For each start the rows from there on, combined."""
        steps = Steps(self.schema)
        asked = _Asked(starts, starts, starts, np.arange(len(starts)), starts)
        for piece in pieces:
            self._backward(piece, asked, asked.valid, steps)
        for rows in after:
            steps.add(rows, 0, np.full(len(rows), -len(starts)))
        steps.ask(_back(asked.valid), starts, 0)
        made = self.run(
            self.suffixing, {steps_table(0): steps.rows(), members_table(0): steps.members(pa.field(AT, pa.int64()))}
        )
        at = np.asarray(made[AT].to_numpy(), dtype=np.int64)
        order = np.argsort(at, kind="stable")
        rows = made.drop_columns([AT]).take(pa.array(order)).combine_chunks()
        return _Suffixes(block, starts, np.searchsorted(at[order], starts, side="right"), rows)

    def _end(self, full: _Full, stretch: int) -> int:
        """Where a stretch ends: at the first start of the next one, or with its block."""
        later = full.starts[(stretch + 1) * full.stretch :]
        return int(later[0]) if len(later) else self.blocks.start(full.block + 1)

    def _after(self, full: _Full, stretch: int) -> list[pa.Table]:
        """What comes after a stretch, within its block."""
        end = self._end(full, stretch)
        return [full.after[stretch], *(p.between(end, FOREVER).rows for p in full.stragglers)]

    def _between(self, start: int, stop: int) -> list[Piece]:
        """The rows of the slices from one position to another."""
        live = [c for c in self.relation.chunks if c.latest >= start and c.oldest < stop]
        found = [self._piece(chunk).between(start, stop) for chunk in live]
        return [piece for piece in found if len(piece)]

    def _piece(self, chunk: Chunk) -> Piece:
        """The chunk's rows under the leaf's names."""
        rows = chunk.rows.drop_columns([SLICE]).rename_columns(self.schema.names)
        return Piece(rows, chunk.rows[SLICE], chunk.oldest, chunk.latest)


@dataclass(frozen=True)
class _Asked:
    """Boundaries: what the window shows there, its block, which of them show something at all, and when they are."""

    starts: Positions
    stops: Positions
    blocks: Positions
    valid: Positions
    ends: Positions


def _back(boundaries: Positions) -> Positions:
    """The steps at which boundaries ask for what runs backward."""
    return -1 - boundaries
