"""Placements by chance, and a net that moves all the time: run as a script, it can be killed while it does.

``python tests/runtime/drawn.py DIRECTORY SEED`` runs a query to its end, from wherever the directory has come to.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine
from datacell.placement.costs import UnitCosts
from datacell.placement.operators import Operator, Site, in_post_order
from datacell.runtime.plans import placed, prepared
from datacell.runtime.plans.placements import Placements
from datacell.runtime.plans.plans import Plans
from runtime.netrun import NetRun
from sample import Values, bind, catalog, reference

QUERY = """SELECT a.k, count(*) AS c, max(b.x) AS m, x.t
FROM s [RANGE 9 SECONDS SLIDE 2 SECONDS] a JOIN r [RANGE 5 SECONDS SLIDE 1 SECOND] b ON a.k = b.k
JOIN (SELECT k, sum(n) AS t FROM s [RANGE 12 SECONDS SLIDE 1 SECOND] GROUP BY k) x ON x.k = a.k GROUP BY a.k, x.t"""
BATCHES = 60


class AsSpark(DuckDBEngine):
    """Stands where Spark does, to cut plans in many ways quickly."""

    name = "spark"


class Drawn:
    """Any site that an operator may have; another one at every look."""

    looks_again = True

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)

    def sites(self, root: Operator, units: UnitCosts) -> tuple[Site, ...]:  # noqa: ARG002 - by chance alone
        return tuple(self.chance.choice(sorted(o.sites, key=str)) for o in in_post_order(root))


def drawn(spark: Engine, duckdb: Engine, seed: int, tables: Mapping[str, pa.Table]) -> Plans:
    """Plans that move between two engines by chance."""
    engines = {Site.SPARK: spark, Site.DUCKDB: duckdb}
    return Plans("q", engines, Placements(Drawn(seed)), spark, tables.__getitem__)


def restless(set_: Callable[[Any, str, float], None]) -> None:
    """A look at every fifth run, and a move whatever it costs."""
    set_(placed, "LOOK_EVERY", 5)
    set_(prepared, "CLEARLY", 0.0)
    set_(prepared, "IF_BEHIND", 0.0)


def data() -> dict[str, Values]:
    """A minute of both streams, in order."""
    chance = Random(5)
    s = [(i / 4, chance.randint(1, 4), float(i), chance.randint(0, 9)) for i in range(4 * BATCHES)]
    r = [(i / 2, chance.randint(1, 4), chance.randint(0, 9), "x") for i in range(2 * BATCHES)]
    return {"s": s, "r": r, "t": [], "u": []}


def net(directory: Path, seed: int | None) -> NetRun:
    """The query in a directory: on one engine, or moving between two."""
    duckdb = DuckDBEngine(threads=1)
    judge = reference(data())
    moving = None if seed is None else drawn(AsSpark(threads=1), duckdb, seed, judge.tables)
    return NetRun(directory, catalog(), judge, duckdb, bind(QUERY), incremental=True, plans=moving)


def to_the_end(running: NetRun) -> int:
    """Deposit what is not there yet, and end the input; how often plans have moved."""
    running.run({"s": [4] * BATCHES, "r": [2] * BATCHES})
    return len(running.factory.plans.placements.moves)


if __name__ == "__main__":
    restless(setattr)
    sys.exit(0 if to_the_end(net(Path(sys.argv[1]), int(sys.argv[2]))) else 3)
