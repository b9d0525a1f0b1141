"""A scan: the rows over which running combinations run, and the probes that ask for them.

Boundary number i asks at position i for what runs forward, and at position -1 - i for what runs backward. A row stands
at a position at which a probe of its group asks. Probes ask for positions as they are, or for the nodes of an aggregate
tree that cover them.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from datacell.algebra.positions import Positions
from datacell.incremental.running import GROUP, NODE, POSITION, PROBED
from datacell.runtime.windows.sliding.asked import counted

FAN = 8
"""So many nodes make a larger one. Measured: fewer make more rows of nodes, more make probes ask for more."""

_LEVEL = 40
"""Bits of a node's number below its level; positions, which are nodes of their own, are smaller."""


class Scan:
    """Rows with their groups and positions, and probes; rows are added before they are asked for."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._rows: list[pa.Table] = []
        self._probes: list[tuple[Positions, Positions, Positions]] = []

    def add(self, rows: pa.Table, group: int | Positions, position: Positions) -> None:
        if not len(rows):
            return
        groups, positions = pa.array(_spread(group, len(rows))), pa.array(position, pa.int64())
        plain = rows.select(self._schema.names)
        self._rows.append(plain.append_column(GROUP, groups).append_column(POSITION, positions))

    def ask(self, position: Positions, at: Positions, group: int | Positions) -> None:
        """Ask at these positions for what boundaries `at` show."""
        self._probes.append((position, at, _spread(group, len(position))))

    def rows(self) -> pa.Table:
        empty = self._schema.empty_table()
        for name in (GROUP, POSITION):
            empty = empty.append_column(name, pa.array([], pa.int64()))
        return pa.concat_tables([empty, *self._rows])

    def probes(self, at: pa.Field) -> pa.Table:
        positions, ends, _ = self._asked()
        return _asking(ends, positions, at)

    def tree(self, at: pa.Field) -> tuple[pa.Table, pa.Table]:
        """The larger nodes that positions are in, and probes that ask for nodes.

        Within a group, nodes of a level have the same number of positions, and a probe asks for the largest that fit
        into what it shows, then for smaller ones.
        """
        positions, ends, groups = self._asked()
        order = np.argsort(positions)
        positions, ends = positions[order], ends[order]
        first = np.searchsorted(groups[order], groups[order])
        shown = np.arange(len(positions)) - first + 1
        length = np.searchsorted(groups[order], groups[order], side="right") - first
        inside, wanted = [_NOBODY], [_NOBODY]
        level, size = 0, 1
        while size <= shown.max(initial=0):
            full = shown // size
            before = full // FAN * FAN
            who = np.repeat(np.arange(len(positions)), full - before)
            node = counted(full - before) + before[who]
            begin = first[who] + node * size
            wanted.append((ends[who], begin + (level << _LEVEL) if level else positions[begin]))
            if level:
                mine = (shown - 1) // size
                whole = (mine + 1) * size <= length
                inside.append((positions[whole], (first + mine * size)[whole] + (level << _LEVEL)))
            level, size = level + 1, size * FAN
        (asking, asked), (contained, nodes) = (
            map(np.concatenate, zip(*some, strict=True)) for some in (wanted, inside)
        )
        return pa.table({PROBED: contained, NODE: nodes}), _asking(asking, asked, at)

    def _asked(self) -> tuple[Positions, Positions, Positions]:
        """The positions at which probes ask, the boundaries they ask for, and their groups."""
        none = np.empty(0, dtype=np.int64)
        positions, ends, groups = (np.concatenate(c) for c in zip((none, none, none), *self._probes, strict=True))
        return positions, ends, groups


_NOBODY = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def backward(boundaries: Positions) -> Positions:
    """The positions at which boundaries ask for what runs backward."""
    return -1 - boundaries


def _asking(ends: Positions, probed: Positions, at: pa.Field) -> pa.Table:
    return pa.table({at.name: pa.array(ends).cast(at.type), PROBED: probed})


def _spread(group: int | Positions, count: int) -> Positions:
    return np.broadcast_to(np.asarray(group, dtype=np.int64), count)
