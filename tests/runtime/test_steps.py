"""Members ask for spans that cover what they show: every step up to theirs once, and few of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from datacell.incremental.merge import AT, MEMBER, SPAN
from datacell.runtime.windows.steps import FAN, Steps

groups = st.lists(st.sets(st.integers(0, 300), min_size=1, max_size=120).map(sorted), min_size=1, max_size=4)


@given(groups)
@settings(deadline=None)
def test_spans_cover_what_is_shown(groups: list[list[int]]) -> None:
    steps = Steps(pa.schema([]))
    asked: dict[int, list[int]] = {}
    for number, offsets in enumerate(groups):
        mine = np.array(offsets, dtype=np.int64) + 1000 * number
        steps.ask(mine, mine * 10, int(mine[-1]) + 1)
        asked |= {int(step) * 10: mine[: i + 1].tolist() for i, step in enumerate(mine)}
    spans, members = steps.cover(pa.field(AT, pa.int64()))
    inside: dict[int, list[int]] = {}
    for row in spans.to_pylist():
        inside.setdefault(row[SPAN], []).append(row[MEMBER])
    shown: dict[int, list[int]] = {}
    wanted: dict[int, int] = {}
    for row in members.to_pylist():
        shown.setdefault(row[AT], []).extend(inside.get(row[MEMBER], [row[MEMBER]]))
        wanted[row[AT]] = wanted.get(row[AT], 0) + 1
    assert {at: sorted(found) for at, found in shown.items()} == asked
    assert max(wanted.values()) <= (FAN - 1) * 3
    assert all(len(span) in (FAN, FAN * FAN) for span in inside.values())
