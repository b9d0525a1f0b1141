"""Steps: the rows over which combinations run, and who asks for them; as they are, or by spans that cover them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from datacell.incremental.boundaries import Positions
from datacell.incremental.merge import GROUP, MEMBER, SPAN, STEP

FAN = 8
"""So many spans make a larger one. Measured: fewer make more rows of spans, more make members ask for more."""

_LEVEL = 40
"""Bits of a span's number below its level; steps, which are spans of their own, are smaller."""


class Steps:
    """Rows with their groups and steps, and members that ask. A row is at a step at which a member of its group asks.

    Boundary number i asks at step i for what runs forward, and at step -1 - i for what runs backward.
    """

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._rows: list[pa.Table] = []
        self._members: list[tuple[Positions, Positions, Positions]] = []

    def add(self, rows: pa.Table, group: int | Positions, step: Positions) -> None:
        if not len(rows):
            return
        plain, groups = rows.select(self._schema.names), _spread(group, len(rows))
        self._rows.append(plain.append_column(GROUP, pa.array(groups)).append_column(STEP, pa.array(step, pa.int64())))

    def ask(self, step: Positions, at: Positions, group: int | Positions) -> None:
        self._members.append((step, at, _spread(group, len(step))))

    def rows(self) -> pa.Table:
        empty = self._schema.empty_table()
        for name in (GROUP, STEP):
            empty = empty.append_column(name, pa.array([], pa.int64()))
        return pa.concat_tables([empty, *self._rows])

    def members(self, at: pa.Field) -> pa.Table:
        steps, ends, _ = self._asked()
        return _asking(ends, steps, at)

    def cover(self, at: pa.Field) -> tuple[pa.Table, pa.Table]:
        """The larger spans that steps are in, and members that ask for spans.

        Within a group, spans of a level are of the same number of steps, and a member asks for the largest that fit
        into what it shows, then for smaller ones.
        """
        steps, ends, groups = self._asked()
        order = np.argsort(steps)
        steps, ends = steps[order], ends[order]
        first = np.searchsorted(groups[order], groups[order])
        shown = np.arange(len(steps)) - first + 1
        length = np.searchsorted(groups[order], groups[order], side="right") - first
        inside, wanted = [_NOBODY], [_NOBODY]
        level, size = 0, 1
        while size <= shown.max(initial=0):
            full = shown // size
            before = full // FAN * FAN
            who = np.repeat(np.arange(len(steps)), full - before)
            span = _counted(full - before) + before[who]
            begin = first[who] + span * size
            wanted.append((ends[who], begin + (level << _LEVEL) if level else steps[begin]))
            if level:
                mine = (shown - 1) // size
                whole = (mine + 1) * size <= length
                inside.append((steps[whole], (first + mine * size)[whole] + (level << _LEVEL)))
            level, size = level + 1, size * FAN
        (members, asked), (contained, spans) = (
            map(np.concatenate, zip(*some, strict=True)) for some in (wanted, inside)
        )
        return pa.table({MEMBER: contained, SPAN: spans}), _asking(members, asked, at)

    def _asked(self) -> tuple[Positions, Positions, Positions]:
        """The steps at which members ask, the boundaries they ask for, and their groups."""
        none = np.empty(0, dtype=np.int64)
        steps, ends, groups = (np.concatenate(c) for c in zip((none, none, none), *self._members, strict=True))
        return steps, ends, groups


_NOBODY = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def _asking(ends: Positions, members: Positions, at: pa.Field) -> pa.Table:
    return pa.table({at.name: pa.array(ends).cast(at.type), MEMBER: members})


def _spread(group: int | Positions, count: int) -> Positions:
    return np.broadcast_to(np.asarray(group, dtype=np.int64), count)


def _counted(counts: Positions) -> Positions:
    """0, 1, … up to each of the counts, one after the other."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
