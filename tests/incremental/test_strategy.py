"""`auto` re-evaluates where that is cheaper, and says why."""

from __future__ import annotations

import pytest

from datacell.incremental.strategy import TINY, Strategy, choose
from datacell.placement.operators import Site
from datacell.placement.shapes import tiny_joined
from datacell.rewrite.rules import optimized
from sample import bind

GROUPED = "SELECT k, sum(n) AS n FROM s [ROWS {rows} SLIDE 100] GROUP BY k"
JOINED = "SELECT sum(n + x) AS n FROM s [ROWS {rows} SLIDE 100], r [ROWS {rows} SLIDE 100] WHERE s.k = r.k"
TIMED = (
    "SELECT sum(n + x) AS n FROM s [RANGE 1 SECOND SLIDE 1 SECOND], r [RANGE 1 SECOND SLIDE 1 SECOND] WHERE s.k = r.k"
)


@pytest.mark.parametrize(
    ("text", "rows", "on_spark", "expected"),
    [
        (GROUPED, TINY, False, Strategy.REEVALUATE),
        (GROUPED, TINY + 1, False, Strategy.INCREMENTAL),
        (GROUPED, TINY + 1, True, Strategy.INCREMENTAL),
        (JOINED, TINY + 1, False, Strategy.INCREMENTAL),
        (JOINED, tiny_joined(Site.SPARK), True, Strategy.REEVALUATE),
        (JOINED, tiny_joined(Site.SPARK) + 1, True, Strategy.INCREMENTAL),
        (TIMED, 0, True, Strategy.INCREMENTAL),
    ],
)
def test_auto_goes_by_what_was_measured(text: str, rows: int, on_spark: bool, expected: Strategy) -> None:
    split, why = choose(
        optimized(bind(text.format(rows=rows))), tiny_joined=tiny_joined(Site.SPARK if on_spark else None)
    )
    assert (split is None) == (expected is Strategy.REEVALUATE)
    assert ("cheaper" in why) == (expected is Strategy.REEVALUATE)
