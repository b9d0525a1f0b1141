"""What EXPLAIN PHYSICAL says of the operators of a placed part."""

from __future__ import annotations

from typing import Any

from datacell.algebra import show
from datacell.compile.physical import PlacedPart
from datacell.placement.costs import UnitCosts
from datacell.placement.enumeration import Placement
from datacell.placement.operators import in_post_order


def numbers(placed: PlacedPart, units: UnitCosts) -> show.Notes:
    """Of each operator: its engine, λ in and out, and u."""
    found: dict[int, dict[str, Any]] = {}
    order = list(in_post_order(placed.root))
    at = dict(zip(map(id, order), placed.best.sites, strict=True))
    for operator in order:
        site = at[id(operator)]
        found[id(operator.node)] = {
            "engine": site.value,
            "rate in": sum(i.rate for i in operator.inputs),
            "rate out": operator.rate,
            "u": units.evaluation(operator, site),
        }
    return lambda node: found.get(id(node), {})


def difference(placed: PlacedPart, other: Placement) -> dict[str, list[str]]:
    """The operators that another placement has elsewhere, by where."""
    found: dict[str, list[str]] = {}
    for operator, here, there in zip(in_post_order(placed.root), placed.best.sites, other.sites, strict=True):
        if here is not there:
            found.setdefault(there.value, []).append(operator.kind.value)
    return found
