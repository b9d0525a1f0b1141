"""Measuring unit costs: small fragments of every kind run on both engines, and the costs that explain their times best.

What a fragment should cost is linear in the unit costs, so a run is one equation: how many rows of each kind it has is
what the cost model itself says of it. The costs are those with the least relative errors, none of them negative.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
import pyarrow as pa

from datacell.algebra.plan import Plan
from datacell.engines.protocol import Engine, Prepared
from datacell.placement.costs import EngineCosts, TransferCost, UnitCosts
from datacell.placement.fragments import operators
from datacell.placement.operators import Operator, OperatorKind, Site, in_post_order
from datacell.placement.prediction import loads
from datacell.placement.sizes import Sizes
from datacell.placement.statistics import Statistics
from datacell.rewrite.rules import optimized
from datacell.sql import script

TIMES = 3
ROUNDS, SWEEPS = 8, 1000
KEYS, GROUPS, FEW = 1000, 10, 5
SIZES = {Site.SPARK: (1_000, 200_000, 50_000), Site.DUCKDB: (1_000, 500_000, 20_000, 100_000)}
"""Rows; the ends first, should time be short."""
LIMIT = {Site.SPARK: 70.0, Site.DUCKDB: 20.0}
"""Seconds after which what is left is not measured."""
FRAGMENTS = (
    "SELECT v, n FROM t WHERE n = 1",
    "SELECT k + 1 AS a, v * 2 AS b, n AS c FROM t",
    "SELECT k AS a FROM t",
    "SELECT k, sum(v) AS s, count(*) AS c FROM t GROUP BY k",
    "SELECT k, n, sum(v) AS s, max(v) AS m, count(*) AS c FROM t GROUP BY k, n",
    "SELECT n, max(v) AS m FROM t WHERE n = 1 GROUP BY n",
    "SELECT max(v) AS a, max(k) AS b, max(n) AS c FROM t",
    "SELECT t.v, u.w FROM t JOIN u ON t.k = u.k",
    "SELECT count(*) AS c FROM t JOIN u ON t.k = u.k",
    "SELECT t.k, max(u.w) AS m FROM t JOIN u ON t.k = u.k WHERE t.n = 1 GROUP BY t.k",
    "SELECT DISTINCT k FROM t",
    "SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM t",
    "SELECT k, sum(v) OVER (PARTITION BY k ORDER BY v) AS s, max(n) OVER (PARTITION BY k ORDER BY v) AS m FROM t",
    "SELECT b.x, max(t.v) AS m FROM t CROSS JOIN b GROUP BY b.x",
    "SELECT k, v FROM t ORDER BY v, k LIMIT 10",
    "SELECT k FROM t UNION ALL SELECT k FROM u",
    "SELECT k FROM t EXCEPT SELECT k FROM u",
)
_TABLES = "CREATE TABLE t (k INT, v DOUBLE, n INT); CREATE TABLE u (k INT, w DOUBLE); CREATE TABLE b (x INT)"
_LEAST = 1e-10
"""Seconds: what nothing was seen of is cheap, but not free."""


@dataclass(frozen=True)
class Measured:
    """Seconds of a fragment on an engine, and how much of each unit cost it should take."""

    text: str
    rows: int
    seconds: float
    amounts: tuple[float, ...]


@dataclass(frozen=True)
class Calibration:
    units: UnitCosts
    error: float
    """The median factor between what runs took and what they should have."""


def calibrate(engines: Sequence[Engine], said: Callable[[str], object]) -> Calibration:
    """Measure both engines."""
    found: dict[Site, np.ndarray] = {}
    errors: list[float] = []
    for engine in engines:
        site = Site(engine.name)
        runs = list(_runs(engine, site))
        found[site] = costs = fitted(runs)
        errors += [max(p, m.seconds) / max(min(p, m.seconds), 1e-9) for m in runs for p in [float(costs @ m.amounts)]]
        said(f"{engine.name}: {len(runs)} fragments, {found[site][0] * 1000:.1f} ms for a call")
    return Calibration(_units(found), median(errors))


def fitted(runs: Sequence[Measured]) -> np.ndarray:
    """The costs, none negative, that make the relative errors least.

    Too much and too little by the same factor are to be equally bad: so errors are taken relative to what is between
    the time and its estimate, which the next round knows better.
    """
    amounts, seconds = np.array([m.amounts for m in runs]), np.array([m.seconds for m in runs])
    costs = _least_squares(amounts, seconds, seconds)
    for _ in range(ROUNDS):
        costs = _least_squares(amounts, seconds, np.sqrt(seconds * np.maximum(amounts @ costs, seconds / 10)))
    return costs


def _least_squares(amounts: np.ndarray, seconds: np.ndarray, relative_to: np.ndarray) -> np.ndarray:
    """Coordinate by coordinate, until nothing moves."""
    columns, rest = amounts / relative_to[:, None], seconds / relative_to
    scale = columns.max(axis=0)
    costs = np.zeros(columns.shape[1])
    for _ in range(SWEEPS):
        for j in np.flatnonzero(scale):
            column = columns[:, j]
            new = max(0.0, costs[j] + column @ rest / (column @ column))
            rest = rest - (new - costs[j]) * column
            costs[j] = new
    return costs


def _runs(engine: Engine, site: Site) -> Iterator[Measured]:
    """Fragments take turns, as they do in a net: one that runs again and again by itself is faster than it will be."""
    catalog = script.defined(_TABLES)
    plans = [(text, optimized(script.query(text, catalog)).plan) for text in FRAGMENTS]
    allowed = [(text, plan) for text, plan in plans if not engine.refusals(plan)]
    began = time.perf_counter()
    for rows in SIZES[site]:
        tables = _tables(rows)
        known = Statistics(
            {},
            {name: float(len(table)) for name, table in tables.items()},
            {"k": float(KEYS), "n": float(GROUPS), "x": float(FEW)},
        )
        times: dict[str, list[float]] = {text: [] for text, _ in allowed}
        prepared = {text: engine.prepare(plan) for text, plan in allowed}
        for _ in range(1 + TIMES):
            for text, found in times.items():
                if time.perf_counter() - began < LIMIT[site]:
                    found.append(_seconds(prepared[text], tables))
        for text, plan in allowed:
            if counted := times[text][1:]:
                yield Measured(text, rows, median(counted), _amounts(plan, known, site))


def _seconds(prepared: Prepared, tables: dict[str, pa.Table]) -> float:
    started = time.perf_counter()
    prepared.run(tables)
    return time.perf_counter() - started


def _amounts(plan: Plan, known: Statistics, site: Site) -> tuple[float, ...]:
    root = operators(plan, Sizes(known), 1.0, lambda *_: False)
    assert isinstance(root, Operator)
    sites = [site for _ in in_post_order(root)]
    return tuple(sum(loads(root, sites, unit)) for unit in _one_each(site))


def _one_each(site: Site) -> Iterator[UnitCosts]:
    """For each unit cost: it alone is one second."""
    count = 5 + len(OperatorKind)
    for j in range(count):
        numbers = np.zeros(count)
        numbers[j] = 1.0
        yield _units({s: numbers if s is site else np.zeros(count) for s in Site}, least=0.0)


def _units(found: dict[Site, np.ndarray], least: float = _LEAST) -> UnitCosts:
    """Firing, operator, pair, into and out of Spark, then every kind."""
    floored = {site: np.maximum(numbers, least) for site, numbers in found.items()}
    engines = {
        site: EngineCosts(
            float(numbers[0]),
            float(numbers[1]),
            {k: float(c) for k, c in zip(OperatorKind, numbers[5:], strict=True)},
            float(numbers[2]),
        )
        for site, numbers in floored.items()
    }
    spark = floored[Site.SPARK]
    return UnitCosts(engines, TransferCost(float(spark[3]), 0.0), TransferCost(float(spark[4]), 0.0))


def _tables(rows: int) -> dict[str, pa.Table]:
    chance = np.random.default_rng(1)
    t = pa.table(
        {
            "k": pa.array(chance.integers(0, KEYS, rows), pa.int32()),
            "v": chance.random(rows),
            "n": pa.array(chance.integers(0, GROUPS, rows), pa.int32()),
        }
    )
    u = pa.table({"k": pa.array(range(KEYS), pa.int32()), "w": chance.random(KEYS)})
    return {"t": t, "u": u, "b": pa.table({"x": pa.array(range(FEW), pa.int32())})}
