"""The answers of a family by member: a firing is written once for all, and what is a member's is cut out of it."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from threading import Lock

import numpy as np
import pyarrow as pa

from datacell.runtime.storage.output import Firing

KEPT = 4
"""Firings whose rows stay sorted: those who take them are seldom further apart."""


class ByMember:
    """Of one output; `column` says whose a row is. Thread-safe."""

    def __init__(self, column: str) -> None:
        self._column, self._lock = column, Lock()
        self._sorted: OrderedDict[int, _Sorted] = OrderedDict()

    def firing(self, firing: Firing, member: int) -> Firing:
        """What of a firing is a member's, under the names that he knows."""
        rows = self._of(firing).rows(member)
        return replace(firing, content=rows, schema=rows.schema)

    def rows(self, rows: pa.Table, member: int) -> pa.Table:
        """What of some rows is a member's."""
        return _Sorted(rows, self._column).rows(member)

    def _of(self, firing: Firing) -> _Sorted:
        with self._lock:
            found = self._sorted.get(firing.number)
            if found is None:
                found = self._sorted[firing.number] = _Sorted(firing.rows, self._column)
                if len(self._sorted) > KEPT:
                    self._sorted.popitem(last=False)
            return found


class _Sorted:
    """Rows by member, those of one in the order in which they were."""

    def __init__(self, rows: pa.Table, column: str) -> None:
        members = np.asarray(rows[column].to_numpy(), dtype=np.int64)
        order = np.argsort(members, kind="stable")
        self._members = members[order]
        self._rows = rows.drop_columns([column]).take(pa.array(order)).combine_chunks()

    def rows(self, member: int) -> pa.Table:
        first, last = np.searchsorted(self._members, [member, member + 1])
        return self._rows.slice(int(first), int(last - first))
