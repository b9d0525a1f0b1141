"""Source-driven sizes: equations 1 to 3 by hand, for windows by time and by rows."""

from __future__ import annotations

import pytest

from datacell.algebra import tree
from datacell.algebra.plan import Aggregate, Filter, Join, Plan
from datacell.errors import SqlError
from datacell.placement.sizes import Sizes
from datacell.placement.statistics import Statistics, declared, together
from datacell.rewrite.rules import optimized
from sample import bind

KNOWN = Statistics(rates={"s": 200.0, "r": 50.0}, distinct={"k": 25.0, "n": 4.0})


def node(sql: str, kind: type[Plan]) -> Plan:
    """The topmost operator of a kind in a query's plan."""
    return next(n for n in tree.descendants(optimized(bind(sql)).plan) if isinstance(n, kind))


def test_a_filter_passes_its_share() -> None:
    sizes = Sizes(KNOWN)
    assert sizes.rate(node("SELECT * FROM s [NOW] WHERE n = 1", Filter)) == 200 / 4
    assert sizes.rate(node("SELECT * FROM s [NOW] WHERE n = 1 AND k = 2", Filter)) == 200 / 4 / 25
    assert sizes.rate(node("SELECT * FROM s [NOW] WHERE v > 1", Filter)) == pytest.approx(200 / 3)


@pytest.mark.parametrize(
    ("window", "rows"),
    [
        ("RANGE 10 SECONDS SLIDE 2 SECONDS", 2000),
        ("FIXED 10 SECONDS SLIDE 2 SECONDS", 1000),
        ("ROWS 300 SLIDE 10", 300),
        ("PARTITION BY k ROWS 3 SLIDE 10", 75),
        ("LANDMARK SLIDE 1 SECOND RESET EVERY 60 SECONDS", 6000),
    ],
)
def test_a_window_shows_so_many_rows(window: str, rows: float) -> None:
    found = next(iter(tree.windows(bind(f"SELECT * FROM s [{window}]").plan)))
    assert Sizes(KNOWN).rows(found) == rows


def test_a_join_meets_what_comes_with_what_is_there() -> None:
    join = node("SELECT a.v FROM s [RANGE 10 SECONDS SLIDE 1 SECOND] a JOIN r [RANGE 4 SECONDS] b ON a.k = b.k", Join)
    share = 1 / 25
    assert Sizes(KNOWN).rate(join) == pytest.approx(200 * share * 4 * 50 + 50 * share * 10 * 200)


def test_an_aggregate_gives_its_groups_at_every_slide() -> None:
    sizes = Sizes(KNOWN)
    by_time = node("SELECT k, n, count(*) AS c FROM s [RANGE 10 SECONDS SLIDE 2 SECONDS] GROUP BY k, n", Aggregate)
    by_rows = node("SELECT k, count(*) AS c FROM s [ROWS 500 SLIDE 50] GROUP BY k", Aggregate)
    of_all = node("SELECT count(*) AS c FROM s [RANGE 10 SECONDS SLIDE 2 SECONDS]", Aggregate)
    assert sizes.rate(by_time) == 0.5 * 100
    assert sizes.rate(by_rows) == 200 / 50 * 25
    assert sizes.rate(of_all) == 0.5


def test_there_are_no_more_groups_than_rows() -> None:
    few = node("SELECT k, n, count(*) AS c FROM s [ROWS 7 SLIDE 1] GROUP BY k, n", Aggregate)
    assert Sizes(KNOWN).rows(few) == 7


def test_a_stream_may_be_declared() -> None:
    one = declared("Plugs", [("format", "csv"), ("datacell.rate", "2000"), ("DataCell.Distinct.Plug", "40")])
    assert one.rate("plugs") == 2000
    assert one.values("p.PLUG") == 40
    assert together([one, declared("other", [])]).rate("other") == 1000
    with pytest.raises(SqlError, match=r"datacell\.rate"):
        declared("s", [("datacell.rate", "fast")])
