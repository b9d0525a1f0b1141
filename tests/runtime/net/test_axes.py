"""Elementary intervals: every value is in one, and a member's nodes are exactly the intervals in its range."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, nan, nextafter
from random import Random

import duckdb
import pytest

from datacell.algebra.elementary import Axis, Kind, Side
from datacell.algebra.types import BIGINT, DOUBLE
from datacell.runtime.net.axes import KEPT, AxisTables, Range, generation_of, range_of

CELL = """SELECT i.interval FROM grid g, cells i WHERE i.cell = CASE WHEN v >= g.top THEN g.most
    WHEN v >= g.base THEN CAST(floor((v - g.base) * g.factor) AS BIGINT) ELSE -1 END
    AND (i.low IS NULL OR v >= i.low) AND (i.high IS NULL OR v < i.high)"""
DOUBLES = [0.0, 5e-324, 0.25, 0.3, 1.0, 1e300, -1e300, -0.5, 1.7976931348623157e308, 3.0]


@pytest.mark.parametrize("seed", range(20))
def test_a_value_is_in_one_interval_and_members_have_theirs(seed: int) -> None:
    random = Random(seed)
    axis = Axis(1, DOUBLE, (("low", Side.ABOVE), ("high", Side.UP_TO)))
    chosen = random.sample(DOUBLES, random.randint(1, len(DOUBLES)))
    members = {n: (random.choice(chosen), random.choice(chosen)) for n in range(30)}
    ranges = {n: range_of(axis, {"low": low, "high": high}) for n, (low, high) in members.items()}
    tables = AxisTables(axis)
    assert tables.reaches(ranges.values())
    around = {w for v in DOUBLES for w in (v, -v, nextafter(v, inf), nextafter(v, -inf))} | {inf, -inf, nan}
    for value in around:
        found = members_of(tables, ranges, value)
        assert found == sorted(n for n, (low, high) in members.items() if low < value <= high), value


def test_whole_numbers_have_no_next_to_them() -> None:
    axis = Axis(1, BIGINT, (("low", Side.FROM), ("high", Side.BELOW)))
    members = {n: (low, low + n) for n, low in enumerate((3, -4, 10**17, 10**17 - 2, 0))}
    ranges = {n: range_of(axis, {"low": low, "high": high}) for n, (low, high) in members.items()}
    tables = AxisTables(axis)
    tables.reaches(ranges.values())
    for value in (v + d for pair in members.values() for v in pair for d in (-1, 0, 1)):
        assert members_of(tables, ranges, value) == sorted(n for n, (a, b) in members.items() if a <= value < b), value


def test_what_was_made_before_a_member_came_is_not_seen_by_it() -> None:
    axis = Axis(1, DOUBLE, (("low", Side.FROM),))
    first, second = {1: (1.0, None)}, {1: (1.0, None), 2: (2.0, None)}
    tables = AxisTables(axis)
    assert tables.reaches(first.values())
    assert not tables.reaches(first.values())
    before = interval_of(tables, first, 5.0)
    assert tables.reaches(second.values())
    assert not AxisTables(axis, tables.saved()).reaches(second.values())
    after = interval_of(tables, second, 5.0)
    assert readers(tables, second, before) == [1]
    assert readers(tables, second, after) == [1, 2]


def test_generations_go_when_nothing_is_kept_of_them() -> None:
    axis = Axis(1, DOUBLE, (("low", Side.FROM),))
    tables = AxisTables(axis)
    ranges = [{n: (float(n), None) for n in range(count)} for count in range(1, 9)]
    intervals = [interval_of(tables, one, 0.5) for one in ranges if tables.reaches(one.values())]
    assert tables.let_go(generation_of(intervals[2]))
    assert not tables.let_go(generation_of(intervals[2]))
    again = AxisTables(axis, tables.saved())
    for one in (tables, again):
        assert [bool(readers(one, ranges[-1], interval)) for interval in intervals] == [False] * 2 + [True] * 6
    assert again.let_go(generation_of(intervals[-1]))
    assert len(again.generations) == KEPT
    assert not again.reaches(ranges[-1].values())


def members_of(tables: AxisTables, ranges: Mapping[int, Range], value: float) -> list[int]:
    return readers(tables, ranges, interval_of(tables, ranges, value))


def interval_of(tables: AxisTables, ranges: Mapping[int, Range], value: float) -> int:
    grid, cells = tables.table(Kind.GRIDS, ranges), tables.table(Kind.INTERVALS, ranges)
    kind = "DOUBLE" if tables.axis.type == DOUBLE else "BIGINT"
    with duckdb.connect() as engine:
        engine.register("grid", grid)
        engine.register("cells", cells)
        ((interval,),) = engine.execute(CELL.replace("v ", f"CAST($1 AS {kind}) "), [value]).fetchall()
    return int(interval)


def readers(tables: AxisTables, ranges: Mapping[int, Range], interval: int) -> list[int]:
    nodes, members = tables.table(Kind.NODES, ranges), tables.table(Kind.RANGES, ranges)
    with duckdb.connect() as engine:
        engine.register("nodes", nodes)
        engine.register("members", members)
        asked = "SELECT number FROM nodes JOIN members USING (node) WHERE interval = $1 ORDER BY number"
        return [int(number) for (number,) in engine.execute(asked, [interval]).fetchall()]
