"""Placements by chance, and a net that moves all the time: run as a script, it can be killed while it does.

``python tests/runtime/drawn.py DIRECTORY SEED`` runs a query to its end, from wherever the directory has come to.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

from datacell.engines.duckdb import DuckDBEngine
from datacell.placement.costs import UnitCosts
from datacell.placement.operators import Operator, Site, in_post_order
from datacell.runtime.plans import placing
from datacell.runtime.plans.placing import Placing
from runtime.netrun import NetRun
from sample import Values, bind, catalog, reference

RESTLESS = {"LOOK_EVERY": 5, "CLEARLY": 0.0, "IF_BEHIND": 0.0}
"""A look at every fifth run, and a move whatever it costs."""

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


def data() -> dict[str, Values]:
    """A minute of both streams, in order."""
    chance = Random(5)
    s = [(i / 4, chance.randint(1, 4), float(i), chance.randint(0, 9)) for i in range(4 * BATCHES)]
    r = [(i / 2, chance.randint(1, 4), chance.randint(0, 9), "x") for i in range(2 * BATCHES)]
    return {"s": s, "r": r, "t": [], "u": []}


def net(directory: Path, seed: int | None) -> NetRun:
    """The query in a directory: on one engine, or moving between two."""
    duckdb = DuckDBEngine(threads=1)
    moving = None if seed is None else Placing({Site.SPARK: AsSpark(threads=1), Site.DUCKDB: duckdb}, Drawn(seed))
    return NetRun(directory, catalog(), reference(data()), duckdb, bind(QUERY), incremental=True, placing=moving)


def to_the_end(running: NetRun) -> int:
    """Deposit what is not there yet, and end the input; how often plans have moved."""
    running.run({"s": [4] * BATCHES, "r": [2] * BATCHES})
    return len(running.running.run.placing.moves)


if __name__ == "__main__":
    for name, value in RESTLESS.items():
        setattr(placing, name, value)
    sys.exit(0 if to_the_end(net(Path(sys.argv[1]), int(sys.argv[2]))) else 3)
