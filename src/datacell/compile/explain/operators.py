"""What EXPLAIN PHYSICAL says of the operators of a placed part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datacell.algebra import show
from datacell.algebra.plan import Plan
from datacell.compile.physical import PlacedPart
from datacell.placement.costs import UnitCosts
from datacell.placement.enumeration import Placement
from datacell.placement.operators import in_post_order
from datacell.placement.transfers import Transfer, with_transfers


def explained(placed: PlacedPart, units: UnitCosts) -> tuple[Plan, show.Notes]:
    """The plan with its transfers; of each operator its engine, λ in and out, and u, of each transfer its numbers."""
    shown = with_transfers(placed.root, placed.best.sites, units)

    def notes(node: Plan) -> Mapping[str, Any]:
        if isinstance(node, Transfer):
            return {"to": node.to.value, "rate": node.rate, "bytes": node.bytes, "u": node.cost}
        if id(node) not in shown.operators:
            return {}
        operator, site = shown.operators[id(node)]
        return {
            "engine": site.value,
            "rate in": sum(i.rate for i in operator.inputs),
            "rate out": operator.rate,
            "u": units.evaluation(operator, site),
        }

    return shown.plan, notes


def difference(placed: PlacedPart, other: Placement) -> dict[str, list[str]]:
    """The operators that another placement has elsewhere, by where."""
    found: dict[str, list[str]] = {}
    for operator, here, there in zip(in_post_order(placed.root), placed.best.sites, other.sites, strict=True):
        if here is not there:
            found.setdefault(there.value, []).append(operator.kind.value)
    return found
