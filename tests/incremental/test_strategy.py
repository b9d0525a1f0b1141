"""`auto` re-evaluates where that is cheaper, and says why."""

from __future__ import annotations

import pytest

from datacell.incremental.strategy import TINY, TINY_JOINED_ON_SPARK, Strategy, choose
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
        (JOINED, TINY_JOINED_ON_SPARK, True, Strategy.REEVALUATE),
        (JOINED, TINY_JOINED_ON_SPARK + 1, True, Strategy.INCREMENTAL),
        (TIMED, 0, True, Strategy.INCREMENTAL),
    ],
)
def test_auto_goes_by_what_was_measured(text: str, rows: int, on_spark: bool, expected: Strategy) -> None:
    plans = choose(optimized(bind(text.format(rows=rows))), on_spark=on_spark)
    assert plans.strategy is expected
    assert ("cheaper" in plans.why) == (expected is Strategy.REEVALUATE)
