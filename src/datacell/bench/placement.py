"""Which placement sustains the most rows per second: the chosen one, the pure ones, and others.

CQ1 to CQ6 first: one net per query, filled with a whole window; then each placement in turn drains a backlog of further
batches. What is kept is in no engine, so placements take over from each other. Each has a turn; those that came near
the best have more turns, forth and back, and the best one counts: what ran before leaves its traces. Placements that
come out the same for every plan are one, however they were found. Rows come as Arrow tables: sources, the same for all,
are left out. Every query has the same share of the time: when it is over, further placements and turns are left out.

Then an aggregate over a grid of rates and numbers of keys, with its sources (`grid`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from statistics import median

import pyarrow as pa

from datacell.bench import grid
from datacell.bench.bed import Bed
from datacell.bench.effort import Effort
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.bench.smart_plugs import STREAM, known, queries
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine
from datacell.engines.spark import SparkEngine
from datacell.incremental.strategy import Strategy
from datacell.placement import unit_costs
from datacell.placement.costs import UnitCosts
from datacell.placement.operators import Operator, Site, in_post_order
from datacell.runtime.plans.observed import Observed
from datacell.runtime.plans.placements import Placements
from datacell.runtime.plans.plans import Plans
from datacell.runtime.plans.policy import Alone, ByCost, Policy
from datacell.tools import plugs

HEADLINE = (
    "worst_of_best",
    "cq1_over_spark",
    "cq2_over_spark",
    "worst_over_slower_pure",
    "median_error_factor",
    *grid.HEADLINE,
)
HOUSES, WINDOW = 20, 300
BATCH = 10
"""Seconds of data in a batch of the backlog: so many boundaries in a firing."""
ENOUGH = 1.5
"""Seconds: a turn is as many batches as take that long."""
NEAR, FAR = 0.5, 0.2
"""Those that reach this part of the best have more turns; one that does not reach this part is not measured better."""
PURE = ("spark", "duckdb")
COUNTED = ("chosen", *PURE)
"""What the headline is about."""


@dataclass(frozen=True)
class Bounds:
    """The queries, how many other placements are drawn, and how many more turns those near the best have.

    Then the grid, and the seconds that are left for it.
    """

    queries: tuple[str, ...]
    others: int
    turns: int
    grid: grid.Bounds
    grid_seconds: float


BOUNDS = {
    Effort.FULL: Bounds(
        ("cq1", "cq2", "cq3", "cq4", "cq5", "cq6"),
        others=6,
        turns=2,
        grid=grid.Bounds({2_000: 10, 20_000: 10, 200_000: 8, 1_000_000: 5}, (10, 1_000, 100_000), turns=3),
        grid_seconds=290.0,
    ),
    # A batch takes all of Spark ten seconds: there is time for the two queries that the headline names.
    Effort.QUICK: Bounds(
        ("cq1", "cq2"),
        others=3,
        turns=1,
        grid=grid.Bounds({2_000: 4, 500_000: 3}, (1_000,), turns=1),
        grid_seconds=35.0,
    ),
}
Row = tuple[object, ...]


class Drawn:
    """Some placement, the same whenever it is asked for the same plan."""

    looks_again = False

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)

    def sites(self, root: Operator, units: UnitCosts) -> tuple[Site, ...]:  # noqa: ARG002 - whatever it costs
        order = list(in_post_order(root))
        pure = self.chance.choice([Site.DUCKDB, Site.DUCKDB, Site.SPARK, None, None])
        return tuple(
            pure if pure in o.sites and pure is not None else self.chance.choice(sorted(o.sites, key=str))
            for o in order
        )


def run(effort: Effort, progress: Progress) -> Report:
    """Rows per second in steady state."""
    bounds = BOUNDS[effort]
    progress.say("starting Spark")
    spark, duckdb = SparkEngine(), DuckDBEngine()
    rows: list[Row] = []
    found: dict[str, dict[str, float]] = {}
    errors: list[float] = []
    try:
        for number, name in enumerate(bounds.queries):
            share = (progress.left - bounds.grid_seconds) / (len(bounds.queries) - number)
            rates, seen = _measured(name, (spark, duckdb), bounds, progress, progress.left - share)
            found[name] = rates
            errors += [_factor(one) for one in seen]
            rows += [(name, placement, rate) for placement, rate in rates.items()]
        points = grid.measure(bounds.grid, spark.session, progress)
    finally:
        duckdb.close()
        spark.close()
    return _report([*rows, *grid.rows(points)], found, errors, grid.headline(points))


def _report(
    rows: list[Row], found: dict[str, dict[str, float]], errors: list[float], on_grid: dict[str, float]
) -> Report:
    shares = {name: rates["chosen"] / max(rates.values()) for name, rates in found.items()}
    over_spark = {name: rates["chosen"] / rates["spark"] for name, rates in found.items()}
    headline = {
        "worst_of_best": min(shares.values()),
        **{f"{name}_over_spark": over_spark[name] for name in ("cq1", "cq2")},
        "worst_over_slower_pure": min(r["chosen"] / min(r[p] for p in PURE) for r in found.values()),
        "median_error_factor": median(errors) if errors else 0.0,
        **on_grid,
    }
    kinds = {
        "other": sorted({p for rates in found.values() for p in rates if p.startswith("other")}),
        **{p: [p] for p in PURE},
        "chosen": ["chosen"],
    }
    series = {
        kind: [(number, rates[p]) for number, rates in enumerate(found.values(), 1) for p in placements if p in rates]
        for kind, placements in kinds.items()
    }
    plot = Plot("5 minutes every second", series, "CQ", "rows per second", log_y=True, is_loose=True)
    return Report("placement", headline, ("query", "placement", "rows/s"), rows, plot=plot)


@dataclass
class _Contest:
    """Placements of a query that take turns in its net."""

    name: str
    bed: Bed
    batches: Iterator[pa.Table]
    placings: Mapping[str, Placements]
    progress: Progress
    rates: dict[str, float] = field(default_factory=dict)

    def hold(self, more_turns: int, leaving: float) -> None:
        """A turn of each, then more of those near the best; those that the headline is about have one in any case."""
        placements = list(self.placings)
        for number in self.progress.turns(len(placements), len(COUNTED), leaving):
            self._turn(placements[number])
        near = [p for p, rate in self.rates.items() if rate >= NEAR * max(self.rates.values())]
        for number in self.progress.turns(more_turns, 0, leaving):
            for placement in near if number % 2 else near[::-1]:
                self._turn(placement)

    def _turn(self, placement: str) -> None:
        self.bed.factory.plans.placements = self.placings[placement]
        enough = 0.0 if placement in COUNTED else FAR * max(self.rates.values())
        rate = _rate(self.bed, self.batches, enough)
        self.rates[placement] = max(self.rates.get(placement, 0.0), rate)
        self.progress.say(f"{self.name}, placement {placement}: {rate:,.0f} rows/s")

    def best(self) -> dict[str, float]:
        """Rows per second, the same for placements that came out the same."""
        sites = {
            placement: {name: placed.sites for name, placed in self.placings[placement].placed.items()}
            for placement in self.rates
        }
        return {one: max(self.rates[p] for p in self.rates if sites[p] == sites[one]) for one in self.rates}


def _measured(
    name: str, engines: tuple[Engine, Engine], bounds: Bounds, progress: Progress, leaving: float
) -> tuple[dict[str, float], list[Observed]]:
    """Rows per second of every placement, and the fragments of those that are chosen or pure."""
    progress.say(f"{name}: filling the window")
    batches = _batches()
    spark, duckdb = engines
    text = queries()[name].query.text
    both = {Site.SPARK: spark, Site.DUCKDB: duckdb}
    plans = Plans(name, both, Placements(Alone(Site.DUCKDB)), spark)
    with Bed(duckdb, STREAM, text, Strategy.AUTO, plans=plans) as bed:
        rate = _fill(bed, batches)
        units, facts = unit_costs.load(), known(rate, HOUSES)
        policies: dict[str, Policy] = {
            "chosen": ByCost(),
            **{pure: Alone(Site(pure)) for pure in PURE},
            **{f"other {n + 1}": Drawn(n) for n in range(bounds.others)},
        }
        placings = {placement: Placements(policy, facts, units) for placement, policy in policies.items()}
        contest = _Contest(name, bed, batches, placings, progress)
        contest.hold(bounds.turns, leaving)
        seen: list[Observed] = []
        for placement in COUNTED:
            plans.placements = placings[placement]
            seen += [one for one in plans.observed() if one.runs > 1]
    return contest.best(), seen


def _rate(bed: Bed, batches: Iterator[pa.Table], enough: float) -> float:
    """Rows per second, after a batch that does not count; unless that one shows that they are not enough."""
    first = next(batches)
    rate = len(first) / bed.put("plugs", first)
    if rate < enough:
        return rate
    rows, seconds = 0, 0.0
    while seconds < ENOUGH:
        batch = next(batches)
        seconds += bed.put("plugs", batch)
        rows += len(batch)
    return rows / seconds


def _fill(bed: Bed, batches: Iterator[pa.Table]) -> float:
    """A whole window of rows; how many come in a second."""
    rows = 0
    for _ in range(WINDOW // BATCH + 1):
        batch = next(batches)
        bed.put("plugs", batch)
        rows += len(batch)
    return rows / (WINDOW + BATCH)


def _batches() -> Iterator[pa.Table]:
    """The rows of so many seconds each, one after the other."""
    start = int(time.time()) // BATCH * BATCH
    left, end = None, start + BATCH
    for table in plugs.tables(houses=HOUSES, start=start):
        left = table if left is None else pa.concat_tables([left, table])
        seconds = left["ts"].cast("int64").to_numpy() // 1_000_000
        while seconds[-1] >= end:
            size = int((seconds < end).sum())
            yield left.slice(0, size).combine_chunks()
            left, seconds, end = left.slice(size), seconds[size:], end + BATCH


def _factor(one: Observed) -> float:
    return max(one.milliseconds, one.predicted) / max(min(one.milliseconds, one.predicted), 1e-9)
