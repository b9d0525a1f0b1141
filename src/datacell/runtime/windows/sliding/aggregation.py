"""Sliding aggregation: rows whose combination is what a window shows, at one boundary or at many."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from datacell.algebra.plan import Slot
from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.tree import Key
from datacell.incremental.inputs import NodeProbes, Probes, ScanRows, ShownRows, TreeNodes
from datacell.incremental.plans import MergePlans, folded, suffixed
from datacell.runtime.plans.plans import Plans
from datacell.runtime.windows.slices import Slices
from datacell.runtime.windows.sliding.asked import OFTEN, Asked
from datacell.runtime.windows.sliding.back import Back, FullBlock
from datacell.runtime.windows.sliding.from_slices import scan_slices
from datacell.runtime.windows.sliding.front import Front
from datacell.runtime.windows.sliding.leaf import LeafRows, SlidingLeaf
from datacell.runtime.windows.sliding.pieces import Piece, where
from datacell.runtime.windows.sliding.scan import Scan, backward

FEW_BLOCKS = 2


@dataclass(frozen=True)
class ScannedLeaf:
    """What a leaf shows at many boundaries: rows that are ready, and a scan for the others."""

    leaf: SlidingLeaf
    ready: list[pa.Table]
    scan: Scan

    def rows(self) -> dict[Key, pa.Table]:
        """What is read in any shape."""
        number, at = self.leaf.number, self.leaf.at
        empty = self.leaf.nothing().append_column(at, pa.array([], at.type))
        return {ShownRows(number): pa.concat_tables([empty, *self.ready]), ScanRows(number): self.scan.rows()}

    def probes(self, slots: Set[Slot]) -> dict[Key, pa.Table]:
        """What is asked, in the shapes that a plan with these slots has; parts of it may have different ones."""
        number, at, found = self.leaf.number, self.leaf.at, dict[Key, pa.Table]()
        if Probes(number) in slots:
            found[Probes(number)] = self.scan.probes(at)
        if TreeNodes(number) in slots:
            found[TreeNodes(number)], found[NodeProbes(number)] = self.scan.tree(at)
        return found


class SlidingAggregation:
    """Front and back of a leaf over a kept relation."""

    def __init__(self, leaf: SlidingLeaf, relation: Slices, described: MergePlans, plans: Plans) -> None:
        self.leaf, self.relation = leaf, relation
        self._rows = LeafRows(leaf, relation)
        self._fold = plans.prepare(folded(leaf.number), described.fold)
        self.back = Back(leaf, self._rows, plans.prepare(suffixed(leaf.number), described.suffixes))
        self._front: Front | None = None
        self._seen = -1

    def catch_up(self) -> None:
        """Add the chunks that have come to what was made of those before. Then chunks may be combined."""
        for chunk in self.relation.after(self._seen):
            for piece, block in self._rows.by_block(chunk):
                if self._front is not None and block == self._front.block:
                    self._front.pieces.append(piece)
                self.back.add(piece, block)
        self._seen = self.relation.through

    def forget(self) -> None:
        """Make everything again from the chunks when it is asked for."""
        self._front, self._seen = None, self.relation.through
        self.back.forget()

    def _is_little(self) -> bool:
        """Is all that is kept so little that one more call would cost more than to combine it again each time?"""
        return self.relation.size() <= self._fold.little_rows

    def wait(self) -> None:
        """Until nothing is being made beside the answer."""
        if self._front is not None:
            _ = self._front.folded
        self.back.wait()

    # One boundary

    def one(self, start: int, stop: int) -> pa.Table:
        """Rows whose combination is the window's."""
        if self._is_little() and start < stop:
            self.forget()
            return pa.concat_tables([self.leaf.nothing(), *(p.rows for p in self._rows.between(start, stop))])
        self.catch_up()
        if start >= stop:
            return self.leaf.nothing()
        blocks = self.leaf.blocks
        block = blocks.number(stop - 1)
        found = []
        if blocks.slides and start < blocks.start(block):
            full = self.back.block(block - 1, start)
            suffixes = self.back.suffixes(full, full.segment_of(start))
            found += [suffixes.at(start), *(p.between(start, FOREVER).rows for p in suffixes.out_of_order)]
        front = self._front_of(block)
        shown = pa.concat_tables([*found, *front.until(stop)]).combine_chunks()
        self._go_on(front, stop, 1)
        return shown

    # Many boundaries

    def many(self, shown: Sequence[tuple[int, int]], ends: Sequence[int]) -> ScannedLeaf:
        """What the running combination reads."""
        asked, scan = Asked.of(shown, ends, self.leaf.blocks), Scan(self.leaf.schema)
        little = self._is_little()
        ready = self._at_each(asked) if little else None
        if ready is not None:
            self.forget()
            return ScannedLeaf(self.leaf, [ready], scan)
        if little or len(asked.block_numbers()) > FEW_BLOCKS:
            chunks = ((self._rows.piece(chunk).rows, chunk.slices) for chunk in self.relation.chunks)
            scan_slices(self.leaf, chunks, asked, scan)
            self.forget()
            return ScannedLeaf(self.leaf, [], scan)
        self.catch_up()
        found = [rows for block in asked.block_numbers() for rows in self._scan_block(asked, block, scan)]
        return ScannedLeaf(self.leaf, found, scan)

    def _at_each(self, asked: Asked) -> pa.Table | None:
        """All rows at each boundary that shows them; None if that is often."""
        chunks = self.relation.chunks
        at = np.concatenate([np.empty(0, dtype=np.int64), *(chunk.slices for chunk in chunks)])
        order = np.argsort(at, kind="stable")
        shown, ends = asked.shown(at[order])
        if len(shown) > OFTEN * len(at):
            return None
        rows = pa.concat_tables([self.leaf.nothing(), *(self._rows.piece(chunk).rows for chunk in chunks)])
        return rows.take(order[shown]).append_column(self.leaf.at, self.leaf.boundaries(ends))

    def _scan_block(self, asked: Asked, block: int, scan: Scan) -> list[pa.Table]:
        """What boundaries show of the block that they end in runs forward; of the one before it may be ready."""
        mine, front = asked.of_block(block), self._front_of(block)
        end = int(mine[-1]) + 1
        scan.add(front.folded, end, np.full(len(front.folded), mine[0]))
        for piece in front.pieces:
            since = np.searchsorted(asked.stops[mine], piece.at, side="right")
            seen = since < len(mine)
            scan.add(where(piece.rows, seen), end, mine[since[seen]])
        scan.ask(mine, asked.ends[mine], end)
        ready: list[pa.Table] = []
        if self.leaf.blocks.slides:
            before = mine[asked.starts[mine] < self.leaf.blocks.start(block)]
            ready = self._ready(asked, before, block - 1, scan) if len(before) else []
        self._go_on(front, int(asked.stops[mine[-1]]), len(mine))
        return ready

    def _ready(self, asked: Asked, mine: Positions, block: int, scan: Scan) -> list[pa.Table]:
        """What boundaries show of the block before theirs: few are looked up, many run backward."""
        full = self.back.block(block, int(asked.starts[mine[0]]), len(mine))
        first, last = (full.segment_of(int(asked.starts[mine[i]])) for i in (0, -1))
        if last > first:
            self._run_backward(full, last, asked, mine, scan)
            return []
        suffixes = self.back.suffixes(full, last)
        for piece in suffixes.out_of_order:
            _scan_backward(piece, asked, mine, scan)
        if suffixes.out_of_order:
            scan.ask(backward(mine), asked.ends[mine], -mine[0])
        found = [suffixes.at(start) for start in asked.starts[mine].tolist()]
        at = np.repeat(asked.ends[mine], [len(rows) for rows in found])
        return [pa.concat_tables(found).append_column(self.leaf.at, self.leaf.boundaries(at))]

    def _run_backward(self, full: FullBlock, last: int, asked: Asked, mine: Positions, scan: Scan) -> None:
        """Rows of the asked segments at their positions, and what comes after the last of them at the first one."""
        for piece in self._rows.between(int(asked.starts[mine[0]]), full.end_of(last)):
            _scan_backward(piece, asked, mine, scan)
        for rows in full.rows_after(last):
            scan.add(rows, -mine[0], np.full(len(rows), backward(mine)[-1]))
        scan.ask(backward(mine), asked.ends[mine], -mine[0])

    def _front_of(self, block: int) -> Front:
        if self._front is None or self._front.block != block:
            self._front = Front(block, self.leaf.nothing(), self._rows.of_block(block))
        return self._front

    def _go_on(self, front: Front, stop: int, asked: int) -> None:
        """Make what the next windows will need: a larger front, or the back of a block that is full."""
        blocks = self.leaf.blocks
        if blocks.size is None or stop < blocks.start(front.block + 1):
            front.fold(stop, self._fold)
        self.back.fill_ahead(front.block, asked)


def _scan_backward(piece: Piece, asked: Asked, mine: Positions, scan: Scan) -> None:
    last = np.searchsorted(asked.starts[mine], piece.at, side="right") - 1
    seen = last >= 0
    scan.add(where(piece.rows, seen), -mine[0], backward(mine[last[seen]]))
