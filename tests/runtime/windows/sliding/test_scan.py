"""Probes ask for nodes of the aggregate tree that make up what they show: every position up to theirs once, and few."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from datacell.incremental.merge import AT
from datacell.incremental.running import NODE, PROBED
from datacell.runtime.windows.sliding.scan import FAN, Scan

groups = st.lists(st.sets(st.integers(0, 300), min_size=1, max_size=120).map(sorted), min_size=1, max_size=4)


@given(groups)
@settings(deadline=None)
def test_nodes_make_up_what_is_shown(groups: list[list[int]]) -> None:
    scan = Scan(pa.schema([]))
    asked: dict[int, list[int]] = {}
    for number, offsets in enumerate(groups):
        mine = np.array(offsets, dtype=np.int64) + 1000 * number
        scan.ask(mine, mine * 10, int(mine[-1]) + 1)
        asked |= {int(position) * 10: mine[: i + 1].tolist() for i, position in enumerate(mine)}
    nodes, probes = scan.tree(pa.field(AT, pa.int64()))
    inside: dict[int, list[int]] = {}
    for row in nodes.to_pylist():
        inside.setdefault(row[NODE], []).append(row[PROBED])
    shown: dict[int, list[int]] = {}
    wanted: dict[int, int] = {}
    for row in probes.to_pylist():
        shown.setdefault(row[AT], []).extend(inside.get(row[PROBED], [row[PROBED]]))
        wanted[row[AT]] = wanted.get(row[AT], 0) + 1
    assert {at: sorted(found) for at, found in shown.items()} == asked
    assert max(wanted.values()) <= (FAN - 1) * 3
    assert all(len(node) in (FAN, FAN * FAN) for node in inside.values())
