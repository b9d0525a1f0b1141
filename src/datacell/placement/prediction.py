"""What the fragments of a placed plan are expected to cost, each by itself: what a run can be compared with.

The costs are the plan's: only what DuckDB's results cost to bring into Spark is counted here where it happens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from datacell.placement.costs import UnitCosts
from datacell.placement.operators import Input, Operator, Site


def loads(root: Input, sites: Sequence[Site], units: UnitCosts) -> list[float]:
    """u of each fragment, in the order of `fragments`."""
    if not isinstance(root, Operator):
        return [units.engines[Site.DUCKDB].firing]
    found: list[float] = []
    load, _ = _load(root, iter(sites), units, found)
    return [*found, load + _closing(root, sites[-1], units)]


def _load(node: Operator, sites: Iterator[Site], units: UnitCosts, found: list[float]) -> tuple[float, Site]:
    """u of the fragment so far; those that are complete are put with the others."""
    below = [(i, *_load(i, sites, units, found)) if isinstance(i, Operator) else (i, 0.0, None) for i in node.inputs]
    own = next(sites)
    load = units.evaluation(node, own)
    for child, so_far, site in below:
        if site is own:
            load += so_far
            continue
        if own is Site.SPARK:
            load += units.into(child)
        if isinstance(child, Operator) and site is not None:
            found.append(so_far + _closing(child, site, units))
    return load, own


def _closing(top: Operator, site: Site, units: UnitCosts) -> float:
    """What a fragment costs beside its operators: its firings, and bringing the result out of Spark."""
    return units.out_of(top) if site is Site.SPARK else top.firings * units.engines[site].firing
