"""What the fragments of a placed plan are expected to cost, each by itself: what a run can be compared with.

The costs are the plan's: only what DuckDB's results cost to bring into Spark is counted here where it happens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from datacell.placement.costs import UnitCosts
from datacell.placement.operators import Input, Operator, Site, Source


def loads(root: Input, sites: Sequence[Site], units: UnitCosts) -> list[float]:
    """u of each fragment, in the order of `fragments`."""
    if not isinstance(root, Operator):
        return [units.engines[Site.DUCKDB].firing + units.read(root, Site.DUCKDB, 1.0)]
    found: list[float] = []
    load, site = _load(root, iter(sites), units, found)
    return [*found, load + _firing(root, site, units) + units.delivered(root, site)]


def _load(node: Operator, sites: Iterator[Site], units: UnitCosts, found: list[float]) -> tuple[float, Site]:
    """u of the fragment so far; those that are complete are put with the others."""
    below = [(i, *_load(i, sites, units, found)) if isinstance(i, Operator) else (i, 0.0, None) for i in node.inputs]
    own = next(sites)
    load = units.evaluation(node, own)
    for child, so_far, site in below:
        if isinstance(child, Source):
            load += units.read(child, own, node.firings)
        elif site is own:
            load += so_far
        elif own is Site.SPARK:
            load += units.to_cluster.of(child)
            found.append(so_far + _firing(child, Site.DUCKDB, units))
        else:
            found.append(so_far + units.out_of(child, child.firings))
    return load, own


def _firing(top: Operator, site: Site, units: UnitCosts) -> float:
    """A call of DuckDB. A job of Spark is counted with what takes its result."""
    return top.firings * units.engines[site].firing if site is Site.DUCKDB else 0.0
