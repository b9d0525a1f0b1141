"""A metered aggregate makes what the plain one makes, and tells of how many rows, which slices, up to which time."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from datacell.compile import Setting, compile
from datacell.compile.evaluation import AtBoundaries
from datacell.engines.protocol import run_once
from datacell.incremental.inputs import TIME, BasketRows
from datacell.incremental.metered import PASSES, metered
from datacell.incremental.plans import Incremental
from datacell.incremental.relations import SLICE, Kept
from datacell.incremental.strategy import Strategy
from datacell.receptors.first_stage import Metrics, _apart
from datacell.runtime.streams.first_stage import NO_TIME
from sample import bind, engine

WINDOW = "[RANGE 4 SECONDS SLIDE 2 SECONDS]"
AGGREGATES = [
    f"SELECT k, count(*) AS c, sum(v) AS t, max(n) AS m FROM s {WINDOW} GROUP BY k",
    f"SELECT k, count(*) AS c FROM s {WINDOW} WHERE n > 0 GROUP BY k",
    f"SELECT k, avg(v) AS a FROM s {WINDOW} WHERE n > 0 AND v < 9 GROUP BY k",
    f"SELECT count(*) AS c, min(v) AS m FROM s {WINDOW} WHERE n > 0",
    f"SELECT count(*) AS c FROM s {WINDOW}",
    f"SELECT count(v) AS c FROM s {WINDOW} WHERE false",
    f"SELECT k + 1 AS j, n IS NULL AS e, max_by(v, ts) AS v FROM s {WINDOW} WHERE v > 0 OR k IS NULL GROUP BY 1, 2",
    f"SELECT k, n FROM s {WINDOW} WHERE v > 0 GROUP BY k, n",
    f"SELECT count(DISTINCT n) AS d FROM s {WINDOW} WHERE k = 1",
]
ROWS: list[tuple[float | None, int | None, float | None, int | None, bool]] = [
    (0.5, 1, 1.0, 1, True),
    (0.7, None, 2.0, 1, True),  # a NULL key that passes, beside those that have none because they do not
    (0.9, None, 2.0, 0, True),
    (1.0, 1, 3.0, None, True),  # a filter that is NULL
    (2.5, 2, None, None, True),  # a slice of which nothing passes n > 0
    (4.5, 2, 9.0, 2, True),
    (4.75, 2, -9.0, 2, True),
    (5.5, 1, 5.0, 7, False),  # rejected: it has neither slice nor time, though it may be the latest
    (0.1, None, 5.0, 7, False),
]


def kept(text: str) -> Kept:
    """The one relation that a query keeps of its stream."""
    evaluation = compile(bind(text), Setting(strategy=Strategy.INCREMENTAL)).evaluation
    assert isinstance(evaluation, AtBoundaries)
    assert isinstance(evaluation.plans, Incremental)
    (relation,) = evaluation.plans.split.relations
    assert isinstance(relation, Kept)
    return relation


def basket(relation: Kept, rows: list[Any]) -> pa.Table:
    """Rows as the first stage hands them to a metered plan."""
    assert relation.cuts is not None
    times = [round(row[0] * 1e6) if row[4] else None for row in rows]
    columns = {
        "ts": pa.array([round(row[0] * 1e6) for row in rows], pa.timestamp("us", tz="UTC")),
        "k": pa.array([row[1] for row in rows], pa.int32()),
        "v": pa.array([row[2] for row in rows], pa.float64()),
        "n": pa.array([row[3] for row in rows], pa.int32()),
        SLICE: pa.array([None if t is None else relation.cuts.slice(t) for t in times], pa.int64()),
        PASSES: pa.array([row[4] for row in rows], pa.bool_()),
        TIME: pa.array(times, pa.int64()),
    }
    return pa.table(columns)


def groups(text: str, rows: list[Any]) -> pa.Table:
    """What the metered plan gives."""
    relation = kept(text)
    plan = metered(relation.plan)
    assert plan is not None
    return run_once(engine(), plan, {BasketRows("s"): basket(relation, rows)})


def run(text: str, rows: list[Any]) -> tuple[Metrics, list[Any], list[int], list[Any]]:
    """What is counted, made and occupied; and what the plain plan makes of the rows that were not rejected."""
    relation = kept(text)
    metrics, made = _apart(groups(text, rows))
    inside = [row for row in rows if row[4]]
    expected = run_once(engine(), relation.plan, {BasketRows("s"): basket(relation, inside)})
    assert isinstance(made.rows, pa.Table)
    assert made.rows.column_names == expected.column_names
    return metrics, _sorted(made.rows), made.occupied.tolist(), _sorted(expected)


@pytest.mark.parametrize("text", AGGREGATES)
def test_it_makes_what_the_plain_plan_makes_and_counts_all_rows(text: str) -> None:
    metrics, made, occupied, expected = run(text, ROWS)
    assert made == expected
    assert occupied == [0, 2_000_000, 4_000_000], "also slices of which no row passes the filter"
    assert metrics == Metrics(7, 2, 0, 4_750_000)


@pytest.mark.parametrize("text", AGGREGATES)
def test_batches_without_a_row_that_enters(text: str) -> None:
    none = Metrics(0, 0, *NO_TIME)
    assert run(text, []) == (none, [], [], [])
    assert run(text, ROWS[-2:]) == (Metrics(0, 2, *NO_TIME), [], [], [])


def test_a_group_of_null_and_rows_without_a_key_stay_apart() -> None:
    _, made, _, _ = run(AGGREGATES[1], ROWS)
    assert made == [(None, 0, 1), (1, 0, 1), (2, 4_000_000, 2)]


def test_what_does_not_pass_is_one_group_for_each_slice_and_what_is_rejected_one_more() -> None:
    assert len(groups(AGGREGATES[1], ROWS)) == 3 + 2 + 1


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT k, v FROM s {WINDOW} WHERE v > 1",
        f"SELECT s.k, count(*) AS c FROM s {WINDOW} JOIN f ON s.k = f.k GROUP BY s.k",
    ],
)
def test_what_is_no_aggregate_of_rows_as_they_come_is_not_metered(text: str) -> None:
    assert metered(kept(text).plan) is None


def _sorted(table: pa.Table) -> list[Any]:
    rows = (tuple(row.values()) for row in table.to_pylist())
    return sorted(rows, key=lambda row: [(v is not None, str(v)) for v in row])
