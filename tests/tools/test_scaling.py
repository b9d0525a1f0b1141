"""The model of more executors: its limits, what it is made of, and that it says which part saturates."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import pairwise

import pytest

from datacell.placement.homes import Home
from datacell.tools.fixed_costs import FixedCosts
from datacell.tools.scaling import (
    FIXED,
    LARGE,
    ROWS,
    SHARED,
    VOLUME,
    Batch,
    Model,
    Query,
    as_large_as_ever,
    growing,
    report,
)

RATE = 1_000_000.0
MODEL = Model(RATE)
FREE = FixedCosts(0.0, 0.0, 0.0, 0.0, 0.0)
MANY = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000)
CASES = [(VOLUME, as_large_as_ever), (VOLUME, growing), (LARGE, growing)]


@pytest.mark.parametrize("rate", [1e5, RATE, 3e6])
def test_one_executor_takes_what_was_measured(rate: float) -> None:
    assert Model(rate).throughput(VOLUME, as_large_as_ever, 1) == pytest.approx(rate)


def test_a_rate_that_leaves_no_time_for_rows_is_refused() -> None:
    with pytest.raises(ValueError, match="are fixed"):
        _ = Model(1e9).row


@pytest.mark.parametrize(("query", "batch"), CASES)
def test_the_more_executors_the_less_of_the_time_they_work(query: Query, batch: Batch) -> None:
    busy = [MODEL.busy(query, batch, executors) for executors in MANY]
    assert all(after < before for before, after in pairwise(busy))


@pytest.mark.parametrize("query", [VOLUME, LARGE])
def test_larger_batches_let_more_executors_take_more(query: Query) -> None:
    rates = [MODEL.throughput(query, growing, executors) for executors in MANY]
    assert all(after > before for before, after in pairwise(rates))


@pytest.mark.parametrize(("query", "batch"), CASES)
def test_no_number_of_executors_takes_more_than_their_cores_can(query: Query, batch: Batch) -> None:
    assert all(MODEL.throughput(query, batch, executors) < executors / MODEL.row for executors in MANY)


def test_without_fixed_costs_and_jobs_executors_add_up() -> None:
    jobs = {site: replace(costs, firing=0.0, operator=0.0) for site, costs in MODEL.units.engines.items()}
    free = Model(RATE, replace(MODEL.units, engines=jobs), FREE)
    assert free.throughput(VOLUME, growing, 1_000) == pytest.approx(1_000 * RATE, rel=0.01)


def test_the_first_step_is_between_nothing_and_twice_as_fast() -> None:
    assert 1 < MODEL.step() < 2
    assert Model(RATE / 10).step() > MODEL.step(), "the dearer a row, the less counts what is fixed"


@pytest.mark.parametrize(
    ("cost", "query", "part"),
    [
        ("micro_batch", VOLUME, "fixed"),
        ("task", VOLUME, "tasks"),
        ("file_written", LARGE, "files"),
        ("file_listed", LARGE, "files"),
        ("file_opened", LARGE, "files"),
    ],
)
def test_what_grows_is_what_saturates(cost: str, query: Query, part: str) -> None:
    dear = Model(RATE / 100, fixed=FixedCosts(**{**asdict(FIXED), cost: 10.0}))
    assert dear.saturates(query, growing, 100) == part


def test_a_slow_network_saturates_where_most_rows_are_groups_of_their_own() -> None:
    assert Model(RATE, network=1e3).saturates(LARGE, growing, 100) == "network"


def test_rows_that_come_to_the_driver_do_not_grow_with_executors() -> None:
    assert VOLUME.home is Home.DRIVER
    assert {VOLUME.to_driver(growing(executors)) for executors in MANY} == {4_000}


def test_nothing_of_what_is_kept_on_the_cluster_comes_to_the_driver() -> None:
    assert LARGE.home is Home.CLUSTER
    assert LARGE.to_driver(ROWS) == 0
    assert MODEL.parts(LARGE, ROWS, 10)["driver"] == 0


def test_alone_nothing_is_sent_over_the_network() -> None:
    assert MODEL.parts(LARGE, ROWS, 1)["network"] == 0


def test_every_part_is_reported() -> None:
    text = "\n".join(report(MODEL))
    assert all(part in text for part in MODEL.parts(VOLUME, ROWS, 1))
    assert set(SHARED) < MODEL.parts(VOLUME, ROWS, 1).keys()
