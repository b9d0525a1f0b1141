"""Measuring unit costs: small fragments of every kind run on both engines, and the costs that explain their times best.

Transfers are measured first, by themselves. What a fragment should cost beside them is linear in the unit costs, so a
run is one equation: how many rows of each kind it has is what the cost model itself says of it. Spark reads files, as
executors do; what only reading them takes is found out too and left aside, because a batch is read whatever follows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from datacell.algebra.plan import Plan
from datacell.engines.protocol import Engine, Inputs, Prepared
from datacell.placement.costs import EngineCosts, TransferCost, UnitCosts
from datacell.placement.fragments import operators
from datacell.placement.homes import Home
from datacell.placement.operators import Input as Placeable
from datacell.placement.operators import Operator, OperatorKind, Site, in_post_order
from datacell.placement.prediction import loads
from datacell.placement.sizes import Sizes
from datacell.placement.statistics import Statistics
from datacell.rewrite.rules import optimized
from datacell.sql import script
from datacell.tools import transfer_costs
from datacell.tools.least_squares import fitted
from datacell.tools.transfer_costs import in_files

TIMES = 3
KEYS, GROUPS, FEW = 1000, 10, 5
SIZES = {Site.SPARK: (1_000, 1_000_000, 200_000), Site.DUCKDB: (1_000, 500_000, 20_000, 100_000)}
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
READING = "SELECT count(k) AS a, count(v) AS b, count(n) AS c FROM t"
"""Costs nothing but to read the columns."""
_LEAST = 1e-10
"""Seconds: what nothing was seen of is cheap, but not free."""


_FIRING, _OPERATOR, _PAIR, _SCAN, _FIRST_KIND = range(5)
_COUNT = _FIRST_KIND + len(OperatorKind)
"""What is found for an engine: a call, an operator, a pair, a byte that is read, a row into every kind."""


class Transfers(NamedTuple):
    to_cluster: TransferCost
    to_driver: TransferCost


_FREE = Transfers(TransferCost(0.0, 0.0), TransferCost(0.0, 0.0))


@dataclass(frozen=True)
class Measured:
    """Seconds of a fragment on an engine, those of its transfers, and how much of each unit cost the rest takes."""

    text: str
    rows: int
    seconds: float
    transfers: float
    amounts: tuple[float, ...]

    @property
    def work(self) -> float:
        """Without transfers; how far these are off must not make it nothing."""
        return max(self.seconds - self.transfers, self.seconds / 10)


@dataclass(frozen=True)
class Calibration:
    units: UnitCosts
    error: float
    """The median factor between what runs took and what they should have."""


def calibrate(engines: Sequence[Engine], said: Callable[[str], object]) -> Calibration:
    """Measure both engines, and transfers between their homes."""
    spark = next(engine for engine in engines if Site(engine.name) is Site.SPARK)
    found: dict[Site, np.ndarray] = {}
    errors: list[float] = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        transfers = Transfers(*transfer_costs.measured(spark, folder))
        said(f"transfers: {_shown(transfers.to_cluster)} to the cluster, {_shown(transfers.to_driver)} to the driver")
        for engine in engines:
            site = Site(engine.name)
            runs = list(_runs(engine, site, transfers, folder))
            costs = found[site] = fitted(np.array([m.amounts for m in runs]), np.array([m.work for m in runs]))
            predicted = [m.transfers + float(costs @ m.amounts) for m in runs]
            errors += [max(p, m.seconds) / max(min(p, m.seconds), 1e-9) for p, m in zip(predicted, runs, strict=True)]
            said(f"{engine.name}: {len(runs)} fragments, {costs[0] * 1000:.1f} ms for a call")
    return Calibration(_units(found, transfers), median(errors))


def _shown(cost: TransferCost) -> str:
    return f"{cost.row * 1e9:.0f} ns a row and {cost.byte * 1e9:.2f} ns a byte"


def _runs(engine: Engine, site: Site, transfers: Transfers, folder: Path) -> Iterator[Measured]:
    """Fragments take turns, as they do in a net: one that runs again and again by itself is faster than it will be."""
    catalog = script.defined(_TABLES)
    plans = [(text, optimized(script.query(text, catalog)).plan) for text in _texts(site)]
    allowed = [(text, plan) for text, plan in plans if not engine.refusals(plan)]
    began = time.perf_counter()
    for rows in SIZES[site]:
        tables = _tables(rows)
        known = Statistics(
            {},
            {name: float(len(table)) for name, table in tables.items()},
            {"k": float(KEYS), "n": float(GROUPS), "x": float(FEW)},
        )
        inputs: Inputs = tables if site is Site.DUCKDB else in_files(tables, folder)
        times: dict[str, list[float]] = {text: [] for text, _ in allowed}
        prepared = {text: engine.prepare(plan) for text, plan in allowed}
        for _ in range(1 + TIMES):
            for text, found in times.items():
                if time.perf_counter() - began < LIMIT[site]:
                    found.append(_seconds(prepared[text], inputs))
        for text, plan in allowed:
            if counted := times[text][1:]:
                root = _operators(plan, known, site)
                amounts = _reading(root) if text == READING else _amounts(root, site)
                yield Measured(text, rows, median(counted), _transferred(root, site, transfers), amounts)


def _texts(site: Site) -> tuple[str, ...]:
    return FRAGMENTS if site is Site.DUCKDB else (READING, *FRAGMENTS)


def _seconds(prepared: Prepared, inputs: Inputs) -> float:
    started = time.perf_counter()
    prepared.run(inputs)
    return time.perf_counter() - started


def _operators(plan: Plan, known: Statistics, site: Site) -> Operator:
    root = operators(plan, Sizes(known), 1.0, lambda *_: False, dict.fromkeys(known.tables, site.home))
    assert isinstance(root, Operator)
    return root


def _transferred(root: Operator, site: Site, transfers: Transfers) -> float:
    nothing = {s: np.zeros(_COUNT) for s in Site}
    return sum(loads(root, [site for _ in in_post_order(root)], _units(nothing, transfers, least=0.0)))


def _amounts(root: Operator, site: Site) -> tuple[float, ...]:
    """As the cost model has them, but for what is read."""
    sites = [site for _ in in_post_order(root)]
    found = [sum(loads(root, sites, unit)) for unit in _one_each(site)]
    found[_SCAN] = _bytes_read(root)
    return tuple(found)


def _reading(root: Operator) -> tuple[float, ...]:
    """A call with one operator that does next to nothing to what it reads."""
    found = [0.0] * _COUNT
    found[_FIRING], found[_OPERATOR], found[_SCAN] = 1.0, 1.0, _bytes_read(root)
    return tuple(found)


def _bytes_read(node: Placeable) -> float:
    """Of files; what DuckDB reads is in memory already."""
    if isinstance(node, Operator):
        return sum(map(_bytes_read, node.inputs))
    return node.rate * node.bytes if node.home is Home.CLUSTER else 0.0


def _one_each(site: Site) -> Iterator[UnitCosts]:
    """For each unit cost: it alone is one second."""
    for j in range(_COUNT):
        numbers = np.zeros(_COUNT)
        numbers[j] = 1.0
        yield _units({s: numbers if s is site else np.zeros(_COUNT) for s in Site}, _FREE, least=0.0)


def _units(found: dict[Site, np.ndarray], transfers: Transfers, least: float = _LEAST) -> UnitCosts:
    floored = {site: np.maximum(numbers, least) for site, numbers in found.items()}
    engines = {
        site: EngineCosts(
            float(numbers[_FIRING]),
            float(numbers[_OPERATOR]),
            {k: float(c) for k, c in zip(OperatorKind, numbers[_FIRST_KIND:], strict=True)},
            float(numbers[_PAIR]),
        )
        for site, numbers in floored.items()
    }
    return UnitCosts(engines, transfers.to_cluster, transfers.to_driver)


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
